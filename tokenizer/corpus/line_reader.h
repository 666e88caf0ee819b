#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tokenizer/corpus/byte_source.h"

namespace mesita::corpus {

/// The lines of a source. A byte order mark at the very beginning is dropped.
class LineReader {
 public:
  /// Lines of more than `longest` bytes are not held. The source outlives the reader.
  LineReader(ByteSource& source, size_t longest);

  enum class Result { line, too_long, end };
  /// The next line; `too_long` comes as soon as the limit is passed, with nothing in text(), and
  /// the rest of that line is passed over by the next call. What follows the last LF is a line
  /// when it is not empty.
  Result next();

  /// Without its LF or CRLF. May be taken or changed.
  std::string& text() { return text_; }
  /// Of the present line, counted from 1; behind the end, of the last line.
  uint64_t number() const { return number_; }
  /// Whether the present line ends in LF, not at the end of the file.
  bool closed() const { return closed_; }

 private:
  bool read_on();
  bool pass_rest();

  ByteSource& source_;
  size_t longest_;
  std::string buffer_;
  size_t used_ = 0;  // of buffer_
  std::string text_;
  uint64_t number_ = 0;
  bool closed_ = true;
  bool passing_ = false;  // inside of a line that is too long
};

}  // namespace mesita::corpus
