// Range checks that all readers and writers of protocol buffers share.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_PROTO_CHECKS_H_
#define OCTOPIPE_COMPILER_ARTIFACT_PROTO_CHECKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace octopipe {

// InvalidArgument unless `value`, the `field` of the message at `path` (empty
// for the outermost), is in [min, max].
absl::Status CheckRange(absl::string_view path, absl::string_view field,
                        int64_t value, int64_t min, int64_t max);

// A duration, a size or a count: in [0, kMaxTotal].
absl::Status CheckQuantity(absl::string_view path, absl::string_view field,
                           int64_t value);

// Names are copied to every layer, device and link that bears them, so a small
// file with a long name would become a large problem.
inline constexpr int64_t kMaxNameBytes = 256;

// InvalidArgument if `name` is longer than that.
absl::Status CheckName(absl::string_view path, absl::string_view field,
                       absl::string_view name);

// InvalidArgument if the tokens of one micro-batch exceed kMaxTotal.
absl::Status CheckTokens(int64_t sequence_length, int64_t micro_batch_size);

// InvalidArgument unless `text` is UTF-8; `what` names it.
absl::Status CheckUtf8(absl::string_view what, absl::string_view text);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_PROTO_CHECKS_H_
