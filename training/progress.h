#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace mesita::training {

/// Where a run stands.
struct Progress {
  int64_t step = 0;
  double fraction = 0.0;  // of the run, 0 .. 1
  double loss = 0.0;
  double tokens_per_second = 0.0;
  double seconds = 0.0;  // since the beginning
};

/// "step 10  loss 1.234  12.3k tokens/s".
std::string to_text(const Progress& progress);

/// "[####----]  50%  NUMBERS  0:42 left", at most `columns` wide; `seconds` since the beginning.
std::string progress_line(double fraction, std::string_view numbers, double seconds, int columns);

/// Writes progress and messages to a stream: on a terminal one line that is drawn again and again
/// below the messages, elsewhere only messages and a plain progress line now and then.
class ProgressReporter {
 public:
  enum class Style { terminal, plain, silent };
  /// Terminal if the stream is one, else plain.
  static Style style_of(std::FILE* stream);

  ProgressReporter(std::FILE* stream, Style style) : stream_(stream), style_(style) {}
  ~ProgressReporter() { clear(); }

  /// `seconds` decide when a plain line is due.
  void show(double fraction, std::string_view numbers, double seconds);
  void progress(const Progress& progress) {
    show(progress.fraction, to_text(progress), progress.seconds);
  }
  void message(std::string_view text);

 private:
  void clear();

  std::FILE* stream_;
  Style style_;
  bool drawn_ = false;
  double next_plain_ = 0.0;
};

}  // namespace mesita::training
