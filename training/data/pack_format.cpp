#include "training/data/pack_format.h"

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/checkpoint/json_object.h"
#include "model/checkpoint/strict_json.h"

namespace mesita::training {
namespace {

using checkpoint::JsonObject;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr int64_t kPackFormat = 1;
constexpr auto kReplaceBytes = ordered_json::error_handler_t::replace;  // paths are bytes

ordered_json id_or_null(const std::optional<int32_t>& id) {
  return id ? ordered_json(*id) : ordered_json();
}

ordered_json info_json(const PackInfo& info) {
  ordered_json sets = ordered_json::array(), inputs = ordered_json::array();
  for (const DocumentSet& set : info.sets) {
    sets.push_back({{"name", set.name},
                    {"documents", set.documents},
                    {"tokens", set.tokens},
                    {"bytes", set.bytes}});
  }
  for (const PackedInput& input : info.inputs) {
    inputs.push_back({{"file", input.file},
                      {"bytes", input.bytes},
                      {"modified", input.modified},
                      {"documents", input.documents},
                      {"empty", input.empty},
                      {"malformed", input.malformed},
                      {"truncated", input.truncated}});
  }
  ordered_json files = ordered_json::object();
  for (const auto& [name, part] : info.files)
    files[name] = {{"bytes", part.bytes}, {"sha256", part.sha256}};
  return {{"format_version", kPackFormat},
          {"type", info.type == TokenType::uint16 ? "uint16" : "uint32"},
          {"tokens", info.tokens},
          {"documents", info.documents},
          {"tokenizer",
           {{"hash", info.tokenizer_hash},
            {"size", info.vocabulary},
            {"start", id_or_null(info.marks.start)},
            {"end", id_or_null(info.marks.end)}}},
          {"sets", sets},
          {"inputs", inputs},
          {"files", files}};
}

[[noreturn]] void refuse_info(const std::string& name, const std::string& reason) {
  throw std::runtime_error(name + ": " + reason);
}

int64_t count(const JsonObject& object, std::string_view key, const std::string& name) {
  const int64_t value = object.integer(key);
  if (value < 0) refuse_info(name, std::string(key) + " is " + std::to_string(value));
  return value;
}

std::optional<int32_t> mark(const JsonObject& tokenizer, std::string_view key, int64_t vocabulary,
                            const std::string& name) {
  const auto id = tokenizer.integer_or_null(key);
  if (!id) return std::nullopt;
  if (*id < 0 || *id >= vocabulary)
    refuse_info(name, std::string(key) + " is no id of the tokenizer");
  return static_cast<int32_t>(*id);
}

/// Calls `work` with each object of an array.
template <typename Work>
void for_each(const JsonObject& object, std::string_view key, const std::string& name, Work work) {
  const json& list = object.at(key);
  if (!list.is_array()) refuse_info(name, std::string(key) + " must be a list");
  for (const json& item : list) work(JsonObject(item, name + ": " + std::string(key)));
}

PackInfo from_json(const json& document, const std::string& name) {
  const JsonObject object(document, name);
  object.require_format(kPackFormat);
  PackInfo info;
  const std::string type = object.text("type");
  if (type != "uint16" && type != "uint32") refuse_info(name, "type must be uint16 or uint32");
  info.type = type == "uint16" ? TokenType::uint16 : TokenType::uint32;
  info.tokens = count(object, "tokens", name);
  info.documents = count(object, "documents", name);
  const JsonObject tokenizer = object.object("tokenizer");
  info.tokenizer_hash = tokenizer.text("hash");
  info.vocabulary = count(tokenizer, "size", name);
  info.marks = {mark(tokenizer, "start", info.vocabulary, name),
                mark(tokenizer, "end", info.vocabulary, name)};
  for_each(object, "sets", name, [&](const JsonObject& set) {
    info.sets.push_back({set.text("name"), count(set, "documents", name),
                         count(set, "tokens", name), count(set, "bytes", name)});
  });
  for_each(object, "inputs", name, [&](const JsonObject& input) {
    info.inputs.push_back({input.text("file"), input.unsigned_integer("bytes"),
                           input.integer("modified"), count(input, "documents", name),
                           count(input, "empty", name), count(input, "malformed", name),
                           input.boolean("truncated")});
  });
  const json& files = object.at("files");
  if (!files.is_object()) refuse_info(name, "files must be an object");
  for (const auto& [path, part] : files.items()) {
    const JsonObject entry(part, name + ": files: " + path);
    info.files[path] = {entry.unsigned_integer("bytes"), entry.text("sha256")};
  }
  return info;
}

}  // namespace

std::string pack_json(const PackInfo& info) {
  return info_json(info).dump(2, ' ', false, kReplaceBytes) + "\n";
}

PackInfo parse_pack(std::string_view text, const std::string& name) {
  return from_json(checkpoint::parse_strict_json(text, name), name);
}

std::string place_json(const PackPlace& place, const PackInfo& info) {
  const ordered_json document = {
      {"input", place.input}, {"taken", place.taken}, {"pack", info_json(info)}};
  return document.dump(2, ' ', false, kReplaceBytes) + "\n";
}

std::pair<PackPlace, PackInfo> parse_place(std::string_view text, const std::string& name) {
  const json document = checkpoint::parse_strict_json(text, name);
  const JsonObject object(document, name);
  const PackPlace place{static_cast<size_t>(object.unsigned_integer("input")),
                        count(object, "taken", name)};
  return {place, from_json(object.at("pack"), name)};
}

void append_document(const PackedDocument& document, std::vector<std::byte>& bytes) {
  static_assert(sizeof document == kPackedDocumentBytes);
  const size_t before = bytes.size();
  bytes.resize(before + kPackedDocumentBytes);
  std::memcpy(bytes.data() + before, &document, kPackedDocumentBytes);
}

PackedDocument packed_document(std::span<const std::byte> bytes, int64_t index) {
  PackedDocument document;
  std::memcpy(&document, bytes.data() + static_cast<size_t>(index) * kPackedDocumentBytes,
              kPackedDocumentBytes);
  return document;
}

}  // namespace mesita::training
