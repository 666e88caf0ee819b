#include "server/evaluation/progress_line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace mesita::evaluation {
namespace {

class ProgressLineTest : public ::testing::Test {
 protected:
  void pass(double seconds) {
    now_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
  }
  std::string shown() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }

  std::chrono::steady_clock::time_point now_;
  std::ostringstream out_;
  std::optional<ProgressLine> line_{std::in_place, out_, "m", [this] { return now_; }};
};

TEST_F(ProgressLineTest, TimeLeft) {
  line_->show(0.0);
  EXPECT_EQ(shown(), "\r\033[Km  0 %");
  pass(10);
  line_->show(0.25);
  EXPECT_EQ(shown(), "\r\033[Km  25 %  30 s left");
  pass(90);
  line_->show(0.5);
  EXPECT_EQ(shown(), "\r\033[Km  50 %  1 min 40 s left");
  pass(3500);
  line_->show(0.5);
  EXPECT_EQ(shown(), "\r\033[Km  50 %  1 h 0 min left");
  line_.reset();
  EXPECT_EQ(shown(), "\r\033[K");
}

TEST_F(ProgressLineTest, AtMostTenTimesASecond) {
  line_->show(0.1);
  EXPECT_NE(shown(), "");
  pass(0.09);
  line_->show(0.2);
  EXPECT_EQ(shown(), "");
  pass(0.02);
  line_->show(0.3);
  EXPECT_NE(shown(), "");
}

}  // namespace
}  // namespace mesita::evaluation
