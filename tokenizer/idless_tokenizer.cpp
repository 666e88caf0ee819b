#include "tokenizer/idless_tokenizer.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tokenizer/definition_file.h"
#include "tokenizer/definition_json.h"

namespace mesita::tokenizer {
namespace {

class IdlessTokenizer final : public Tokenizer {
 public:
  explicit IdlessTokenizer(int64_t size)
      : size_(size),
        definition_(nlohmann::ordered_json{{"format", 1}, {"size", size}}.dump() + "\n") {}

  std::string_view kind() const override { return "none"; }
  int64_t size() const override { return size_; }
  std::string hash() const override { return definition_hash(definition_); }
  void save(const std::filesystem::path& folder) const override {
    write_definition(folder, kIdlessFile, definition_);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    encode_with_spans(text);
    return {};
  }
  std::vector<Span> encode_with_spans(std::string_view) const override {
    throw std::invalid_argument("this model has no text, only ids 0 .. " +
                                std::to_string(size_ - 1) + ": give token ids instead of a text");
  }
  std::string bytes_of(int32_t id, Place) const override {
    require_id(id, size_);
    return {};
  }
  std::optional<std::string> special_name(int32_t) const override { return std::nullopt; }
  std::optional<int32_t> special_id(std::string_view) const override { return std::nullopt; }

 private:
  int64_t size_;
  std::string definition_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_idless_tokenizer(int64_t size) {
  if (size < 1 || size > std::numeric_limits<int32_t>::max()) {
    throw std::invalid_argument("a vocabulary has 1 to 2147483647 ids, not " +
                                std::to_string(size));
  }
  return std::make_unique<IdlessTokenizer>(size);
}

std::unique_ptr<Tokenizer> load_idless_tokenizer(const std::filesystem::path& file) {
  const nlohmann::json json = read_json_definition(file, {"size"});
  const auto size = json.find("size");
  if (size == json.end() || !size->is_number_integer() || *size < 1 ||
      *size > std::numeric_limits<int32_t>::max()) {
    throw std::runtime_error(file.string() +
                             ": \"size\" must be a whole number of 1 to 2147483647");
  }
  return make_idless_tokenizer(size->get<int64_t>());
}

}  // namespace mesita::tokenizer
