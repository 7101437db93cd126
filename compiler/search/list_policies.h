// The list policies by name.

#ifndef OCTOPIPE_COMPILER_SEARCH_LIST_POLICIES_H_
#define OCTOPIPE_COMPILER_SEARCH_LIST_POLICIES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/simulator/policy.h"

namespace octopipe {

struct ListPolicy {
  absl::string_view name;
  absl::string_view summary;  // one sentence: what it starts first
  Policy policy;
};

// "list", which is Policy{}, and variants "list-…" that order its rules
// otherwise. None is best everywhere.
absl::Span<const ListPolicy> ListPolicies();

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_LIST_POLICIES_H_
