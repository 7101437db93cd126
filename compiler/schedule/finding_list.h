// Collects findings, at most kMaxPerRule of a rule in words.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_FINDING_LIST_H_
#define OCTOPIPE_COMPILER_SCHEDULE_FINDING_LIST_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"

namespace octopipe {

class FindingList {
 public:
  static constexpr int64_t kMaxPerRule = 20;

  // `parts` are joined to the message; those of findings past the limit are
  // counted only.
  template <typename... Parts>
  void Add(Rule rule, Subject subject, const Parts&... parts) {
    if (++count_[rule] > kMaxPerRule) return;
    findings_.push_back({rule, subject, absl::StrCat(parts...)});
  }

  bool empty() const { return findings_.empty(); }

  // The findings in the order of Add, then one for each rule that broke the
  // limit, about the whole problem, that says how many more there are.
  std::vector<Finding> Take() && {
    for (const auto& [rule, count] : count_) {
      if (count <= kMaxPerRule) continue;
      findings_.push_back({rule,
                           {},
                           absl::StrCat(count - kMaxPerRule, " more of ",
                                        RuleName(rule), " are not listed")});
    }
    return std::move(findings_);
  }

 private:
  std::map<Rule, int64_t> count_;
  std::vector<Finding> findings_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_FINDING_LIST_H_
