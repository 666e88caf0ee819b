#include "model/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::read_file;
using mesita::testing::TemporaryDirectory;
using mesita::testing::write_file;

std::string with_length(const std::string& header, const std::string& data) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

class Safetensors : public ::testing::Test {
 protected:
  // Reads header and all values of a file with this content.
  SafetensorsHeader read(const std::string& content) {
    write_file(folder_ / "t", content);
    const ReadableFile file(folder_ / "t");
    SafetensorsHeader header = read_safetensors_header(file);
    values_.clear();
    for (const TensorEntry& entry : header.tensors) {
      values_[entry.name] = read_tensor(file, header, entry);
    }
    return header;
  }
  std::string message(const std::string& header, size_t data_bytes) {
    return message_of<std::runtime_error>(
        [&] { read(with_length(header, std::string(data_bytes, 'd'))); });
  }
  std::string write(const std::vector<TensorToWrite>& tensors,
                    const std::map<std::string, std::string>& metadata = {}) {
    std::filesystem::remove(folder_ / "w");
    OutputFile file(folder_ / "w");
    write_safetensors(file, tensors, metadata);
    file.finish();
    return read_file(folder_ / "w");
  }

  TemporaryDirectory folder_;
  std::map<std::string, std::vector<float>> values_;
};

// The bytes of the format's own example layout, written by hand.
TEST_F(Safetensors, ReadsAFileMadeByHand) {
  const float values[] = {1.5F, -2.0F};
  const std::string header =
      R"({"b":{"dtype":"BF16","shape":[1,3],"data_offsets":[8,14]},)"
      R"("__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   )";
  const std::string data = std::string(reinterpret_cast<const char*>(values), 8) +
                           std::string("\x80\x3f\x00\xc0\x00\x00", 6);
  const SafetensorsHeader found = read(with_length(header, data));
  ASSERT_EQ(found.tensors.size(), 2U);
  EXPECT_EQ(found.tensors[0].name, "a");
  EXPECT_EQ(found.tensors[1].type, TensorType::bfloat16);
  EXPECT_EQ(found.tensors[1].shape, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(values_["a"], (std::vector<float>{1.5F, -2.0F}));
  EXPECT_EQ(values_["b"], (std::vector<float>{1.0F, -2.0F, 0.0F}));
}

