// Values into the IR and back, on random problems and plans.

#include <random>
#include <string>
#include <vector>

#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/translate/plan_from_ir.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/problem_from_ir.h"
#include "compiler/translate/problem_to_ir.h"
#include "dialects/pipeline/ir/register.h"
#include "gtest/gtest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace octopipe {
namespace {

constexpr int kSeeds = 300;

void ExpectEqual(const Problem& found, const Problem& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.micro_batches, expected.micro_batches);
  EXPECT_EQ(found.launch_overhead_ns, expected.launch_overhead_ns);
  EXPECT_EQ(found.tokens_per_micro_batch, expected.tokens_per_micro_batch);
  ASSERT_EQ(found.layers.size(), expected.layers.size());
  for (size_t l = 0; l < found.layers.size(); ++l) {
    const Layer& a = found.layers[l];
    const Layer& b = expected.layers[l];
    EXPECT_EQ(a.name, b.name);
    EXPECT_TRUE(a.cost == b.cost) << a.name;
    EXPECT_EQ(a.inputs, b.inputs) << a.name;
    EXPECT_EQ(a.output_bytes, b.output_bytes) << a.name;
    EXPECT_EQ(a.needs_grad, b.needs_grad) << a.name;
    EXPECT_EQ(a.shares, b.shares) << a.name;
  }
  ASSERT_EQ(found.devices.size(), expected.devices.size());
  for (size_t d = 0; d < found.devices.size(); ++d) {
    EXPECT_EQ(found.devices[d].name, expected.devices[d].name);
    EXPECT_EQ(found.devices[d].kind, expected.devices[d].kind);
    EXPECT_EQ(found.devices[d].memory_bytes, expected.devices[d].memory_bytes);
    EXPECT_EQ(found.devices[d].speed_permille,
              expected.devices[d].speed_permille);
  }
  ASSERT_EQ(found.links.size(), expected.links.size());
  for (size_t l = 0; l < found.links.size(); ++l) {
    EXPECT_EQ(found.links[l].from, expected.links[l].from);
    EXPECT_EQ(found.links[l].to, expected.links[l].to);
    EXPECT_EQ(found.links[l].latency_ns, expected.links[l].latency_ns);
    EXPECT_EQ(found.links[l].bytes_per_us, expected.links[l].bytes_per_us);
    EXPECT_EQ(found.links[l].port, expected.links[l].port);
  }
}

class RoundTrip : public testing::Test {
 protected:
  RoundTrip() {
    mlir::DialectRegistry registry;
    pipeline::RegisterDialect(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
    module_ = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_));
  }

  std::string Text() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module_->print(stream);
    return text;
  }

  // Prints the module and parses it again, so that what is compared has gone
  // through the syntax as well.
  pipeline::ModelOp Reparse() {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(Text(), &context_);
    return module_ ? *module_->getOps<pipeline::ModelOp>().begin()
                   : pipeline::ModelOp();
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

Problem ProblemOfSeed(int seed, std::mt19937_64& random) {
  random.seed(seed);
  Problem problem = RandomProblem({}, random);
  problem.name = "random";
  problem.tokens_per_micro_batch = Uniform(random, 0, 3) * 1024;
  problem.layers[0].cost.memory.f_workspace_bytes = Uniform(random, 0, 9);
  problem.devices[0].memory_bytes = Uniform(random, 0, 1) << 40;
  // An output that nothing reads and that has no bytes has no tensor to say so.
  for (Layer& layer : problem.layers) {
    layer.output_grad_bytes = layer.needs_grad ? layer.output_bytes : 0;
  }
  return problem;
}

TEST_F(RoundTrip, Problems) {
  std::mt19937_64 random;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    module_ = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_));
    const Problem problem = ProblemOfSeed(seed, random);
    ProblemToIr(problem, *module_);
    pipeline::ModelOp model = Reparse();
    ASSERT_TRUE(model) << Text();
    ExpectEqual(ProblemFromIr(model), problem);
    if (HasFailure()) FAIL() << Text();
  }
}

