#include "tokenizer/corpus/foreign_formats.h"

#include <array>
#include <stdexcept>
#include <string_view>

namespace mesita::corpus {
namespace {

using std::string_view_literals::operator""sv;

struct ForeignFormat {
  std::string_view what;
  std::string_view advice;
};

constexpr ForeignFormat kParquet{
    "a Parquet file",
    "convert it to JSON lines, for example: python3 -c \"import pandas, sys; "
    "pandas.read_parquet(sys.argv[1]).to_json(sys.argv[2], orient='records', lines=True)\" "
    "IN.parquet OUT.jsonl"};
constexpr ForeignFormat kArrow{"an Arrow file", "convert it to JSON lines with a \"text\" each"};
constexpr ForeignFormat kTar{"a tar archive of several files", "unpack it with tar -xf first"};
constexpr ForeignFormat kZip{"a zip archive", "unpack it first"};
constexpr ForeignFormat kXz{"packed with xz", "unpack it with xz -d, or pack it with zstd instead"};
constexpr ForeignFormat kBzip2{"packed with bzip2",
                               "unpack it with bzip2 -d, or pack it with zstd instead"};
constexpr ForeignFormat kTwice{"packed twice", "unpack it once"};
constexpr ForeignFormat kTokens{
    "a file of token ids", "documents are read from text: .txt, .jsonl or .json, packed or not"};

struct Magic {
  size_t at;
  std::string_view bytes;
  const ForeignFormat& format;
};

constexpr std::array<Magic, 10> kMagics{{{0, "PAR1"sv, kParquet},
                                         {0, "ARROW1\0\0"sv, kArrow},
                                         {257, "ustar"sv, kTar},
                                         {0, "PK\x03\x04"sv, kZip},
                                         {0, "\xFD\x37zXZ\0"sv, kXz},
                                         {4, "1AY&SY"sv, kBzip2},
                                         {0, "\x93NUMPY"sv, kTokens},
                                         {0, "MMIDIDX\0\0"sv, kTokens},
                                         {0, "\x28\xB5\x2F\xFD"sv, kTwice},
                                         {0, "\x1F\x8B\x08"sv, kTwice}}};

struct Ending {
  std::string_view ending;
  const ForeignFormat& format;
};

constexpr std::array<Ending, 12> kEndings{{{".parquet", kParquet},
                                           {".arrow", kArrow},
                                           {".tar", kTar},
                                           {".tgz", kTar},
                                           {".tzst", kTar},
                                           {".zip", kZip},
                                           {".xz", kXz},
                                           {".bz2", kBzip2},
                                           {".bin", kTokens},
                                           {".idx", kTokens},
                                           {".npy", kTokens},
                                           {".npz", kTokens}}};

[[noreturn]] void refuse(const std::string& name, const ForeignFormat& format) {
  throw std::invalid_argument(name + ": is " + std::string(format.what) + ", which holds no " +
                              "documents as they are read here; " + std::string(format.advice));
}

}  // namespace

void refuse_foreign_formats(ByteSource& source, const std::string& ending) {
  constexpr size_t kHeadBytes = 512;
  const std::string name = source.file().string();
  const std::string_view head = source.peek(kHeadBytes);
  if (head.starts_with("version https://git-lfs.github.com/spec/v1")) {
    throw std::runtime_error(name + ": is a pointer of git-lfs, not the file itself; fetch it " +
                             "with `git lfs pull`");
  }
  if (head.starts_with("/annex/objects/")) {
    throw std::runtime_error(name + ": is a pointer of git-annex, not the file itself; fetch it " +
                             "with `git annex get`");
  }
  for (const Magic& magic : kMagics) {
    if (head.size() > magic.at && head.substr(magic.at).starts_with(magic.bytes)) {
      refuse(name, magic.format);
    }
  }
  for (const Ending& known : kEndings) {
    if (ending == known.ending) refuse(name, known.format);
  }
}

}  // namespace mesita::corpus
