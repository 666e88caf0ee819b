#include "tokenizer/corpus/story_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "tokenizer/utf8.h"

namespace mesita::corpus {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

StoryReader::StoryReader(const std::filesystem::path& file, InvalidText invalid, size_t largest)
    : file_(file), invalid_(invalid), largest_(largest) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw std::runtime_error(file.string() + ": is a folder, expected a text file");
  }
  stream_.open(file, std::ios::binary);
  if (!stream_) {
    throw std::runtime_error(file.string() + ": cannot be opened: " + std::strerror(errno));
  }
}

bool StoryReader::next(Document& document) {
  while (!ended_) {
    if (read_document(document) && accept(document)) return true;
  }
  return false;
}

// Appends to line_ up to and without the next LF; false when the file ended before one. Lines are
// not read by std::getline, which would take an endless line into memory.
bool StoryReader::read_to_newline() {
  while (true) {
    if (used_ == buffer_.size()) {
      constexpr size_t kBufferBytes = 65536;
      buffer_.resize(kBufferBytes);
      stream_.read(buffer_.data(), kBufferBytes);
      if (stream_.bad()) {
        throw std::runtime_error(file_.string() + ": cannot be read, line " +
                                 std::to_string(line_number_ + 1));
      }
      buffer_.resize(static_cast<size_t>(stream_.gcount()));
      used_ = 0;
      if (buffer_.empty()) return false;
    }
    const size_t newline = buffer_.find('\n', used_);
    const size_t end = std::min(newline, buffer_.size());
    line_.append(buffer_, used_, end - used_);
    if (line_.size() > largest_) fail_too_large(line_number_ + 1);
    used_ = end;
    if (newline != std::string::npos) {
      ++used_;
      return true;
    }
  }
}

void StoryReader::fail_too_large(uint64_t line) const {
  throw std::runtime_error(file_.string() + ":" + std::to_string(line) +
                           ": the document has more than " + std::to_string(largest_) + " bytes");
}

StoryReader::Line StoryReader::read_line() {
  line_.clear();
  const bool ends_in_newline = read_to_newline();
  if (line_.empty() && !ends_in_newline) return Line::end;
  ++line_number_;
  line_offset_ = next_offset_;
  next_offset_ += line_.size() + (ends_in_newline ? 1 : 0);
  if (line_number_ == 1 && line_.starts_with(kByteOrderMark)) {
    line_.erase(0, kByteOrderMark.size());
    line_offset_ += kByteOrderMark.size();
  }
  if (ends_in_newline) {
    if (line_.ends_with('\r')) line_.pop_back();
    line_ += '\n';
  }
  return trimmed(line_) == kStoryMarker ? Line::marker : Line::text;
}

// Reads up to a marker or the end of the file; false when no text stood there.
bool StoryReader::read_document(Document& document) {
  document = {};
  size_t text_end = 0;  // behind the last line that is not blank
  while (true) {
    const Line kind = read_line();
    if (kind == Line::end) ended_ = true;
    if (kind != Line::text) {
      document.text.resize(text_end);
      // What follows the last marker is not a document unless it has text.
      if (text_end == 0 && kind == Line::marker) ++counts_.empty;
      return text_end > 0;
    }
    const bool blank = trimmed(line_).empty();
    if (blank && document.text.empty()) continue;
    if (document.text.empty()) {
      document.offset = line_offset_;
      document.line = line_number_;
    }
    if (document.text.size() + line_.size() > largest_) fail_too_large(document.line);
    document.text += line_;
    if (!blank) text_end = document.text.size() - (line_.ends_with('\n') ? 1 : 0);
  }
}

// False when the document is to be skipped.
bool StoryReader::accept(Document& document) {
  const size_t bad = tokenizer::find_invalid_utf8(document.text);
  if (bad == std::string_view::npos) {
    ++counts_.documents;
    counts_.bytes += static_cast<int64_t>(document.text.size());
    return true;
  }
  if (invalid_ == InvalidText::skip) {
    ++counts_.invalid;
    return false;
  }
  const std::string_view before = std::string_view(document.text).substr(0, bad);
  const auto lines = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  throw std::runtime_error(file_.string() + ":" + std::to_string(document.line + lines) +
                           ": not valid UTF-8 at byte " + std::to_string(bad - line_begin + 1) +
                           " of this line");
}

}  // namespace mesita::corpus
