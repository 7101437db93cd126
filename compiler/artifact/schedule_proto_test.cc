#include "compiler/artifact/schedule_proto.h"

#include <functional>
#include <string>
#include <vector>

#include "compiler/artifact/problem_proto.h"
#include "compiler/artifact/proto_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xxhash.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

// Two layers on two devices, one micro-batch; every field at a value of its
// own.
Artifact Small() {
  Artifact a;
  Problem& problem = a.problem;
  problem.name = "small";
  problem.layers.resize(2);
  problem.layers[0].name = "a";
  problem.layers[0].cost.kind = "k";
  problem.layers[0].cost.times = {10, 20, 30};
  problem.layers[0].cost.memory = {1, 2, 3, 4, 5, 6, 7};
  problem.layers[0].output_bytes = 100;
  problem.layers[0].output_grad_bytes = 50;
  problem.layers[1].name = "b";
  problem.layers[1].cost.kind = "k";
  problem.layers[1].cost.times = {11, 21, 31};
  problem.layers[1].cost.splittable = false;
  problem.layers[1].inputs = {0};
  problem.devices = {{"g0", "x", 1000, 1000}, {"g1", "y", 0, 500}};
  problem.links = {{0, 1, 5, 7, "p"}, {1, 0, 5, 7, ""}};
  problem.launch_overhead_ns = 3;
  problem.micro_batches = 1;
  problem.tokens_per_micro_batch = 4096;
  a.plan.partition.begin = {0, 1, 2};
  a.plan.placement.device = {0, 1};
  a.plan.order.programs = {
      {Forward(0, 0), InputGradient(0, 0), WeightGradient(0, 0)},
      {Forward(1, 0), Backward(1, 0)}};
  a.timeline.start_ns = {{0, 200, 223}, {18, 60}};
  a.timeline.makespan_ns = 256;
  a.metrics.makespan_ns = 256;
  a.metrics.devices = {{69, 0, 0, 187, 150, 37, 6, 15, 0},
                       {129, 18, 109, 0, 0, 0, 0, 0, -1}};
  a.bounds = {{BoundKind::kWork, 61, "all", ""},
              {BoundKind::kLoad, 99, "g1", "less of it"}};
  a.gap_ppm = 1585859;
  a.made_by = {"octopipe 0", "list", {{"stages", "2"}, {"split", "auto"}}, 42};
  return a;
}

std::string Encode(const Artifact& artifact, bool text = false) {
  auto bytes = EncodeSchedule(artifact, text);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

// Sets checksum and fingerprint right, as an attacker would.
v1::Schedule Sealed(v1::Schedule proto) {
  proto.set_fingerprint(Fingerprint(proto.problem()));
  proto.clear_checksum();
  const std::string bytes = CanonicalBytes(proto);
  proto.set_checksum(XXH3_64bits(bytes.data(), bytes.size()));
  return proto;
}

std::string ErrorAfter(const std::function<void(v1::Schedule*)>& edit) {
  auto proto = ScheduleToProto(Small());
  EXPECT_TRUE(proto.ok()) << proto.status();
  edit(&*proto);
  return std::string(ScheduleFromProto(Sealed(*proto)).status().message());
}

TEST(Schedule, RoundTripsEveryField) {
  const Artifact a = Small();
  for (bool text : {false, true}) {
    auto read = DecodeSchedule(Encode(a, text));
    ASSERT_TRUE(read.ok()) << read.status();
    const Artifact& b = *read;
    EXPECT_EQ(b.problem.name, "small");
    EXPECT_EQ(b.problem.layers[0].cost, a.problem.layers[0].cost);
    EXPECT_EQ(b.problem.layers[1].cost, a.problem.layers[1].cost);
    EXPECT_EQ(b.problem.layers[0].output_grad_bytes, 50);
    EXPECT_EQ(b.problem.layers[1].inputs, std::vector<int>{0});
    EXPECT_EQ(b.problem.devices[1].name, "g1");
    EXPECT_EQ(b.problem.devices[1].speed_permille, 500);
    EXPECT_EQ(b.problem.links[0].port, "p");
    EXPECT_EQ(b.problem.links[1].port, "");
    EXPECT_EQ(b.problem.links[1].bytes_per_us, 7);
    EXPECT_EQ(b.problem.launch_overhead_ns, 3);
    EXPECT_EQ(b.problem.tokens_per_micro_batch, 4096);
    EXPECT_EQ(b.plan.partition, a.plan.partition);
    EXPECT_EQ(b.plan.placement, a.plan.placement);
    EXPECT_EQ(b.plan.order, a.plan.order);
    EXPECT_EQ(b.timeline.start_ns, a.timeline.start_ns);
    EXPECT_EQ(b.timeline.makespan_ns, 256);
    EXPECT_EQ(b.metrics.makespan_ns, 256);
    EXPECT_EQ(b.metrics.devices[0].inner_transfer_ns, 37);
    EXPECT_EQ(b.metrics.devices[0].peak_item, 0);
    EXPECT_EQ(b.metrics.devices[1].peak_item, -1);
    ASSERT_EQ(b.bounds.size(), 2u);
    EXPECT_EQ(b.bounds[1].kind, BoundKind::kLoad);
    EXPECT_EQ(b.bounds[1].certificate, "g1");
    EXPECT_EQ(b.bounds[1].advice, "less of it");
    EXPECT_EQ(b.gap_ppm, 1585859);
    EXPECT_EQ(b.made_by.tool, "octopipe 0");
    EXPECT_EQ(b.made_by.options, a.made_by.options);
    EXPECT_EQ(b.made_by.seed, 42u);
    EXPECT_EQ(Encode(b, text), Encode(a, text));
  }
}

TEST(Schedule, KeepsTransfersAndTheirSlots) {
  Artifact a = Small();
  a.plan.order.programs[1].insert(a.plan.order.programs[1].begin(),
                                  {WorkKind::kReceiveActivation, 1, 1, 0});
  // A receive can be posted before the item that stands ahead of it starts.
  a.timeline.start_ns[1] = {40, 18, 60};
  auto read = DecodeSchedule(Encode(a));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->plan.order, a.plan.order);
  EXPECT_EQ(read->timeline.start_ns, a.timeline.start_ns);
}

