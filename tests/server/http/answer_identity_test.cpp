#include "server/http/answer_identity.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

TEST(AnswerIdentity, SeedsAreFreshAndSurviveAnyJsonReader) {
  std::set<int64_t> seeds;
  for (int i = 0; i < 1000; ++i) {
    const int64_t seed = fresh_seed();
    EXPECT_GE(seed, 0);
    EXPECT_LT(seed, int64_t{1} << 53);
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 1000u);
}

TEST(AnswerIdentity, TheFingerprintNamesBuildAndCheckpoint) {
  const ModelEntry& story = *testing::served_registry().find("story");
  const ModelEntry& other = *testing::served_registry().find("sub/other");
  EXPECT_EQ(fingerprint(story), fingerprint(story));
  EXPECT_NE(fingerprint(story), fingerprint(other));
  EXPECT_NE(fingerprint(story).find(story.model().hash.substr(0, 8)), std::string::npos);
}

TEST(AnswerIdentity, HeadersSayWhoAndWhen) {
  const ModelEntry& story = *testing::served_registry().find("story");
  const CompletionHeader header = completion_header(story, 9);
  EXPECT_TRUE(header.id.starts_with("cmpl-"));
  EXPECT_EQ(header.model, "story");
  EXPECT_EQ(header.seed, 9);
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  EXPECT_NEAR(static_cast<double>(header.created), static_cast<double>(now.count()), 60.0);
}

}  // namespace
}  // namespace mesita::http