TEST_F(RoundTrip, PlansLevelByLevelAndBack) {
  std::mt19937_64 random;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    module_ = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_));
    const Problem problem = ProblemOfSeed(seed, random);
    pipeline::ModelOp model = ProblemToIr(problem, *module_);
    const std::string graph = Text();

    const int stages =
        static_cast<int>(Uniform(random, 1, problem.layers.size()));
    const Partition partition = RandomPartition(problem, stages, random);
    PartitionToIr(model, partition);
    model = Reparse();
    ASSERT_TRUE(model);
    ASSERT_EQ(LevelOf(model), Level::kPartitioned);
    EXPECT_TRUE(PartitionFromIr(model) == partition);
    ExpectEqual(ProblemFromIr(model), problem);
    const std::string partitioned = Text();

    const Placement placement =
        RandomPlacement(PlacementShape::kAny, stages,
                        static_cast<int>(problem.devices.size()), random);
    PlacementToIr(model, placement);
    model = Reparse();
    ASSERT_TRUE(model);
    ASSERT_EQ(LevelOf(model), Level::kPlaced);
    EXPECT_TRUE(PlacementFromIr(model) == placement);
    const std::string placed = Text();

    // By stage, forward and then backward, is an order for every placement.
    Order order;
    order.programs.resize(problem.devices.size());
    for (int s = 0; s < stages; ++s) {
      for (int m = 0; m < problem.micro_batches; ++m) {
        order.programs[placement.device[s]].push_back(Forward(s, m));
      }
    }
    for (int s = stages - 1; s >= 0; --s) {
      for (int m = 0; m < problem.micro_batches; ++m) {
        order.programs[placement.device[s]].push_back(Backward(s, m));
      }
    }
    OrderToIr(model, order, "by-stage");
    model = Reparse();
    ASSERT_TRUE(model);
    ASSERT_EQ(LevelOf(model), Level::kScheduled);
    pipeline::ScheduleOp schedule = SchedulesOf(model).front();
    EXPECT_EQ(schedule.getPolicy(), "by-stage");
    EXPECT_TRUE(OrderFromIr(model, schedule) == order);
    ExpectEqual(ProblemFromIr(model), problem);

    EraseSchedules(model);
    EXPECT_EQ(Text(), placed);
    ErasePlacement(model);
    EXPECT_EQ(Text(), partitioned);
    ErasePartition(model);
    EXPECT_EQ(Text(), graph);
    if (HasFailure()) FAIL() << Text();
  }
}

TEST_F(RoundTrip, AModelCanChangeItsCluster) {
  std::mt19937_64 random;
  Problem problem = ProblemOfSeed(1, random);
  pipeline::ModelOp model = ProblemToIr(problem, *module_);
  problem.devices = {{"a", "x", 7, 500}, {"b", "y", 0, 1000}};
  problem.links = {{0, 1, 5, 6, "nic"}};
  ClusterToIr(problem, model);
  ASSERT_TRUE(mlir::succeeded(mlir::verify(*module_)));
  model = Reparse();
  ExpectEqual(ProblemFromIr(model), problem);
  // The cluster that nothing names any more is gone.
  auto clusters = module_->getOps<pipeline::ClusterOp>();
  EXPECT_EQ(std::distance(clusters.begin(), clusters.end()), 1);
}

TEST_F(RoundTrip, AModelWithoutDevicesHasNoCluster) {
  std::mt19937_64 random;
  Problem problem = ProblemOfSeed(2, random);
  problem.devices.clear();
  problem.links.clear();
  ProblemToIr(problem, *module_);
  pipeline::ModelOp model = Reparse();
  ASSERT_TRUE(model);
  EXPECT_FALSE(model.getClusterAttr());
  ExpectEqual(ProblemFromIr(model), problem);
}

}  // namespace
}  // namespace octopipe