TEST(Schedule, EveryTruncationIsRefused) {
  for (bool text : {false, true}) {
    const std::string whole = Encode(Small(), text);
    // The last byte of text is a line end, which says nothing.
    for (size_t size = 0; size + text < whole.size(); ++size) {
      EXPECT_FALSE(DecodeSchedule(whole.substr(0, size)).ok()) << size;
    }
  }
}

TEST(Schedule, EveryEditOfAByteIsRefused) {
  const std::string whole = Encode(Small());
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string edited = whole;
      edited[at] = static_cast<char>(edited[at] ^ (1 << bit));
      EXPECT_FALSE(DecodeSchedule(edited).ok()) << at << " bit " << bit;
    }
  }
  EXPECT_FALSE(DecodeSchedule(whole + whole).ok());
  EXPECT_FALSE(DecodeSchedule(whole + '\0').ok());
}

TEST(Schedule, EveryEditedNumberOfTheTextIsRefused) {
  const std::string whole = Encode(Small(), true);
  int edits = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    if (whole[at] < '0' || whole[at] > '9') continue;
    std::string edited = whole;
    edited[at] = whole[at] == '9' ? '1' : static_cast<char>(whole[at] + 1);
    EXPECT_FALSE(DecodeSchedule(edited).ok()) << at;
    ++edits;
  }
  EXPECT_GT(edits, 100);
}

TEST(Schedule, SaysThatAnEditedFileWasEdited) {
  std::string text = Encode(Small(), true);
  const size_t at = text.find("makespan_ns: 256");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 16, "makespan_ns: 255");
  const absl::Status status = DecodeSchedule(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("edited or truncated: checksum says"));
}

TEST(Schedule, FingerprintIsOfTheProblemAlone) {
  Artifact a = Small();
  auto first = ScheduleToProto(a);
  a.made_by.seed = 43;
  a.gap_ppm = 0;
  auto second = ScheduleToProto(a);
  a.problem.layers[1].cost.times.w_ns = 32;
  auto third = ScheduleToProto(a);
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  EXPECT_EQ(first->fingerprint(), second->fingerprint());
  EXPECT_NE(first->checksum(), second->checksum());
  EXPECT_NE(first->fingerprint(), third->fingerprint());
}

TEST(ScheduleFromProto, RefusesOtherVersions) {
  EXPECT_THAT(
      ErrorAfter([](v1::Schedule* p) { p->set_format_version(2); }),
      HasSubstr("schedule has format_version 2, this octopipe reads 1"));
}

