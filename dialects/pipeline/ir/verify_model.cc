// Verifiers of the bodies of models and stages.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/base/units.h"
#include "dialects/pipeline/ir/ops.h"
#include "dialects/pipeline/ir/verifiers.h"
#include "llvm/ADT/DenseMap.h"

namespace octopipe::pipeline {
namespace {

//===----------------------------------------------------------------------===//
// Order of the layers of one body
//===----------------------------------------------------------------------===//

// The layers of one body and the positions of their producers in it.
class LayerGraph {
 public:
  explicit LayerGraph(mlir::Region& body) {
    for (LayerOp layer : body.getOps<LayerOp>()) {
      position_[layer] = layers_.size();
      layers_.push_back(layer);
    }
  }

  // OK if every layer stands behind its producers.
  mlir::LogicalResult VerifyOrder() {
    for (size_t l = 0; l < layers_.size(); ++l) {
      for (size_t producer : Producers(l)) {
        if (producer < l) continue;
        llvm::SmallVector<size_t> cycle = FindCycle();
        if (!cycle.empty()) return ReportCycle(cycle);
        mlir::InFlightDiagnostic error =
            mlir::emitError(layers_[l].getLoc())
            << "layer \"" << layers_[l].getLayerName()
            << "\" stands before layer \"" << layers_[producer].getLayerName()
            << "\", whose output it reads; expected it behind";
        error.attachNote(layers_[producer].getLoc()) << "the producer is here";
        return error;
      }
    }
    return mlir::success();
  }

 private:
  llvm::SmallVector<size_t> Producers(size_t l) {
    llvm::SmallVector<size_t> producers;
    LayerOp layer = layers_[l];
    for (mlir::Value input : layer.getInputs()) {
      auto it = position_.find(input.getDefiningOp());
      if (it != position_.end()) producers.push_back(it->second);
    }
    return producers;
  }

  // Layers in the direction of the data, the first in the file at the front;
  // empty if there is no cycle. Depth first, against the data.
  llvm::SmallVector<size_t> FindCycle() {
    enum class State : uint8_t { kNew, kOnPath, kDone };
    std::vector<State> state(layers_.size(), State::kNew);
    struct Frame {
      size_t layer;
      llvm::SmallVector<size_t> left;  // producers to visit
    };
    for (size_t root = 0; root < layers_.size(); ++root) {
      if (state[root] != State::kNew) continue;
      std::vector<Frame> path;
      path.push_back({root, Producers(root)});
      state[root] = State::kOnPath;
      while (!path.empty()) {
        if (path.back().left.empty()) {
          state[path.back().layer] = State::kDone;
          path.pop_back();
          continue;
        }
        const size_t next = path.back().left.pop_back_val();
        if (state[next] == State::kNew) {
          state[next] = State::kOnPath;
          path.push_back({next, Producers(next)});
        } else if (state[next] == State::kOnPath) {
          llvm::SmallVector<size_t> cycle;
          do {
            cycle.push_back(path.back().layer);
            path.pop_back();
          } while (cycle.back() != next);
          std::rotate(cycle.begin(),
                      std::min_element(cycle.begin(), cycle.end()),
                      cycle.end());
          return cycle;
        }
      }
    }
    return {};
  }

  mlir::LogicalResult ReportCycle(llvm::ArrayRef<size_t> cycle) {
    auto quoted = [&](size_t l) {
      LayerOp layer = layers_[l];
      return "\"" + layer.getLayerName().str() + "\"";
    };
    std::string text;
    for (size_t l : cycle) text += quoted(l) + " -> ";
    LayerOp first = layers_[cycle.front()];
    mlir::InFlightDiagnostic error = mlir::emitError(first.getLoc())
                                     << "layers form a cycle: " << text
                                     << quoted(cycle.front());
    for (size_t l : cycle.drop_front()) {
      LayerOp layer = layers_[l];
      error.attachNote(layer.getLoc()) << "through layer " << quoted(l);
    }
    return error;
  }

