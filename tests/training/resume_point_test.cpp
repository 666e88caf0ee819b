#include "training/resume_point.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

ResumePoint example() {
  ResumePoint point{.step = 1234567890123,
                    .tokens = 7,
                    .seconds = 0.1 + 0.2,
                    .skipped = 3,
                    .evaluated_at = 250,
                    .sampled_at = 5,
                    .last = {},
                    .best = {},
                    .cursor = "1:2:3",
                    .metrics_bytes = 1 << 20,
                    .config = "{\"a\": \"\xC3\xA9\"}\n",
                    .data = "hash",
                    .machine = "one"};
  point.last.loss = 1.0 / 3.0;
  point.best.loss = 0.25;
  point.best.bits_per_byte = 2.0 / 3.0;
  return point;
}

TEST(ResumePoint, SurvivesAsNotesExactly) {
  const ResumePoint point = resume_point(to_notes(example()));
  EXPECT_EQ(point.step, 1234567890123);
  EXPECT_EQ(point.seconds, 0.1 + 0.2);
  EXPECT_EQ(point.skipped, 3);
  EXPECT_EQ(point.sampled_at, 5);
  EXPECT_EQ(point.last.loss, 1.0 / 3.0);
  EXPECT_FALSE(point.last.bits_per_byte);
  EXPECT_EQ(point.best.bits_per_byte, 2.0 / 3.0);
  EXPECT_EQ(point.cursor, "1:2:3");
  EXPECT_EQ(point.config, example().config);
  EXPECT_EQ(to_notes(point), to_notes(example()));
}

TEST(ResumePoint, RefusesForeignNotes) {
  EXPECT_THROW(resume_point({}), std::runtime_error);
  EXPECT_THROW(resume_point({{"run", "{"}}), std::runtime_error);
  EXPECT_THROW(resume_point({{"run", R"({"step": "1"})"}}), std::runtime_error);
}

TEST(ResumePoint, TellsWhatDiffers) {
  EXPECT_EQ(differences(example(), example()), "");
  ResumePoint other = example();
  other.step = 1;  // where it stands is not a difference
  EXPECT_EQ(differences(example(), other), "");
  other.machine = "two";
  EXPECT_NE(differences(example(), other).find("'one' and is 'two'"), std::string::npos);
  other = example();
  other.data = other.config = "";
  const std::string text = differences(example(), other);
  EXPECT_NE(text.find("config.json"), std::string::npos);
  EXPECT_NE(text.find("data"), std::string::npos);
}

}  // namespace
}  // namespace mesita::training