TEST_F(Safetensors, WritesExactlyTheseBytes) {
  const std::vector<float> a = {1.0F, 2.0F};
  const std::vector<float> b = {1.0F};
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("a":{"dtype":"BF16","shape":[2,1],"data_offsets":[4,8]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(write({{"a", TensorType::bfloat16, {2, 1}, a}, {"b", TensorType::float32, {1}, b}},
                  {{"format", "pt"}}),
            with_length(padded, std::string("\0\0\x80\x3f\x80\x3f\x00\x40", 8)));
}

TEST_F(Safetensors, RoundTrip) {
  std::vector<float> a(600'001);
  for (size_t i = 0; i < a.size(); ++i) a[i] = 1.0F / (1.0F + static_cast<float>(i));
  const std::vector<float> scalar = {std::numeric_limits<float>::denorm_min()};
  const std::string name = "n\xc3\xa4me \"quoted\" \n";
  const std::string content = write({{name, TensorType::float32, {600'001}, a},
                                     {"rounded", TensorType::bfloat16, {1, 600'001}, a},
                                     {"scalar", TensorType::float32, {}, scalar}},
                                    {{"k", "\xc3\xa4"}});
  const SafetensorsHeader header = read(content);
  EXPECT_EQ(header.data_begin % 8, 0U);
  EXPECT_EQ(values_[name], a);
  EXPECT_EQ(values_["scalar"], scalar);
  ASSERT_EQ(values_["rounded"].size(), a.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(values_["rounded"][i] / a[i], 1.0F, 0x1p-8F);
  EXPECT_EQ(header.tensors.back().name, "rounded");  // float32 first, otherwise in order
  EXPECT_EQ(header.tensors[1].name, "scalar");
}

TEST_F(Safetensors, NoTensors) {
  EXPECT_TRUE(read(write({})).tensors.empty());
}

TEST_F(Safetensors, WriterRefusesWhatTheReaderWould) {
  const std::vector<float> two = {1, 2};
  const auto refused = [&](const std::vector<TensorToWrite>& tensors) {
    EXPECT_THROW(write(tensors), std::invalid_argument);
  };
  refused({{"a", TensorType::float32, {3}, two}});
  refused({{"a", TensorType::float32, {-1, -2}, two}});
  refused({{"a", TensorType::float32, {0}, {}}});
  refused({{"", TensorType::float32, {2}, two}});
  refused({{"__metadata__", TensorType::float32, {2}, two}});
  refused({{std::string(257, 'a'), TensorType::float32, {2}, two}});
  refused({{"\xff", TensorType::float32, {2}, two}});
  refused({{"a", TensorType::float32, {2}, two}, {"a", TensorType::float32, {2}, two}});
  refused({{"a", TensorType::float32, {1, 1, 1, 1, 1, 1, 1, 1, 2}, two}});
  EXPECT_THROW(write({}, {{"k", "\xff"}}), std::invalid_argument);
  EXPECT_THROW(write({}, {{"k", std::string(5 << 20, 'x')}}), std::invalid_argument);
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

TEST_F(Safetensors, TooShortOrLyingLengths) {
  for (size_t length = 0; length < 8; ++length) {
    EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { read(std::string(length, '\0')); }),
                         "too few"));
  }
  for (const uint64_t length :
       {uint64_t{1}, uint64_t{5} << 20, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 7}) {
    const std::string content(reinterpret_cast<const char*>(&length), 8);
    EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { read(content); }), "header"));
  }
  EXPECT_TRUE(contains(message("", 0), "does not begin"));
  // More than the limit, and really there.
  EXPECT_TRUE(contains(message("{" + std::string(4 << 20, ' ') + "}", 0), "header has"));
}

TEST_F(Safetensors, HeadersThatAreRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {" {}", "does not begin"},
      {"[]", "does not begin"},
      {"{", "not valid JSON"},
      {"{}x", "not valid JSON"},
      {"{\"\xff\":1}", "not valid JSON"},
      {R"({"a":1})", "JSON object"},
      {R"({"__metadata__":{"k":1}})", "string"},
      {R"({"__metadata__":[]})", "JSON object"},
      {R"({"__metadata__":{"k":"a","k":"b"}})", "twice"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", "data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", "unknown key"},
      {R"({"a":{"dtype":"F32","dtype":"BF16","shape":[2],"data_offsets":[0,8]}})", "twice"},
      {one("\"F16\"", "[2]", "[0,8]"), "only F32 and BF16"},
      {one("1", "[2]", "[0,8]"), "string"},
      {one("\"F32\"", "2", "[0,8]"), "list"},
      {one("\"F32\"", "[2.0]", "[0,8]"), "list"},
      {one("\"F32\"", "[-2]", "[0,8]"), "list"},
      {one("\"F32\"", "[\"2\"]", "[0,8]"), "list"},
      {one("\"F32\"", "[1e0]", "[0,8]"), "list"},
      {one("\"F32\"", "[18446744073709551616]", "[0,8]"), "list"},
      {one("\"F32\"", "[0]", "[0,0]"), "extent 0"},
      {one("\"F32\"", "[2,0]", "[0,8]"), "extent 0"},
      {one("\"F32\"", "[0,2]", "[0,8]"), "extent 0"},
      // 2^62 + 2 floats, and 2^32 x 2^32: the products in 64 bits are 8 and 0.
      {one("\"F32\"", "[4611686018427387906]", "[0,8]"), "does not fit"},
      {one("\"F32\"", "[4294967296,4294967296]", "[0,8]"), "does not fit"},
      {one("\"F32\"", "[4294967296,2147483648]", "[0,8]"), "does not fit"},
      {one("\"F32\"", "[18446744073709551615]", "[0,8]"), "does not fit"},
      {one("\"F32\"", "[3]", "[0,12]"), "does not fit"},
      {one("\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "rank 9"},
      {one("\"F32\"", "[1]", "[0,8]"), "data_offsets"},
      {one("\"BF16\"", "[2]", "[0,8]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[0,16]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[8,0]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[0]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[0,8,8]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[-8,0]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[18446744073709551608,0]"), "data_offsets"},
      {one("\"F32\"", "[2]", "[4,12]"), "data_offsets"},
      {one("\"F32\"", "[1]", "[0,4]"), "belong to no tensor"},
      {one("\"F32\"", "[1]", "[4,8]"), "byte 0 is next"},
      {"{}", "belong to no tensor"},
      {R"({"":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "0 bytes"},
      {R"({")" + std::string(257, 'n') + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "257 bytes"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
       R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "twice"},
      // Overlap, whole and in part.
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
       R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "is next"},
      {R"({"a":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]},)"
       R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]}})",
       "is next"},
      // A hole.
      {R"({"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},)"
       R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]}})",
       "is next"},
      {R"({"a":)" + std::string(100, '[') + "}", "deeply"},
  };
  for (const auto& [header, part] : cases) {
    const std::string found = message(header, 8);
    EXPECT_TRUE(contains(found, part)) << header.substr(0, 200) << "\n" << found;
  }
}

// The public demonstration of readers that disagree: the last of two equal names wins in some.
TEST_F(Safetensors, DuplicateNamesInEscapedSpelling) {
  EXPECT_TRUE(contains(message(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                               R"("\u0061":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                               8),
                       "twice"));
}

TEST_F(Safetensors, EveryTruncationAndAppendedByteIsRefused) {
  const std::vector<float> a = {1, 2, 3};
  const std::string content = write({{"a", TensorType::float32, {3}, a}});
  for (size_t length = 0; length < content.size(); ++length) {
    EXPECT_THROW(read(content.substr(0, length)), std::runtime_error) << length;
  }
  EXPECT_THROW(read(content + '\0'), std::runtime_error);
}

// No flip may crash or read outside the file; most are noticed, those in names and values cannot
// be.
TEST_F(Safetensors, EveryBitFlipIsReadOrRefused) {
  const std::vector<float> a = {1, 2, 3};
  const std::string content = write(
      {{"a", TensorType::float32, {3}, a}, {"b", TensorType::bfloat16, {3, 1}, a}}, {{"k", "v"}});
  int read_whole = 0;
  for (size_t bit = 0; bit < 8 * content.size(); ++bit) {
    std::string flipped = content;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    try {
      read(flipped);
      ++read_whole;
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_GT(read_whole, 0);
}

}  // namespace
}  // namespace mesita::checkpoint
