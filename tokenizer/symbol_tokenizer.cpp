#include "tokenizer/symbol_tokenizer.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "tokenizer/definition_file.h"
#include "tokenizer/definition_json.h"
#include "tokenizer/utf8.h"

namespace mesita::tokenizer {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\r\v\f";

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

class SymbolTokenizer final : public Tokenizer {
 public:
  SymbolTokenizer(std::vector<std::string> symbols, const std::vector<std::string>& specials)
      : symbols_(std::move(symbols)), special_(symbols_.size(), false) {
    if (symbols_.empty()) throw std::invalid_argument("a symbol vocabulary needs a symbol");
    if (symbols_.size() > size_t{std::numeric_limits<int32_t>::max()}) {
      throw std::invalid_argument("a symbol vocabulary has at most 2147483647 symbols");
    }
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const std::string& symbol = symbols_[i];
      if (symbol.empty()) {
        throw std::invalid_argument("symbol " + std::to_string(i) + " is empty");
      }
      require_utf8(symbol, "symbol " + std::to_string(i));
      if (symbol.find_first_of(kWhiteSpace) != std::string::npos) {
        throw std::invalid_argument("symbol " + in_quotes(symbol) + " contains white space");
      }
      if (!ids_.emplace(symbol, static_cast<int32_t>(i)).second) {
        throw std::invalid_argument("symbol " + in_quotes(symbol) + " is there twice");
      }
    }
    for (const std::string& name : specials) {
      const auto found = ids_.find(name);
      if (found == ids_.end()) {
        throw std::invalid_argument("special " + in_quotes(name) + " is not among the symbols");
      }
      if (special_[found->second]) {
        throw std::invalid_argument("special " + in_quotes(name) + " is named twice");
      }
      special_[found->second] = true;
    }
    nlohmann::ordered_json json{{"format", 1}, {"symbols", symbols_}};
    if (!specials.empty()) json["specials"] = specials;
    definition_ = json.dump() + "\n";
    hash_ = definition_hash(definition_);
  }

  std::string_view kind() const override { return "symbols"; }
  int64_t size() const override { return static_cast<int64_t>(symbols_.size()); }
  std::string hash() const override { return hash_; }
  void save(const std::filesystem::path& folder) const override {
    write_definition(folder, kSymbolsFile, definition_);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    for (const Span& span : encode_with_spans(text)) ids.push_back(span.id);
    return ids;
  }

  std::vector<Span> encode_with_spans(std::string_view text) const override {
    require_utf8(text, "text");
    std::vector<Span> spans;
    size_t covered = 0;
    while (true) {
      const size_t begin = text.find_first_not_of(kWhiteSpace, covered);
      if (begin == std::string_view::npos) break;
      const size_t end = std::min(text.find_first_of(kWhiteSpace, begin), text.size());
      spans.push_back({id_in_text(text, begin, end), covered, end});
      covered = end;
    }
    if (!spans.empty()) spans.back().end = text.size();
    return spans;
  }

  std::string bytes_of(int32_t id, Place place) const override {
    require_id(id, size());
    if (special_[id]) return {};
    return place == Place::start ? symbols_[id] : " " + symbols_[id];
  }

  std::optional<std::string> special_name(int32_t id) const override {
    if (id < 0 || id >= size() || !special_[id]) return std::nullopt;
    return symbols_[id];
  }

  std::optional<int32_t> special_id(std::string_view name) const override {
    const auto found = ids_.find(std::string(name));
    if (found == ids_.end() || !special_[found->second]) return std::nullopt;
    return found->second;
  }

 private:
  int32_t id_in_text(std::string_view text, size_t begin, size_t end) const {
    const std::string symbol(text.substr(begin, end - begin));
    const auto found = ids_.find(symbol);
    if (found != ids_.end() && !special_[found->second]) return found->second;
    constexpr size_t kShown = 64;
    const std::string shown = symbol.substr(0, floor_to_character(symbol, kShown));
    throw std::invalid_argument("unknown symbol " + in_quotes(shown) + " at byte " +
                                std::to_string(begin) + ": a text for this model is made of its " +
                                std::to_string(symbols_.size()) + " symbols, separated by blanks");
  }

  std::vector<std::string> symbols_;
  std::vector<bool> special_;
  std::unordered_map<std::string, int32_t> ids_;
  std::string definition_;
  std::string hash_;
};

std::vector<std::string> strings_at(const nlohmann::json& json, const char* key,
                                    const std::filesystem::path& file) {
  const nlohmann::json& list = json.at(key);
  const auto fail = [&] {
    throw std::runtime_error(file.string() + ": \"" + key + "\" must be a list of strings");
  };
  if (!list.is_array()) fail();
  std::vector<std::string> strings;
  for (const nlohmann::json& item : list) {
    if (!item.is_string()) fail();
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

}  // namespace

std::unique_ptr<Tokenizer> make_symbol_tokenizer(std::vector<std::string> symbols,
                                                 std::vector<std::string> specials) {
  return std::make_unique<SymbolTokenizer>(std::move(symbols), specials);
}

std::unique_ptr<Tokenizer> load_symbol_tokenizer(const std::filesystem::path& file) {
  const nlohmann::json json = read_json_definition(file, {"symbols", "specials"});
  if (!json.contains("symbols")) {
    throw std::runtime_error(file.string() + ": the key \"symbols\" is missing");
  }
  std::vector<std::string> specials;
  if (json.contains("specials")) specials = strings_at(json, "specials", file);
  try {
    return make_symbol_tokenizer(strings_at(json, "symbols", file), specials);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

}  // namespace mesita::tokenizer