  std::vector<LayerOp> layers_;
  llvm::DenseMap<mlir::Operation*, size_t> position_;
};

//===----------------------------------------------------------------------===//
// Layers of the whole model
//===----------------------------------------------------------------------===//

mlir::LogicalResult VerifyNames(llvm::ArrayRef<LayerOp> layers) {
  llvm::DenseMap<mlir::StringAttr, LayerOp> first_of;
  for (LayerOp layer : layers) {
    auto [it, inserted] = first_of.insert({layer.getLayerNameAttr(), layer});
    if (inserted) continue;
    mlir::InFlightDiagnostic error = mlir::emitError(layer.getLoc())
                                     << "second layer named "
                                     << layer.getLayerNameAttr()
                                     << "; expected unique names in a model";
    error.attachNote(it->second.getLoc()) << "the first is here";
    return error;
  }
  return mlir::success();
}

mlir::LogicalResult VerifySharedParameters(llvm::ArrayRef<LayerOp> layers) {
  llvm::DenseMap<mlir::StringAttr, LayerOp> first_of;
  for (LayerOp layer : layers) {
    if (!layer.getSharesAttr()) continue;
    auto [it, inserted] = first_of.insert({layer.getSharesAttr(), layer});
    LayerOp first = it->second;
    const int64_t bytes = layer.getProfile().getParamBytes();
    const int64_t expected = first.getProfile().getParamBytes();
    if (bytes == expected) continue;
    mlir::InFlightDiagnostic error =
        mlir::emitError(layer.getLoc())
        << "layer " << layer.getLayerNameAttr() << " shares "
        << layer.getSharesAttr() << " with param_bytes " << bytes
        << "; expected " << expected << ", as in layer "
        << first.getLayerNameAttr();
    error.attachNote(first.getLoc()) << "that layer is here";
    return error;
  }
  return mlir::success();
}

// Sums that cannot overflow: what is over kMaxTotal stays just over it.
int64_t Sum(std::initializer_list<int64_t> values) {
  int64_t sum = 0;
  for (int64_t value : values) {
    sum = std::min(sum + std::min(value, kMaxTotal + 1), kMaxTotal + 1);
  }
  return sum;
}

// The longest that F, B and W of a layer take together on any device kind.
int64_t Duration(LayerOp layer) {
  ProfileAttr profile = layer.getProfile();
  int64_t longest = Sum({profile.getFNs(), profile.getBNs(), profile.getWNs()});
  for (mlir::NamedAttribute entry : profile.getOn()) {
    auto times = llvm::cast<TimesAttr>(entry.getValue());
    longest = std::max(longest,
                       Sum({times.getFNs(), times.getBNs(), times.getWNs()}));
  }
  return longest;
}

int64_t MemoryAndOutput(LayerOp layer) {
  ProfileAttr profile = layer.getProfile();
  return Sum({profile.getParamBytes(), profile.getGradBytes(),
              profile.getOptimizerBytes(), profile.getSavedBBytes(),
              profile.getSavedWBytes(), profile.getFWorkspaceBytes(),
              profile.getBWorkspaceBytes(), layer.getOutputBytes(),
              layer.getOutputGradBytes()});
}

// No sum over a model may come near the end of int64_t; see units.h.
template <typename CostOf>
mlir::LogicalResult VerifyTotal(ModelOp model, llvm::ArrayRef<LayerOp> layers,
                                llvm::StringRef what, CostOf cost_of) {
  int64_t per_micro_batch = 0;
  LayerOp largest = layers.front();
  for (LayerOp layer : layers) {
    per_micro_batch = Sum({per_micro_batch, cost_of(layer)});
    if (cost_of(layer) > cost_of(largest)) largest = layer;
  }
  if (per_micro_batch <= kMaxTotal / model.getMicroBatches()) {
    return mlir::success();
  }
  mlir::InFlightDiagnostic error =
      mlir::emitError(model.getLoc())
      << "model @" << model.getSymName() << ": the " << what
      << " of all layers and " << model.getMicroBatches()
      << " micro-batches are more than " << kMaxTotal << " in sum";
  error.attachNote(largest.getLoc())
      << "the largest is layer " << largest.getLayerNameAttr();
  return error;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

mlir::LogicalResult VerifyIndices(llvm::ArrayRef<StageOp> stages) {
  for (int64_t s = 0; s < static_cast<int64_t>(stages.size()); ++s) {
    StageOp stage = stages[s];
    if (stage.getIndex() == s) continue;
    return mlir::emitError(stage.getLoc())
           << "stage " << stage.getIndex() << " stands at position " << s
           << "; expected stages 0 to " << stages.size() - 1 << " in order";
  }
  return mlir::success();
}

mlir::LogicalResult VerifyPlacement(llvm::ArrayRef<StageOp> stages) {
  for (StageOp stage : stages) {
    StageOp first = stages.front();
    if (stage.getDeviceAttr() && first.getDeviceAttr()) continue;
    if (!stage.getDeviceAttr() && !first.getDeviceAttr()) continue;
    StageOp without = stage.getDeviceAttr() ? first : stage;
    StageOp with = stage.getDeviceAttr() ? stage : first;
    mlir::InFlightDiagnostic error =
        mlir::emitError(without.getLoc())
        << "stage " << without.getIndex()
        << " has no device; expected one on every stage or on none";
    error.attachNote(with.getLoc())
        << "stage " << with.getIndex() << " is on " << with.getDeviceAttr();
    return error;
  }
  return mlir::success();
}

// `stage` reads from earlier stages only.
mlir::LogicalResult VerifyInputs(StageOp stage) {
  for (mlir::Value input : stage.getInputs()) {
    auto producer = input.getDefiningOp<StageOp>();
    if (producer.getIndex() < stage.getIndex()) continue;
    mlir::InFlightDiagnostic error =
        mlir::emitError(stage.getLoc())
        << "stage " << stage.getIndex() << " reads from stage "
        << producer.getIndex() << "; expected an earlier stage";
    error.attachNote(producer.getLoc()) << "the producer is here";
    return error;
  }
  return mlir::success();
}

}  // namespace

mlir::LogicalResult StageOp::verifyRegions() {
  mlir::Block& block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes()) {
    return mlir::emitError(getLoc())
           << "stage " << getIndex() << " has arguments of types "
           << block.getArgumentTypes() << "; expected those of its inputs, "
           << getInputs().getTypes();
  }
  if (mlir::Operation* other = FirstOtherThan<LayerOp, YieldOp>(getBody())) {
    return mlir::emitError(other->getLoc())
           << "stage " << getIndex() << " holds '" << other->getName()
           << "'; expected pipeline.layer";
  }
  if (getBody().getOps<LayerOp>().empty()) {
    return mlir::emitError(getLoc())
           << "stage " << getIndex() << " has no layers; expected at least 1";
  }
  auto yield = llvm::cast<YieldOp>(block.getTerminator());
  if (yield.getValues().getTypes() != getOutputs().getTypes()) {
    return mlir::emitError(yield.getLoc())
           << "stage " << getIndex() << " yields types "
           << yield.getValues().getTypes() << "; expected "
           << getOutputs().getTypes();
  }
  for (const auto& [i, value] : llvm::enumerate(yield.getValues())) {
    if (value.getDefiningOp<LayerOp>()) continue;
    return mlir::emitError(yield.getLoc())
           << "stage " << getIndex() << " yields one of its inputs as output "
           << i
           << "; expected the output of a layer, and that a later stage reads "
              "the input where it is made";
  }
  return LayerGraph(getBody()).VerifyOrder();
}

mlir::LogicalResult ModelOp::verifyRegions() {
  if (mlir::Operation* other =
          FirstOtherThan<LayerOp, StageOp, YieldOp>(getBody())) {
    return mlir::emitError(other->getLoc())
           << "model @" << getSymName() << " holds '" << other->getName()
           << "'; expected pipeline.layer or pipeline.stage";
  }
  auto yield = llvm::cast<YieldOp>(getBody().front().getTerminator());
  if (!yield.getValues().empty()) {
    return mlir::emitError(yield.getLoc())
           << "model @" << getSymName() << " yields "
           << yield.getValues().size() << " values; expected none";
  }
  const std::vector<StageOp> stages = getStages();
  const std::vector<LayerOp> layers = getLayers();
  if (layers.empty()) {
    return mlir::emitError(getLoc()) << "model @" << getSymName()
                                     << " has no layers; expected at least 1";
  }
  auto bare_layers = getBody().getOps<LayerOp>();
  if (!stages.empty() && !bare_layers.empty()) {
    LayerOp layer = *bare_layers.begin();
    mlir::InFlightDiagnostic error =
        mlir::emitError(layer.getLoc())
        << "model @" << getSymName() << " has layer "
        << layer.getLayerNameAttr()
        << " beside stages; expected layers alone, or all of them in stages";
    error.attachNote(stages.front()->getLoc()) << "the first stage is here";
    return error;
  }
  if (mlir::failed(VerifyIndices(stages)) ||
      mlir::failed(VerifyPlacement(stages))) {
    return mlir::failure();
  }
  for (StageOp stage : stages) {
    if (mlir::failed(VerifyInputs(stage))) return mlir::failure();
  }
  if (mlir::failed(LayerGraph(getBody()).VerifyOrder()) ||
      mlir::failed(VerifyNames(layers)) ||
      mlir::failed(VerifySharedParameters(layers)) ||
      mlir::failed(VerifyTotal(*this, layers, "durations", Duration))) {
    return mlir::failure();
  }
  return VerifyTotal(*this, layers, "bytes", MemoryAndOutput);
}

}  // namespace octopipe::pipeline
