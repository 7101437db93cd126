#include "compiler/artifact/problem_proto.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "compiler/artifact/cluster_proto.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/profile_proto.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/status_macros.h"
#include "xxhash.h"

namespace octopipe {

absl::StatusOr<Problem> ProblemFromProto(const v1::Problem& proto) {
  absl::StatusOr<ModelProfile> profile = ProfileFromProto(proto.profile());
  if (!profile.ok()) return InFile("problem.profile", profile.status());
  absl::StatusOr<Cluster> cluster = ClusterFromProto(proto.cluster());
  if (!cluster.ok()) return InFile("problem.cluster", cluster.status());
  OCTOPIPE_RETURN_IF_ERROR(CheckRange("problem", "micro_batches",
                                      proto.micro_batches(), 1,
                                      std::numeric_limits<int32_t>::max()));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity("problem", "tokens_per_micro_batch",
                                         proto.tokens_per_micro_batch()));
  Problem problem;
  problem.name = std::move(profile->name);
  problem.layers = std::move(profile->layers);
  problem.devices = std::move(cluster->devices);
  problem.links = std::move(cluster->links);
  problem.micro_batches = proto.micro_batches();
  problem.launch_overhead_ns = cluster->launch_overhead_ns;
  problem.tokens_per_micro_batch = proto.tokens_per_micro_batch();
  return problem;
}

absl::StatusOr<v1::Problem> ProblemToProto(const Problem& problem) {
  ModelProfile profile;
  profile.name = problem.name;
  profile.layers = problem.layers;
  Cluster cluster;
  cluster.devices = problem.devices;
  cluster.links = problem.links;
  cluster.launch_overhead_ns = problem.launch_overhead_ns;
  v1::Problem proto;
  OCTOPIPE_ASSIGN_OR_RETURN(*proto.mutable_profile(), ProfileToProto(profile));
  OCTOPIPE_ASSIGN_OR_RETURN(*proto.mutable_cluster(), ClusterToProto(cluster));
  proto.set_micro_batches(problem.micro_batches);
  proto.set_tokens_per_micro_batch(problem.tokens_per_micro_batch);
  return proto;
}

uint64_t Fingerprint(const v1::Problem& proto) {
  const std::string bytes = CanonicalBytes(proto);
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace octopipe
