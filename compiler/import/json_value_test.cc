#include "compiler/import/json_value.h"

#include <string>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

std::string ErrorOf(const std::string& contents) {
  return std::string(JsonFile::Parse("f", contents).status().message());
}

TEST(JsonFile, KeepsNumbersAsWritten) {
  auto file = JsonFile::Parse("f", "[1, -2.50,3e4]");
  ASSERT_TRUE(file.ok()) << file.status();
  const JsonValue& root = file->root();
  ASSERT_EQ(root.items.size(), 3u);
  EXPECT_EQ(root.items[0].text, "1");
  EXPECT_EQ(root.items[1].text, "-2.50");
  EXPECT_EQ(root.items[2].text, "3e4");
}

TEST(JsonFile, KnowsWhereEachValueStands) {
  const std::string text =
      R"({"a\"b": [12, "x\\", true, null], "c": {}, "d": "é\"" , "e": 7})";
  auto file = JsonFile::Parse("f", text);
  ASSERT_TRUE(file.ok()) << file.status();
  const JsonValue& a = file->root().items[0];
  EXPECT_EQ(file->root().offset, text.find('{'));
  EXPECT_EQ(a.offset, text.find('['));
  EXPECT_EQ(a.items[0].offset, text.find("12"));
  EXPECT_EQ(a.items[1].offset, text.find(R"("x\\")"));
  EXPECT_EQ(a.items[2].offset, text.find("true"));
  EXPECT_EQ(a.items[3].offset, text.find("null"));
  EXPECT_EQ(file->root().Find("c")->offset, text.find("{}"));
  EXPECT_EQ(file->root().Find("d")->offset, text.find("\"é"));
  EXPECT_EQ(file->root().Find("e")->offset, text.find('7'));
  EXPECT_EQ(file->root().Find("f"), nullptr);
}

TEST(JsonFile, PointsAtSyntaxErrors) {
  EXPECT_EQ(ErrorOf("{\"a\": 1,\n \"b\": }").substr(0, 7), "f:2:7: ");
  EXPECT_EQ(ErrorOf("[NaN]").substr(0, 6), "f:1:2:");
  EXPECT_EQ(ErrorOf("[1, Infinity]").substr(0, 6), "f:1:5:");
  EXPECT_NE(ErrorOf("[1e999]").find("number overflow"), std::string::npos)
      << ErrorOf("[1e999]");
  for (const char* text : {"", " ", "[", "{\"a\"", "[1] x", "\"\xff\"", "[01]",
                           "{'a': 1}", "[1,]"}) {
    EXPECT_EQ(ErrorOf(text).substr(0, 2), "f:") << text;
  }
}

TEST(JsonFile, RefusesAKeyThatStandsTwice) {
  EXPECT_EQ(ErrorOf("{\"a\": 1,\n\"a\": 2}"), "f:2:1: key 'a' stands twice");
}

TEST(JsonFile, BoundsNesting) {
  auto nested = [](int depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(JsonFile::Parse("f", nested(32)).ok());
  EXPECT_EQ(ErrorOf(nested(33)), "f:1:33: nested deeper than 32");
  EXPECT_EQ(ErrorOf(std::string(1000000, '[')),
            "f:1:33: nested deeper than 32");
}

TEST(JsonFile, SaysWhatIsMissingOrWrong) {
  auto file =
      JsonFile::Parse("f", "{\"a\": {\"s\": \"1\", \"n\": -1,\n\"b\": 1e30}}");
  ASSERT_TRUE(file.ok());
  const JsonValue& a = *file->root().Find("a");
  EXPECT_EQ(file->Quantity(a, "a", "x", 0).status().message(),
            "f:1:7: a: expected a key 'x' with a number, got none");
  EXPECT_EQ(file->Quantity(a, "a", "s", 0).status().message(),
            "f:1:13: a.s: expected a number, got a string");
  EXPECT_EQ(file->Quantity(a, "a", "n", 0).status().message(),
            "f:1:23: a.n: expected 0 or more, got -1");
  EXPECT_EQ(file->Quantity(a, "a", "b", 0).status().message(),
            "f:2:6: a.b: number too large: 1e30");
}

}  // namespace
}  // namespace octopipe
