#include "tokenizer/corpus/gzip_source.h"

#include "tests/tokenizer/corpus/packed_source_tests.h"

namespace mesita::testing {
namespace {

struct Gzip {
  using Source = corpus::GzipSource;
  static std::string pack(const std::string& text) { return gzip_packed(text); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Gzip, PackedSource, Gzip);

}  // namespace
}  // namespace mesita::testing
