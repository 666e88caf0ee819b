#include "tokenizer/corpus/line_reader.h"

#include <algorithm>

#include "tokenizer/corpus/read_buffer.h"

namespace mesita::corpus {

LineReader::LineReader(ByteSource& source, size_t longest) : source_(source), longest_(longest) {}

bool LineReader::read_on() {
  used_ = 0;
  return refill(buffer_, source_);
}

bool LineReader::pass_rest() {
  passing_ = false;
  while (true) {
    const size_t newline = buffer_.find('\n', used_);
    if (newline != std::string::npos) {
      used_ = newline + 1;
      return true;
    }
    if (!read_on()) return false;
  }
}

LineReader::Result LineReader::next() {
  text_.clear();
  if (passing_ && !pass_rest()) return Result::end;
  closed_ = false;
  bool any = false;
  while (!closed_) {
    if (used_ == buffer_.size() && !read_on()) break;
    if (!any) ++number_;
    any = true;
    const size_t newline = buffer_.find('\n', used_);
    const size_t end = std::min(newline, buffer_.size());
    if (text_.size() + (end - used_) > longest_) {
      text_.clear();
      passing_ = true;
      return Result::too_long;
    }
    text_.append(buffer_, used_, end - used_);
    closed_ = newline != std::string::npos;
    used_ = end + (closed_ ? 1 : 0);
  }
  if (!any) return Result::end;
  if (closed_ && text_.ends_with('\r')) text_.pop_back();
  if (number_ == 1 && text_.starts_with(kByteOrderMark)) {
    text_.erase(0, kByteOrderMark.size());
    if (text_.empty() && !closed_) return Result::end;
  }
  return Result::line;
}

}  // namespace mesita::corpus
