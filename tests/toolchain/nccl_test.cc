#include <nccl.h>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Non-blocking communicators, which can be aborted while they connect.
TEST(Nccl, HasNonBlockingCommunicators) {
  EXPECT_GE(NCCL_VERSION_CODE, NCCL_VERSION(2, 14, 0));
}

}  // namespace
}  // namespace octopipe
