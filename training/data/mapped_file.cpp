#include "training/data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "model/checkpoint/file_descriptor.h"

namespace mesita::training {
namespace {

[[noreturn]] void fail_to_map(const std::filesystem::path& path, const std::string& reason) {
  throw std::runtime_error(path.string() + ": " + reason);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  const checkpoint::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0)
    fail_to_map(path, "cannot be opened: " + std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) fail_to_map(path, "is no regular file");
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED)
    fail_to_map(path, "cannot be mapped: " + std::generic_category().message(errno));
  bytes_ = {static_cast<const std::byte*>(data), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace mesita::training
