#include "tokenizer/corpus/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mesita::corpus {
namespace {

bool is_unfetched_annex_link(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(file, ignored)) return false;
  const std::string target = std::filesystem::read_symlink(file, ignored).string();
  return target.find("annex/objects/") != std::string::npos;
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& file) : file_(file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw std::runtime_error(file.string() + ": is a folder, expected a file with documents");
  }
  stream_.open(file, std::ios::binary);
  if (!stream_) {
    const std::string why = std::strerror(errno);
    if (is_unfetched_annex_link(file)) {
      throw std::runtime_error(file.string() + ": is a git-annex link without its content; fetch " +
                               "it with `git annex get`");
    }
    throw std::runtime_error(file.string() + ": cannot be opened: " + why);
  }
  constexpr size_t kHeadBytes = 8;
  head_.resize(kHeadBytes);
  head_.resize(read_stream(head_.data(), kHeadBytes));
}

size_t FileBytes::read(char* to, size_t most) {
  const size_t from_head = std::min(most, head_.size() - head_used_);
  std::copy_n(head_.data() + head_used_, from_head, to);
  head_used_ += from_head;
  const size_t count = from_head + read_stream(to + from_head, most - from_head);
  bytes_read_ += count;
  return count;
}

size_t FileBytes::read_stream(char* to, size_t most) {
  if (most == 0 || stream_.eof()) return 0;
  stream_.read(to, static_cast<std::streamsize>(most));
  if (stream_.bad()) {
    throw std::runtime_error(file_.string() + ": cannot be read behind byte " +
                             std::to_string(bytes_read_));
  }
  return static_cast<size_t>(stream_.gcount());
}

}  // namespace mesita::corpus
