#include "compiler/artifact/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

absl::Status ErrnoStatus(int error, absl::string_view path,
                         absl::string_view action) {
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  if (error == ENOENT || error == ENOTDIR) code = absl::StatusCode::kNotFound;
  if (error == EACCES || error == EPERM || error == EROFS) {
    code = absl::StatusCode::kPermissionDenied;
  }
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    code = absl::StatusCode::kResourceExhausted;
  }
  char text[256];
  return absl::Status(code,
                      absl::StrCat(path, ": cannot ", action, ": ",
                                   strerror_r(error, text, sizeof(text))));
}

// Closes on destruction unless released.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

absl::StatusOr<std::string> ReadAll(int fd, const std::string& name,
                                    size_t size_hint, size_t max_bytes) {
  std::string contents;
  size_t used = 0;
  contents.resize(std::min(size_hint, max_bytes) + 1);
  while (true) {
    if (used == contents.size()) contents.resize(used + used / 2 + (1 << 16));
    const ssize_t got = read(fd, &contents[used], contents.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, name, "read");
    if (got == 0) break;
    used += static_cast<size_t>(got);
    if (used > max_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": too large: more than ", max_bytes, " bytes"));
    }
  }
  contents.resize(used);
  return contents;
}

absl::Status WriteAll(int fd, const std::string& name,
                      absl::string_view contents) {
  while (!contents.empty()) {
    const ssize_t put = write(fd, contents.data(), contents.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return ErrnoStatus(errno, name, "write");
    contents.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

// What a link at `path` leads to, so that the rename replaces the file and not
// the link.
std::string ResolveLink(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string result(resolved);
  free(resolved);
  return result;
}

// A new file beside `path`, opened for writing; its name goes to `beside`.
int CreateBeside(const std::string& path, std::string* beside) {
  int fd = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    *beside = absl::StrCat(path, ".", getpid(), ".", attempt, ".tmp");
    fd = open(beside->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) break;
  }
  return fd;
}

// `mode`, if set, is the mode of the file to be replaced.
absl::Status ReplaceFile(const std::string& path, std::optional<mode_t> mode,
                         absl::string_view contents) {
  std::string beside;
  Descriptor file(CreateBeside(path, &beside));
  if (file.get() < 0) {
    return ErrnoStatus(errno, path, "create a file beside it");
  }
  absl::Status status = WriteAll(file.get(), path, contents);
  if (status.ok() && mode && fchmod(file.get(), *mode) != 0) {
    status = ErrnoStatus(errno, path, "set its mode");
  }
  if (status.ok() && fsync(file.get()) != 0) {
    status = ErrnoStatus(errno, path, "sync");
  }
  if (close(file.release()) != 0 && status.ok()) {
    status = ErrnoStatus(errno, path, "close");
  }
  if (status.ok() && rename(beside.c_str(), path.c_str()) != 0) {
    status = ErrnoStatus(errno, path, "replace");
  }
  if (!status.ok()) unlink(beside.c_str());
  return status;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes) {
  if (path == "-") return ReadAll(STDIN_FILENO, "<stdin>", 1 << 16, max_bytes);
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrnoStatus(errno, path, "open");
  struct stat info;
  if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, path, "stat");
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a file, got a directory"));
  }
  if (S_ISREG(info.st_mode) && static_cast<size_t>(info.st_size) > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": too large: ", info.st_size, " bytes, at most ",
                     max_bytes, " are read"));
  }
  return ReadAll(file.get(), path, static_cast<size_t>(info.st_size),
                 max_bytes);
}

absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view contents) {
  if (path == "-") return WriteAll(STDOUT_FILENO, "<stdout>", contents);
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return ErrnoStatus(errno, path, "stat");
    return ReplaceFile(path, std::nullopt, contents);
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a file, got a directory"));
  }
  if (S_ISREG(info.st_mode)) {
    return ReplaceFile(ResolveLink(path), info.st_mode & 07777, contents);
  }
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrnoStatus(errno, path, "open");
  return WriteAll(file.get(), path, contents);
}

absl::Status InFile(absl::string_view file, const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status result(status.code(),
                      absl::StrCat(file, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    result.SetPayload(url, payload);
  });
  return result;
}

std::string DisplayName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

}  // namespace octopipe
