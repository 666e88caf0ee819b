#include "training/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace mesita::training {
namespace {

constexpr double kPlainInterval = 10.0;  // seconds between plain lines

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 1e9) + 0.5);
  char text[40];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  }
  return text;
}

int terminal_columns(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string to_text(const Progress& progress) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "step %lld  loss %.4f  %.3gk tokens/s",
                static_cast<long long>(progress.step), progress.loss,
                progress.tokens_per_second / 1000.0);
  return numbers;
}

std::string progress_line(double fraction, std::string_view numbers, double seconds, int columns) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  char percent[8];
  std::snprintf(percent, sizeof percent, "%3.0f%%  ", 100.0 * fraction);
  std::string line = percent + std::string(numbers);
  if (fraction > 0.0 && seconds > 0.0)
    line += "  " + duration(seconds * (1.0 - fraction) / fraction) + " left";
  const int room = columns - static_cast<int>(line.size()) - 4;
  if (room >= 8) {
    const size_t width = static_cast<size_t>(std::min(room, 30));
    const size_t filled = static_cast<size_t>(std::floor(fraction * static_cast<double>(width)));
    line = "[" + std::string(filled, '#') + std::string(width - filled, '-') + "] " + line;
  }
  return line.substr(0, static_cast<size_t>(std::max(columns - 1, 1)));
}

ProgressReporter::Style ProgressReporter::style_of(std::FILE* stream) {
  return isatty(fileno(stream)) == 1 ? Style::terminal : Style::plain;
}

void ProgressReporter::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stream_);
  drawn_ = false;
}

void ProgressReporter::show(double fraction, std::string_view numbers, double seconds) {
  if (style_ == Style::terminal) {
    clear();
    std::fputs(progress_line(fraction, numbers, seconds, terminal_columns(stream_)).c_str(),
               stream_);
    std::fflush(stream_);
    drawn_ = true;
  } else if (style_ == Style::plain && seconds >= next_plain_) {
    std::fprintf(stream_, "%s\n", progress_line(fraction, numbers, seconds, 100).c_str());
    std::fflush(stream_);
    next_plain_ = seconds + kPlainInterval;
  }
}

void ProgressReporter::message(std::string_view text) {
  if (style_ == Style::silent) return;
  clear();
  std::fprintf(stream_, "%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(stream_);
}

}  // namespace mesita::training
