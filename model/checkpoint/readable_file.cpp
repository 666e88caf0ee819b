#include "model/checkpoint/readable_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace mesita::checkpoint {

namespace {

FileDescriptor open_for_reading(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that somebody put there must not wait for a writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    throw std::runtime_error(path.string() +
                             " cannot be read: " + std::generic_category().message(errno));
  }
  return file;
}

}  // namespace

ReadableFile::ReadableFile(const std::filesystem::path& path)
    : ReadableFile(open_for_reading(path), path.string()) {}

ReadableFile::ReadableFile(FileDescriptor file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) {
    throw std::runtime_error(name_ + " cannot be read: " + std::generic_category().message(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw std::runtime_error(name_ + " is not a regular file: put the file itself there");
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

void ReadableFile::read(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw std::runtime_error(name_ +
                               " cannot be read: " + std::generic_category().message(errno));
    }
    if (got == 0) {
      throw std::runtime_error(name_ + " ends at byte " + std::to_string(offset) + ", where " +
                               std::to_string(bytes.size()) +
                               " more bytes are expected: it is cut off, copy it again");
    }
    offset += static_cast<uint64_t>(got);
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
}

std::string ReadableFile::read_all(uint64_t most) const {
  if (size_ > most) {
    throw std::runtime_error(name_ + " has " + std::to_string(size_) + " bytes, and at most " +
                             std::to_string(most) + " make sense: it is not what its name says");
  }
  std::string content(static_cast<size_t>(size_), '\0');
  read(0, std::as_writable_bytes(std::span(content)));
  return content;
}

}  // namespace mesita::checkpoint
