#include "tokenizer/corpus/json_record.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "tokenizer/corpus/read_tally.h"
#include "tokenizer/utf8.h"

namespace mesita::corpus {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kDeepest = 256;  // brackets within brackets

std::string type_name(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE:
      return "a number";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "true or false";
    case dom::element_type::NULL_VALUE:
      return "null";
  }
  return "of an unknown type";
}

std::string parse_failure(simdjson::error_code code, std::string_view record) {
  const size_t bad = tokenizer::find_invalid_utf8(record);
  if (bad != std::string_view::npos) {
    return "not valid UTF-8 at byte " + std::to_string(bad + 1) + " of the record";
  }
  if (code == simdjson::DEPTH_ERROR) {
    return "nested deeper than " + std::to_string(kDeepest) + " brackets";
  }
  if (code == simdjson::STRING_ERROR) {
    return "a string has a wrong escape, for example a lone surrogate";
  }
  return std::string("not JSON: ") + simdjson::error_message(code);
}

std::string pile_set_name(const dom::element& meta) {
  dom::object members;
  std::string_view name;
  if (meta.get(members) != simdjson::SUCCESS) return {};
  if (members.at_key("pile_set_name").get(name) != simdjson::SUCCESS) return {};
  return simdjson::validate_utf8(name.data(), name.size()) ? std::string(name) : std::string();
}

}  // namespace

struct JsonRecordParser::Parsers {
  dom::parser record;
  dom::parser meta;
};

JsonRecordParser::JsonRecordParser(size_t largest)
    : parsers_(std::make_unique<Parsers>()), largest_(largest) {
  constexpr size_t kSurroundings = size_t{1} << 16;
  constexpr size_t kMost = std::numeric_limits<uint32_t>::max() - simdjson::SIMDJSON_PADDING;
  longest_record_ = std::min(largest, kMost - kSurroundings) + kSurroundings;
}

JsonRecordParser::~JsonRecordParser() = default;

JsonRecordParser::Result JsonRecordParser::parse(std::string& record, Document& document) {
  document.text.clear();
  document.set.clear();
  const auto malformed = [this](std::string reason) {
    reason_ = std::move(reason);
    return Result::malformed;
  };
  dom::parser& parser = parsers_->record;
  if (parser.capacity() < record.size() || parser.max_depth() != kDeepest) {
    const size_t capacity = std::max(record.size() + record.size() / 2, size_t{1} << 16);
    if (parser.allocate(capacity, kDeepest) != simdjson::SUCCESS) throw std::bad_alloc();
  }
  record.reserve(record.size() + simdjson::SIMDJSON_PADDING);
  dom::element root;
  if (const auto code = parser.parse(record.data(), record.size(), false).get(root)) {
    reason_ = parse_failure(code, record);
    return Result::no_json;
  }
  dom::object members;
  if (root.get(members) != simdjson::SUCCESS) {
    return malformed("expected an object, found " + type_name(root.type()));
  }
  dom::element text, story, meta;
  int texts = 0, stories = 0, metas = 0;
  for (const auto& [key, value] : members) {
    if (key == "text") ++texts, text = value;
    if (key == "story") ++stories, story = value;
    if (key == "meta") ++metas, meta = value;
  }
  if (texts + stories == 0) return malformed("the object has no \"text\"");
  const char* name = texts > 0 ? "text" : "story";
  if (texts > 1 || (texts == 0 && stories > 1)) {
    return malformed(std::string("the object has \"") + name + "\" more than once");
  }
  const dom::element& chosen = texts > 0 ? text : story;
  std::string_view content;
  if (chosen.get(content) != simdjson::SUCCESS) {
    return malformed(std::string("\"") + name + "\" is " + type_name(chosen.type()) +
                     ", expected a string");
  }
  if (!simdjson::validate_utf8(content.data(), content.size())) {
    return malformed(std::string("\"") + name + "\" has a lone surrogate escape");
  }
  if (content.size() > largest_) {
    return malformed(too_large_text(largest_));
  }
  if (content.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) return Result::empty;
  document.text = content;
  std::string_view packed_meta;
  if (metas > 0 && meta.get(packed_meta) == simdjson::SUCCESS) {
    dom::element inner;
    if (parsers_->meta.parse(packed_meta.data(), packed_meta.size()).get(inner) == 0) {
      document.set = pile_set_name(inner);
    }
  } else if (metas > 0) {
    document.set = pile_set_name(meta);
  }
  return Result::document;
}

}  // namespace mesita::corpus
