#include <cupti.h>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

// The activity records that tie a kernel to its range by correlation id.
TEST(Cupti, HasKernelAndMarkerRecords) {
  EXPECT_GE(CUPTI_API_VERSION, 18);
  EXPECT_NE(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MARKER);
}

}  // namespace
}  // namespace octopipe
