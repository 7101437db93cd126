#include "compiler/artifact/file_io.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A fresh folder for each test.
class FileIo : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/file_io.XXXXXX";
    ASSERT_NE(mkdtemp(&folder_[0]), nullptr);
  }

  std::string Path(const std::string& name) { return folder_ + "/" + name; }

  std::set<std::string> Files() {
    std::set<std::string> names;
    DIR* folder = opendir(folder_.c_str());
    while (dirent* entry = readdir(folder)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.insert(name);
    }
    closedir(folder);
    return names;
  }

  std::string folder_;
};

TEST_F(FileIo, WritesAndReadsBack) {
  const std::string contents("a\0b\n\xff", 5);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), contents).ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), contents);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "").ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "");
  EXPECT_THAT(Files(), ElementsAre("f"));
}

TEST_F(FileIo, ReadsLargeFilesWhole) {
  std::string contents;
  for (int i = 0; i < 300000; ++i) absl::StrAppend(&contents, i);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), contents).ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), contents);
}

TEST_F(FileIo, SaysWhyItCannotRead) {
  EXPECT_EQ(ReadFile(Path("none")).status().message(),
            Path("none") + ": cannot open: No such file or directory");
  EXPECT_EQ(ReadFile(Path("none")).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadFile(folder_).status().message(),
            folder_ + ": expected a file, got a directory");
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "12345").ok());
  EXPECT_TRUE(ReadFile(Path("f"), 5).ok());
  EXPECT_THAT(std::string(ReadFile(Path("f"), 4).status().message()),
              HasSubstr("too large: 5 bytes, at most 4"));
}

TEST_F(FileIo, BoundsStreamsToo) {
  EXPECT_THAT(std::string(ReadFile("/dev/zero", 100).status().message()),
              HasSubstr("too large: more than 100 bytes"));
}

TEST_F(FileIo, KeepsTheModeOfTheFileItReplaces) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "old").ok());
  ASSERT_EQ(chmod(Path("f").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "new").ok());
  struct stat info;
  ASSERT_EQ(stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(FileIo, NewFilesHaveTheUsualMode) {
  const mode_t mask = umask(027);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "new").ok());
  umask(mask);
  struct stat info;
  ASSERT_EQ(stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(FileIo, FollowsALink) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "old").ok());
  ASSERT_EQ(symlink("f", Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(Path("link"), "new").ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "new");
  struct stat info;
  ASSERT_EQ(lstat(Path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST_F(FileIo, WritesDevicesDirectly) {
  EXPECT_TRUE(WriteFileAtomically("/dev/null", "gone").ok());
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  const absl::Status full = WriteFileAtomically("/dev/full", "x");
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(FileIo, LeavesNothingBehindWhenItFails) {
  EXPECT_EQ(WriteFileAtomically(Path("no/f"), "x").code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(WriteFileAtomically(folder_, "x").message(),
            folder_ + ": expected a file, got a directory");
  EXPECT_THAT(Files(), testing::IsEmpty());
}

TEST_F(FileIo, KeepsTheOldFileWhenTheDiskIsFull) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "old").ok());
  // A limit on file size stands in for the full disk: write(2) stops half-way.
  auto* handler = signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status =
      WriteFileAtomically(Path("f"), std::string(2000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(ReadFile(Path("f")).value(), "old");
  EXPECT_THAT(Files(), ElementsAre("f"));
}

TEST(InFile, KeepsCodeAndPayload) {
  absl::Status status = absl::NotFoundError("x");
  status.SetPayload("url", absl::Cord("p"));
  const absl::Status in_file = InFile("f", status);
  EXPECT_EQ(in_file.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(in_file.message(), "f: x");
  EXPECT_EQ(*in_file.GetPayload("url"), "p");
  EXPECT_TRUE(InFile("f", absl::OkStatus()).ok());
}

}  // namespace
}  // namespace octopipe
