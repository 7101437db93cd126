#include "dialects/pipeline/ir/bytecode.h"

#include <cstdint>
#include <string>

#include "dialects/pipeline/ir/attrs.h"
#include "dialects/pipeline/ir/register.h"
#include "gtest/gtest.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

namespace octopipe::pipeline {
namespace {

// One attribute of each sort.
constexpr char kSource[] = R"(
  module attributes {
    pipeline.profile = #pipeline.profile<"x", f_ns = 300, unsplittable, role = head, on = {h20 = <w_ns = 5>}>,
    pipeline.metrics = #pipeline.metrics<makespan_ns = 9, bound_ns = 8, bound = "chain", bubble_permille = 7>,
    pipeline.items = #pipeline.items<[F0.0, RF2147483647.2147483647.32767, BW0.0]>,
    pipeline.transfers = #pipeline.transfers<slots = 4242, channel_per_kind = true>
  } {})";

// MLIR's form of an unsigned number: as many zero bits as further bytes, a one,
// the number; low bytes first.
std::string VarInt(uint64_t value) {
  int bytes = 1;
  while (bytes < 8 && value >> (7 * bytes) != 0) ++bytes;
  uint64_t word = ((value << 1) | 1) << (bytes - 1);
  std::string text;
  for (int i = 0; i < bytes; ++i, word >>= 8) {
    text.push_back(static_cast<char>(word & 0xff));
  }
  return text;
}

// F0.0
std::string FirstItem() { return VarInt(0) + VarInt(0) + VarInt(0); }

class BytecodeTest : public ::testing::Test {
 protected:
  BytecodeTest() {
    mlir::DialectRegistry registry;
    RegisterDialect(registry);
    context_.appendDialectRegistry(registry);
    context_.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic& diagnostic) {
          if (messages_++ == 0) first_message_ = diagnostic.str();
        });
  }

  std::string Write() {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(kSource, &context_);
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    if (!module || mlir::failed(mlir::writeBytecodeToFile(*module, stream))) {
      return "";
    }
    return bytes;
  }

  mlir::OwningOpRef<mlir::ModuleOp> Read(llvm::StringRef bytes) {
    messages_ = 0;
    first_message_.clear();
    return mlir::parseSourceString<mlir::ModuleOp>(bytes, &context_);
  }

  // What is said of the bytes with the only `from` in them made `to`.
  std::string MessageAfter(const std::string& from, const std::string& to) {
    std::string bytes = Write();
    const size_t at = bytes.find(from);
    if (at == std::string::npos || bytes.find(from, at + 1) != bytes.npos ||
        from.size() != to.size()) {
      ADD_FAILURE() << "the bytes do not have the form that is looked for";
      return "";
    }
    bytes.replace(at, from.size(), to);
    if (Read(bytes)) return "";
    return first_message_;
  }

  mlir::MLIRContext context_;
  int messages_ = 0;
  std::string first_message_;
};

TEST_F(BytecodeTest, HoldsWhatTheTextHolds) {
  const std::string bytes = Write();
  ASSERT_FALSE(bytes.empty());
  auto read = Read(bytes);
  ASSERT_TRUE(read);
  auto written = mlir::parseSourceString<mlir::ModuleOp>(kSource, &context_);
  // Attributes are unique in a context.
  EXPECT_EQ((*read)->getAttrDictionary(), (*written)->getAttrDictionary());
}

TEST_F(BytecodeTest, RefusesEveryPrefixWithAMessage) {
  const std::string bytes = Write();
  // Shorter than the four letters that mark the form, it is read as text.
  for (size_t size = 4; size < bytes.size(); ++size) {
    EXPECT_FALSE(Read(llvm::StringRef(bytes).take_front(size))) << size;
    EXPECT_GT(messages_, 0) << size;
  }
}

TEST_F(BytecodeTest, RefusesAnUnknownAttribute) {
  EXPECT_EQ(MessageAfter(VarInt(3) + VarInt(3) + FirstItem(),
                         VarInt(9) + VarInt(3) + FirstItem()),
            "unknown pipeline attribute code 9");
}

TEST_F(BytecodeTest, RefusesMoreItemsThanThereAre) {
  EXPECT_NE(MessageAfter(VarInt(3) + VarInt(3) + FirstItem(),
                         VarInt(3) + VarInt(60) + FirstItem()),
            "");
}

TEST_F(BytecodeTest, RefusesItemsOutOfRange) {
  constexpr uint64_t kMax = 2147483647;
  // RF2147483647.2147483647.32767
  const std::string head = VarInt(5 + (32768 << 3));
  const std::string largest = VarInt(kMax);
  const std::string over = VarInt(kMax + 1);
  const std::string item = head + largest + largest;
  const std::string message = "items: a number is out of range";
  EXPECT_EQ(MessageAfter(item, head + over + largest), message);
  EXPECT_EQ(MessageAfter(item, head + largest + over), message);
  EXPECT_EQ(MessageAfter(item, VarInt(5 + (32769 << 3)) + largest + largest),
            message);
}

TEST_F(BytecodeTest, RefusesWhatTheVerifierRefuses) {
  // 300 and -301, zigzag.
  EXPECT_EQ(MessageAfter(VarInt(600) + VarInt(0), VarInt(601) + VarInt(0)),
            "profile \"x\": f_ns is -301; expected at least 0");
}

TEST_F(BytecodeTest, RefusesSlotsOutOfRange) {
  // Zigzag.
  EXPECT_EQ(MessageAfter(VarInt(2 * 4242), VarInt(2 * 4242 + 1)),
            "transfers: slots is -4243; expected 1 to 32767");
}

TEST_F(BytecodeTest, RefusesAnUnknownRole) {
  std::string zeros;
  for (int i = 0; i < 9; ++i) zeros += VarInt(0);
  const std::string unsplittable(1, '\1');
  EXPECT_EQ(MessageAfter(zeros + unsplittable + VarInt(2),
                         zeros + unsplittable + VarInt(9)),
            "profile: unknown role code 9");
}

}  // namespace
}  // namespace octopipe::pipeline
