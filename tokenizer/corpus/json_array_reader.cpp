#include "tokenizer/corpus/json_array_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tokenizer/corpus/blank_lines.h"
#include "tokenizer/corpus/read_buffer.h"

namespace mesita::corpus {
namespace {

constexpr std::string_view kJsonBlanks = " \t\r\n";

}  // namespace

JsonArrayReader::JsonArrayReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
    : source_(std::move(source)), tally_(source_->file(), options), parser_(options.largest) {}

bool JsonArrayReader::next(Document& document) {
  while (!ended_) {
    const Scan found = next_element();
    if (found == Scan::element && accept(document)) return true;
  }
  return false;
}

bool JsonArrayReader::accept(Document& document) {
  document.line = element_line_;
  document.record = records_++;
  switch (parser_.parse(element_, document)) {
    case JsonRecordParser::Result::document:
      document.text = without_blank_lines_around(document.text);
      tally_.add_document(document);
      return true;
    case JsonRecordParser::Result::empty:
      tally_.add_empty();
      return false;
    case JsonRecordParser::Result::no_json:
    case JsonRecordParser::Result::malformed:
      tally_.add_malformed(document.line, parser_.reason());
  }
  return false;
}

// Whether the buffer has a byte, after reading on where needed.
bool JsonArrayReader::available() {
  if (used_ < buffer_.size()) return true;
  used_ = 0;
  return refill(buffer_, *source_);
}

bool JsonArrayReader::skip_blanks() {
  for (; available(); ++used_) {
    if (kJsonBlanks.find(buffer_[used_]) == std::string_view::npos) return true;
    if (buffer_[used_] == '\n') ++line_;
  }
  return false;
}

JsonArrayReader::Scan JsonArrayReader::truncated() {
  ended_ = true;
  tally_.add_truncated(
      line_, source_->damage().empty() ? "the array has no closing ]" : source_->damage());
  return Scan::end;
}

JsonArrayReader::Scan JsonArrayReader::next_element() {
  while (true) {
    if (!skip_blanks()) {
      if (place_ != Place::behind_array || !source_->damage().empty()) return truncated();
      ended_ = true;
      return Scan::end;
    }
    const char next = buffer_[used_];
    switch (place_) {
      case Place::before_array:
        if (records_ == 0 && buffer_.compare(used_, kByteOrderMark.size(), kByteOrderMark) == 0)
          used_ += kByteOrderMark.size();
        if (!skip_blanks()) return truncated();
        if (buffer_[used_] != '[') {
          ended_ = true;
          tally_.add_malformed(line_, "expected a JSON array, which begins with [");
          return Scan::end;
        }
        ++used_;
        place_ = Place::first_element;
        break;
      case Place::behind_array:
        ended_ = true;
        tally_.add_malformed(line_, "there are bytes behind the array");
        return Scan::end;
      case Place::first_element:
      case Place::behind_element:
        if (next == ']') {
          ++used_;
          place_ = Place::behind_array;
          break;
        }
        if (place_ == Place::behind_element && next == ',') {
          ++used_;
          place_ = Place::element;
          break;
        }
        if (place_ == Place::first_element) return scan_value();
        place_ = Place::element;
        tally_.add_malformed(line_, "expected , or ] between elements of the array");
        break;
      case Place::element:
        if (next == ',' || next == ']') {
          place_ = Place::behind_element;
          tally_.add_malformed(line_, "an element of the array is missing");
          break;
        }
        return scan_value();
    }
  }
}

// Position behind what of the buffer from `begin` on belongs to the element.
size_t JsonArrayReader::value_end(size_t begin) {
  for (size_t i = begin; i < buffer_.size(); ++i) {
    const char c = buffer_[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
        complete_ = depth_ == 0;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (depth_ > 0 && (c == '}' || c == ']')) {
      complete_ = --depth_ == 0;
    } else if (depth_ == 0 && (c == ',' || c == ']' || kJsonBlanks.find(c) != kJsonBlanks.npos)) {
      complete_ = true;  // a number, null and the like end where something else begins
      return i;
    }
    if (complete_) return i + 1;
  }
  return buffer_.size();
}

JsonArrayReader::Scan JsonArrayReader::scan_value() {
  element_.clear();
  element_line_ = line_;
  depth_ = 0;
  in_string_ = escaped_ = complete_ = false;
  bool large = false;
  while (!complete_) {
    if (!available()) return truncated();
    const size_t begin = used_;
    used_ = value_end(begin);
    line_ += static_cast<uint64_t>(std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin),
                                              buffer_.begin() + static_cast<std::ptrdiff_t>(used_),
                                              '\n'));
    if (large) continue;
    element_.append(buffer_, begin, used_ - begin);
    if (element_.size() <= parser_.longest_record()) continue;
    large = true;
    ++records_;
    element_.clear();
    tally_.add_malformed(element_line_, tally_.too_large());
  }
  place_ = Place::behind_element;
  return large ? Scan::too_large : Scan::element;
}

}  // namespace mesita::corpus
