#include "compiler/base/finding.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(Rule, HasDifferentNames) {
  std::set<std::string> names;
  const int rules = static_cast<int>(Rule::kMemoryExceeded) + 1;
  for (int rule = 0; rule < rules; ++rule) {
    names.insert(RuleName(static_cast<Rule>(rule)));
  }
  EXPECT_EQ(names.size(), rules);
  EXPECT_STREQ(RuleName(Rule::kNoLayers), "no-layers");
  EXPECT_STREQ(RuleName(Rule::kSharedParameters), "shared-parameters");
  EXPECT_STREQ(RuleName(Rule::kStageNotContiguous), "stage-not-contiguous");
  EXPECT_STREQ(RuleName(Rule::kItemMissing), "item-missing");
  EXPECT_STREQ(RuleName(Rule::kMemoryExceeded), "memory-exceeded");
}

TEST(ToStatus, IsOkWithoutFindings) { EXPECT_TRUE(ToStatus({}).ok()); }

TEST(ToStatus, JoinsMessagesAndKeepsTheFirst) {
  const Subject subject = {SubjectKind::kItem, 3, 17};
  const absl::Status status = ToStatus({{Rule::kItemRepeated, subject, "first"},
                                        {Rule::kMemoryExceeded, {}, "second"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "first; second");
  EXPECT_EQ(RuleOf(status), Rule::kItemRepeated);
  EXPECT_EQ(SubjectOf(status), subject);
}

TEST(ToStatus, IsResourceExhaustedWhereMemoryComesFirst) {
  const absl::Status status =
      ToStatus({{Rule::kMemoryExceeded, {SubjectKind::kDevice, 1}, "full"},
                {Rule::kItemMissing, {}, "gone"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RuleOf(status), Rule::kMemoryExceeded);
}

TEST(ErrorAt, CarriesEverySubject) {
  for (SubjectKind kind :
       {SubjectKind::kProblem, SubjectKind::kLayer, SubjectKind::kStage,
        SubjectKind::kDevice, SubjectKind::kLink, SubjectKind::kItem}) {
    const Subject subject = {kind, int64_t{1} << 40, -1};
    const absl::Status status =
        ErrorAt(absl::StatusCode::kNotFound, Rule::kBadLink, subject, "text");
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(status.message(), "text");
    EXPECT_EQ(SubjectOf(status), subject);
    EXPECT_EQ(RuleOf(status), Rule::kBadLink);
  }
}

TEST(SubjectOf, IsNothingOnOtherStatuses) {
  EXPECT_EQ(SubjectOf(absl::OkStatus()), std::nullopt);
  absl::Status status = absl::InternalError("other");
  EXPECT_EQ(SubjectOf(status), std::nullopt);
  EXPECT_EQ(RuleOf(status), std::nullopt);
  status.SetPayload("octopipe/finding", absl::Cord("1 2 three 4"));
  EXPECT_EQ(SubjectOf(status), std::nullopt);
  EXPECT_EQ(RuleOf(status), std::nullopt);
}

}  // namespace
}  // namespace octopipe
