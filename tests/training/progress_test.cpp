#include "training/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace mesita::training {
namespace {

std::string line_of(const Progress& progress, int columns) {
  return progress_line(progress.fraction, to_text(progress), progress.seconds, columns);
}

const Progress kHalf{
    .step = 10, .fraction = 0.5, .loss = 1.25, .tokens_per_second = 12300.0, .seconds = 42.0};

// What a reporter writes.
class Written {
 public:
  Written() : stream_(open_memstream(&text_, &size_)) {}
  ~Written() {
    std::fclose(stream_);
    std::free(text_);
  }
  std::FILE* stream() { return stream_; }
  std::string text() {
    std::fflush(stream_);
    return std::string(text_, size_);
  }

 private:
  char* text_ = nullptr;
  size_t size_ = 0;
  std::FILE* stream_;
};

TEST(ProgressLine, ShowsRateLossAndTimeLeft) {
  const std::string line = line_of(kHalf, 100);
  EXPECT_EQ(line,
            "[###############---------------]  50%  step 10  loss 1.2500  12.3k tokens/s  "
            "0:42 left");
}

TEST(ProgressLine, NeverFillsTheTerminal) {
  for (int columns = 0; columns < 120; ++columns)
    EXPECT_LE(line_of(kHalf, columns).size(), static_cast<size_t>(std::max(columns - 1, 1)));
}

TEST(ProgressLine, LongTimesAndEdges) {
  Progress progress = kHalf;
  progress.fraction = 0.01;
  EXPECT_NE(line_of(progress, 120).find("1:09:18 left"), std::string::npos);
  progress.fraction = 0.0;
  EXPECT_EQ(line_of(progress, 120).find("left"), std::string::npos);
  progress.fraction = 7.0;
  EXPECT_NE(line_of(progress, 120).find("100%"), std::string::npos);
}

TEST(ProgressReporter, PlainLinesAreRare) {
  Written written;
  ProgressReporter reporter(written.stream(), ProgressReporter::Style::plain);
  Progress progress = kHalf;
  for (int i = 0; i < 100; ++i) {
    progress.seconds = 0.25 * i;
    reporter.progress(progress);
  }
  const std::string text = written.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ProgressReporter, TerminalsKeepOneLineBelowTheMessages) {
  Written written;
  {
    ProgressReporter reporter(written.stream(), ProgressReporter::Style::terminal);
    reporter.progress(kHalf);
    reporter.message("hello");
    reporter.progress(kHalf);
  }
  const std::string text = written.text();
  EXPECT_NE(text.find("\r\x1b[Khello\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << "the line is left behind";
}

TEST(ProgressReporter, SilenceIsSilent) {
  Written written;
  ProgressReporter reporter(written.stream(), ProgressReporter::Style::silent);
  reporter.progress(kHalf);
  reporter.message("hello");
  EXPECT_EQ(written.text(), "");
}

TEST(ProgressReporter, AFileIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(ProgressReporter::style_of(file), ProgressReporter::Style::plain);
  std::fclose(file);
}

}  // namespace
}  // namespace mesita::training
