#include "tokenizer/corpus/story_reader.h"

#include <algorithm>
#include <utility>

#include "tokenizer/utf8.h"

namespace mesita::corpus {
namespace {

std::string_view trimmed_line(std::string_view line) {
  constexpr std::string_view kLineBlanks = " \t\r\n";
  const size_t begin = line.find_first_not_of(kLineBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kLineBlanks) - begin + 1);
}

}  // namespace

StoryReader::StoryReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
    : source_(std::move(source)),
      tally_(source_->file(), options),
      lines_(*source_, std::max(options.largest, kStoryMarker.size())) {}

bool StoryReader::next(Document& document) {
  while (!ended_) {
    if (read_document(document) && accept(document)) return true;
    if (ended_ && !source_->damage().empty()) {
      tally_.add_truncated(lines_.number(), source_->damage());
    }
  }
  return false;
}

// Reads up to a marker or the end of the file; false when no text stood there.
bool StoryReader::read_document(Document& document) {
  document = {};
  document.record = records_;
  text_end_ = 0;
  too_large_ = false;
  while (true) {
    const LineReader::Result result = lines_.next();
    if (result == LineReader::Result::end) {
      ended_ = true;
      // What follows the last marker is not a document unless it has text.
      if (!source_->damage().empty() || (text_end_ == 0 && !too_large_)) return false;
    }
    if (result == LineReader::Result::end || trimmed_line(lines_.text()) == kStoryMarker) {
      ++records_;
      document.text.resize(text_end_);
      if (too_large_) return false;
      if (text_end_ == 0) tally_.add_empty();
      return text_end_ > 0;
    }
    if (too_large_) continue;
    if (result == LineReader::Result::too_long || !add_line(document)) {
      too_large_ = true;
      const uint64_t line = text_end_ > 0 ? document.line : lines_.number();
      document.text.clear();
      text_end_ = 0;
      tally_.add_malformed(line, tally_.too_large());
    }
  }
}

// False when the document becomes too large.
bool StoryReader::add_line(Document& document) {
  const std::string& line = lines_.text();
  const bool blank = trimmed_line(line).empty();
  if (blank && text_end_ == 0) return true;
  if (text_end_ == 0) document.line = lines_.number();
  if (document.text.size() + line.size() > tally_.largest()) return false;
  document.text += line;
  if (!blank) text_end_ = document.text.size();
  if (lines_.closed()) document.text += '\n';
  return true;
}

// False when the document is to be skipped.
bool StoryReader::accept(Document& document) {
  const size_t bad = tokenizer::find_invalid_utf8(document.text);
  if (bad == std::string_view::npos) {
    tally_.add_document(document);
    return true;
  }
  const std::string_view before = std::string_view(document.text).substr(0, bad);
  const auto lines = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  tally_.add_malformed(
      document.line + lines,
      "not valid UTF-8 at byte " + std::to_string(bad - line_begin + 1) + " of this line");
  return false;
}

}  // namespace mesita::corpus
