// Reading and writing programs of many items, as text and as bytecode. The
// argument is the number of items of the program.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "dialects/pipeline/ir/attrs.h"
#include "dialects/pipeline/ir/ops.h"
#include "dialects/pipeline/ir/register.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

namespace octopipe::pipeline {
namespace {

mlir::DialectRegistry Registry() {
  mlir::DialectRegistry registry;
  RegisterDialect(registry);
  return registry;
}

// One stage on one device: F, B and W of each micro-batch.
std::string ProgramText(int64_t items) {
  const int64_t micro_batches = items / 3;
  std::string text =
      "pipeline.cluster @c { pipeline.device @gpu kind \"h100\" }\n"
      "pipeline.model @m on @c micro_batches " +
      std::to_string(micro_batches) +
      " {\n"
      "  pipeline.stage 0 on @gpu () {\n"
      "    pipeline.layer \"a\"() <\"x\"> : () -> ()\n"
      "    pipeline.yield\n"
      "  }\n"
      "  pipeline.yield\n"
      "}\n"
      "pipeline.schedule @plan of @m { pipeline.program @gpu [";
  for (int64_t m = 0; m < micro_batches; ++m) {
    const std::string number = std::to_string(m);
    text += (m > 0 ? ", F0." : "F0.") + number + ", B0." + number + ", W0." +
            number;
  }
  return text + "] }\n";
}

mlir::OwningOpRef<mlir::ModuleOp> Parse(mlir::MLIRContext& context,
                                        llvm::StringRef source) {
  return mlir::parseSourceString<mlir::ModuleOp>(source, &context);
}

std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string Bytecode(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (mlir::failed(mlir::writeBytecodeToFile(module, stream))) bytes.clear();
  return bytes;
}

void Finish(benchmark::State& state, int64_t bytes) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_item"] =
      static_cast<double>(bytes) / static_cast<double>(state.range(0));
}

// Text to verified IR, in a context of its own: nothing is uniqued before.
void BM_ParseText(benchmark::State& state) {
  const std::string text = ProgramText(state.range(0));
  for (auto _ : state) {
    mlir::MLIRContext context(Registry(),
                              mlir::MLIRContext::Threading::DISABLED);
    if (!Parse(context, text)) return state.SkipWithError("does not parse");
  }
  Finish(state, text.size());
}

void BM_PrintText(benchmark::State& state) {
  mlir::MLIRContext context(Registry());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      Parse(context, ProgramText(state.range(0)));
  if (!module) return state.SkipWithError("does not parse");
  std::string text;
  for (auto _ : state) text = Print(*module);
  Finish(state, text.size());
}

void BM_ReadBytecode(benchmark::State& state) {
  mlir::MLIRContext writer(Registry());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      Parse(writer, ProgramText(state.range(0)));
  if (!module) return state.SkipWithError("does not parse");
  const std::string bytes = Bytecode(*module);
  for (auto _ : state) {
    mlir::MLIRContext context(Registry(),
                              mlir::MLIRContext::Threading::DISABLED);
    if (!Parse(context, bytes)) return state.SkipWithError("does not parse");
  }
  Finish(state, bytes.size());
}

void BM_WriteBytecode(benchmark::State& state) {
  mlir::MLIRContext context(Registry());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      Parse(context, ProgramText(state.range(0)));
  if (!module) return state.SkipWithError("does not parse");
  std::string bytes;
  for (auto _ : state) bytes = Bytecode(*module);
  Finish(state, bytes.size());
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(3'000)->Arg(39'999)->Arg(399'999)->Unit(
      benchmark::kMillisecond);
}

BENCHMARK(BM_ParseText)->Apply(Sizes);
BENCHMARK(BM_PrintText)->Apply(Sizes);
BENCHMARK(BM_ReadBytecode)->Apply(Sizes);
BENCHMARK(BM_WriteBytecode)->Apply(Sizes);

}  // namespace
}  // namespace octopipe::pipeline

BENCHMARK_MAIN();