TEST(ScheduleFromProto, RefusesAFingerprintOfAnotherProblem) {
  auto proto = ScheduleToProto(Small());
  ASSERT_TRUE(proto.ok());
  proto->set_fingerprint(1);
  proto->clear_checksum();
  const std::string bytes = CanonicalBytes(*proto);
  proto->set_checksum(XXH3_64bits(bytes.data(), bytes.size()));
  EXPECT_THAT(std::string(ScheduleFromProto(*proto).status().message()),
              HasSubstr("fingerprint says 0000000000000001"));
}

// The rules of the wire format let a later release add fields above the others.
TEST(ScheduleFromProto, LoadsWhatALaterReleaseAdded) {
  auto proto = ScheduleToProto(Small());
  ASSERT_TRUE(proto.ok());
  proto->GetReflection()->MutableUnknownFields(&*proto)->AddVarint(16, 7);
  v1::Stage* stage = proto->mutable_stages(0);
  stage->GetReflection()->MutableUnknownFields(stage)->AddVarint(6, 7);
  const std::string bytes = CanonicalBytes(Sealed(*proto));
  auto read = DecodeSchedule(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Encode(*read), Encode(Small()));
}

// Each edit is sealed with right hashes, so only the range checks stand.
TEST(ScheduleFromProto, RefusesWhatIsOutOfRange) {
  using P = v1::Schedule*;
  const std::vector<std::pair<std::string, std::function<void(P)>>> edits = {
      {"micro_batches: expected 1 to",
       [](P p) { p->mutable_problem()->set_micro_batches(0); }},
      {"micro_batches: expected 1 to",
       [](P p) { p->mutable_problem()->set_micro_batches(int64_t{1} << 40); }},
      {"problem.profile: layers[0].own_cost",
       [](P p) {
         p->mutable_problem()
             ->mutable_profile()
             ->mutable_layers(0)
             ->mutable_own_cost()
             ->mutable_times()
             ->set_f_ns(-1);
       }},
      {"problem.cluster: link_table[0].from",
       [](P p) {
         p->mutable_problem()
             ->mutable_cluster()
             ->mutable_link_table()
             ->set_from(0, 2);
       }},
      {"stages[1].first_layer: expected 1, got 0",
       [](P p) { p->mutable_stages(1)->set_first_layer(0); }},
      {"stages[0].num_layers: expected 1 to 2, got 0",
       [](P p) { p->mutable_stages(0)->set_num_layers(0); }},
      {"stages[1].num_layers",
       [](P p) { p->mutable_stages(1)->set_num_layers(2147483647); }},
      {"stages[1].device: expected 0 to 1, got 2",
       [](P p) { p->mutable_stages(1)->set_device(2); }},
      {"stages[1].device", [](P p) { p->mutable_stages(1)->set_device(-1); }},
      {"stages[0].static_bytes: expected 6, got 7",
       [](P p) { p->mutable_stages(0)->set_static_bytes(7); }},
      {"stages[0].saved_bytes: expected 9, got 0",
       [](P p) { p->mutable_stages(0)->set_saved_bytes(0); }},
      {"stages: expected to cover 2 layers, got 1",
       [](P p) { p->mutable_stages()->RemoveLast(); }},
      {"programs: expected 2 for as many devices, got 1",
       [](P p) { p->mutable_programs()->RemoveLast(); }},
      {"programs[0]: expected columns of one length",
       [](P p) { p->mutable_programs(0)->add_stages(0); }},
      {"programs[0]: expected columns of one length",
       [](P p) { p->mutable_programs(0)->add_slots(-1); }},
      {"programs[0][1].kind: expected 1 to 8, got 0",
       [](P p) { p->mutable_programs(0)->set_kinds(1, v1::Program::NONE); }},
      {"programs[0][1].kind: expected 1 to 8, got 9",
       [](P p) { p->mutable_programs(0)->mutable_kinds()->Set(1, 9); }},
      {"programs[0][2].stage: expected 0 to 1, got 2",
       [](P p) { p->mutable_programs(0)->set_stages(2, 2); }},
      {"programs[0][2].stage",
       [](P p) { p->mutable_programs(0)->set_stages(2, -1); }},
      {"programs[1][0].micro_batch: expected 0, got 1",
       [](P p) { p->mutable_programs(1)->set_micro_batches(0, 1); }},
      {"programs[1][0].micro_batch",
       [](P p) { p->mutable_programs(1)->set_micro_batches(0, -1); }},
      {"programs[1][1].slot: expected -1, got 0",
       [](P p) {
         p->mutable_programs(1)->add_slots(-1);
         p->mutable_programs(1)->add_slots(0);
       }},
      {"programs[1][0].slot: expected -1 to 32767, got 32768",
       [](P p) {
         p->mutable_programs(1)->set_kinds(0, v1::Program::RF);
         p->mutable_programs(1)->add_slots(32768);
         p->mutable_programs(1)->add_slots(-1);
       }},
      {"programs[0][0].start_delta_ns: -1 leads out of 0",
       [](P p) { p->mutable_programs(0)->set_start_delta_ns(0, -1); }},
      {"programs[0][2].start_delta_ns",
       [](P p) { p->mutable_programs(0)->set_start_delta_ns(2, INT64_MAX); }},
      {"makespan_ns: expected 0 to", [](P p) { p->set_makespan_ns(-1); }},
      {"metrics.devices: expected 2 for as many devices, got 0",
       [](P p) { p->clear_metrics(); }},
      {"metrics.devices[1].busy_ns",
       [](P p) { p->mutable_metrics()->mutable_devices(1)->set_busy_ns(-1); }},
      {"metrics.devices[1].peak_item: expected 0 to 2, got 3",
       [](P p) { p->mutable_metrics()->mutable_devices(1)->set_peak_item(3); }},
      {"metrics.bubble_permille",
       [](P p) { p->mutable_metrics()->set_bubble_permille(1); }},
      {"bounds[0].kind: expected 1 to 6, got 0",
       [](P p) { p->mutable_bounds(0)->set_kind(v1::Bound::UNKNOWN); }},
      {"bounds[0].ns", [](P p) { p->mutable_bounds(0)->set_ns(-1); }},
      {"gap_ppm", [](P p) { p->set_gap_ppm(-1); }},
  };
  for (const auto& [message, edit] : edits) {
    EXPECT_THAT(ErrorAfter(edit), HasSubstr(message));
  }
  EXPECT_EQ(ErrorAfter([](P) {}), "");
}

