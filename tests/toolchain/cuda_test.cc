#include <cuda_runtime_api.h>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Stream capture of event waits, which a captured step needs, is whole from 12.
TEST(Cuda, IsRecentEnough) { EXPECT_GE(CUDART_VERSION, 12000); }

}  // namespace
}  // namespace octopipe
