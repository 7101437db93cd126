// What a device's memory leaves for received tensors.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_RECEIVE_MEMORY_H_
#define OCTOPIPE_COMPILER_TRANSFERS_RECEIVE_MEMORY_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// The free bytes of every device while each of its items runs. A device of
// unlimited memory admits everything.
class ReceiveMemory {
 public:
  // `order` is valid for `table`. O(items on devices of limited memory).
  ReceiveMemory(const StageTable& table, const Order& order);

  bool IsLimited(int device) const { return !free_[device].empty(); }

  // Of the items `begin` to `end` − 1 the last that leaves less than `bytes`;
  // begin − 1 if there is none. O(end − begin), as is Take.
  int32_t LastFull(int device, int32_t begin, int32_t end, Bytes bytes) const;

  void Take(int device, int32_t begin, int32_t end, Bytes bytes);

  // Negative where more was taken than there is.
  Bytes Free(int device, int32_t item) const { return free_[device][item]; }

 private:
  std::vector<std::vector<Bytes>> free_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_RECEIVE_MEMORY_H_