TEST(ScheduleFromProto, SumsThatOverflowAreRefused) {
  EXPECT_THAT(ErrorAfter([](v1::Schedule* p) {
                v1::LayerMemory* memory = p->mutable_problem()
                                              ->mutable_profile()
                                              ->mutable_kinds(0)
                                              ->mutable_memory();
                memory->set_saved_b_bytes(kMaxTotal);
                memory->set_saved_w_bytes(kMaxTotal);
              }),
              HasSubstr("stages[0].saved_bytes: expected 0 to"));
}

TEST(ScheduleToProto, RefusesPartsThatDoNotFit) {
  auto error = [](const std::function<void(Artifact*)>& edit) {
    Artifact a = Small();
    edit(&a);
    return std::string(ScheduleToProto(a).status().message());
  };
  EXPECT_EQ(error([](Artifact* a) { a->plan.partition.begin.pop_back(); }),
            "partition: expected 2 for as many placed stages, got 1");
  EXPECT_EQ(error([](Artifact* a) { a->plan.partition.begin.clear(); }),
            "partition: expected 2 for as many placed stages, got 0");
  EXPECT_THAT(error([](Artifact* a) { a->plan.partition.begin[1] = 9; }),
              HasSubstr("stages[0].end"));
  EXPECT_THAT(error([](Artifact* a) { a->plan.partition.begin[0] = -9; }),
              HasSubstr("stages[0].begin"));
  EXPECT_EQ(error([](Artifact* a) { a->timeline.start_ns.pop_back(); }),
            "timeline: expected 2 for as many programs, got 1");
  EXPECT_EQ(error([](Artifact* a) { a->timeline.start_ns[1].pop_back(); }),
            "timeline of device 1: expected 2 for as many items, got 1");
  EXPECT_THAT(error([](Artifact* a) { a->timeline.start_ns[1][0] = -1; }),
              HasSubstr("start_delta_ns"));
  EXPECT_THAT(
      error([](Artifact* a) { a->plan.order.programs[0][0].micro_batch = 1; }),
      HasSubstr("micro_batch"));
  EXPECT_THAT(error([](Artifact* a) { a->made_by.policy = "\xff"; }),
              HasSubstr("not valid UTF-8"));
  EXPECT_THAT(error([](Artifact* a) { a->problem.layers[0].name = "\xff"; }),
              HasSubstr("layer name '\\xff'"));
  EXPECT_THAT(error([](Artifact* a) { a->problem.devices[1].name = "g0"; }),
              HasSubstr("'g0' stands twice"));
  EXPECT_THAT(error([](Artifact* a) { a->metrics.devices.pop_back(); }),
              HasSubstr("metrics.devices"));
}

}  // namespace
}  // namespace octopipe
