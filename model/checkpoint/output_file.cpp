#include "model/checkpoint/output_file.h"

#include <fcntl.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace mesita::checkpoint {

namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw std::runtime_error(path.string() +
                           " cannot be written: " + std::generic_category().message(error) +
                           ": free some space or choose another place");
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path),
      file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (!file_.is_open()) fail_to_write(path_, errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  hash_.update(bytes);
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_write(path_, written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

Part OutputFile::finish() {
  if (::fsync(file_.get()) != 0) fail_to_write(path_, errno);
  // Some file systems report a failed write only here.
  if (::close(file_.release()) != 0 && errno != EINTR) fail_to_write(path_, errno);
  return {bytes_, hash_.hex()};
}

void make_durable(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.get()) != 0) {
    throw std::runtime_error(path.string() +
                             " cannot be made durable: " + std::generic_category().message(errno));
  }
}

}  // namespace mesita::checkpoint
