#include "model/checkpoint/sha256.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// Examples of FIPS 180-4.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(""), kEmpty);
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameHash) {
  Sha256 hash;
  hash.update("ab");
  hash.update("");
  hash.update(std::as_bytes(std::span("c", 1)));
  EXPECT_EQ(hash.hex(), sha256("abc"));
}

TEST(Sha256, FilesOfAllSizesAroundTheReadSize) {
  const mesita::testing::TemporaryDirectory folder;
  for (const size_t size : {0UL, 1UL, (1UL << 20) - 1, 1UL << 20, (1UL << 20) + 1, 3UL << 20}) {
    const std::string content(size, 'x');
    mesita::testing::write_file(folder / "file", content);
    EXPECT_EQ(sha256(ReadableFile(folder / "file")), sha256(content)) << size;
  }
}

}  // namespace
}  // namespace mesita::checkpoint
