#include "compiler/artifact/proto_io.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/profile.pb.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(DetectEncoding, GoesByContent) {
  EXPECT_EQ(DetectEncoding(""), Encoding::kEmpty);
  EXPECT_EQ(DetectEncoding(" \n\t"), Encoding::kEmpty);
  EXPECT_EQ(DetectEncoding("# comment\nformat_version: 1"), Encoding::kText);
  EXPECT_EQ(DetectEncoding(" \n{\"model\": 1}"), Encoding::kJson);
  EXPECT_EQ(DetectEncoding("model: \"é\""), Encoding::kText);
  EXPECT_EQ(DetectEncoding("model: \"\xff\""), Encoding::kBinary);
  EXPECT_EQ(DetectEncoding(std::string("a\0b", 3)), Encoding::kBinary);
  v1::Profile proto;
  proto.set_format_version(1);
  proto.set_model("text: 1");
  EXPECT_EQ(DetectEncoding(CanonicalBytes(proto)), Encoding::kBinary);
}

TEST(IsValidUtf8, FollowsTheStandard) {
  for (const char* good :
       {"", "abc", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsValidUtf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf",
        "\xe1\x80", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << bad;
  }
}

TEST(ParseMessage, PointsIntoText) {
  v1::Profile proto;
  EXPECT_THAT(std::string(ParseMessage("format_version: 1\n  model: 7",
                                       "profile", &proto)
                              .message()),
              StartsWith("2:10: expected string"));
  EXPECT_THAT(
      std::string(ParseMessage("layers {\n", "profile", &proto).message()),
      StartsWith("2:1: "));
}

TEST(ParseMessage, IsSilentOnBrokenBytes) {
  testing::internal::CaptureStderr();
  v1::Profile proto;
  // Field 2 holds a byte that is not UTF-8; then a length beyond the end.
  for (const std::string& bytes : {std::string("\x08\x01\x12\x01\xff", 5),
                                   std::string("\x08\x01\x12\x09x", 5)}) {
    EXPECT_EQ(ParseMessage(bytes, "profile", &proto).message(),
              "truncated or not an octopipe profile");
  }
  EXPECT_FALSE(ParseMessage("nonsense", "profile", &proto).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ToText, KeepsColumnsOnOneLine) {
  v1::LayerInputs inputs;
  for (int i : {1, 2, 3}) inputs.add_layers(i);
  EXPECT_EQ(ToText(inputs), "layers: [1, 2, 3]\n");
}

}  // namespace
}  // namespace octopipe
