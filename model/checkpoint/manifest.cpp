#include "model/checkpoint/manifest.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/checkpoint/json_object.h"
#include "model/checkpoint/strict_json.h"

namespace mesita::checkpoint {

namespace {

constexpr int64_t kManifestVersion = 1;
constexpr std::array<std::string_view, 5> kManifestKeys = {"format_version", "form", "parts",
                                                           "frozen", "core"};
constexpr std::array<std::string_view, 2> kPartKeys = {"bytes", "sha256"};

std::string_view name_of(Form form) {
  return form == Form::full ? "full" : "compact";
}

Form form_named(const std::string& name) {
  if (name == name_of(Form::full)) return Form::full;
  if (name == name_of(Form::compact)) return Form::compact;
  throw std::runtime_error(std::string(kManifestFile) + ": \"form\" is \"" + name +
                           "\": it must be \"full\" or \"compact\"");
}

std::string checked_hash(const JsonObject& object, std::string_view key) {
  std::string hash = object.text(key);
  const bool right = hash.size() == 64 && std::all_of(hash.begin(), hash.end(), [](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                     });
  if (!right) {
    throw std::runtime_error(std::string(kManifestFile) + ": \"" + std::string(key) + "\" is \"" +
                             hash.substr(0, 80) +
                             "\": a SHA-256 has 64 lower-case hexadecimal digits");
  }
  return hash;
}

std::string hash_or_null(const JsonObject& object, std::string_view key) {
  return object.at(key).is_null() ? "" : checked_hash(object, key);
}

nlohmann::ordered_json null_if_empty(const std::string& hash) {
  return hash.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(hash);
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const auto& [name, part] : manifest.parts) {
    parts[name] = {{"bytes", part.bytes}, {"sha256", part.sha256}};
  }
  nlohmann::ordered_json json;
  json["format_version"] = kManifestVersion;
  json["form"] = name_of(manifest.form);
  json["parts"] = std::move(parts);
  json["frozen"] = null_if_empty(manifest.frozen);
  json["core"] = null_if_empty(manifest.core);
  return json.dump(2) + "\n";
}

Manifest parse_manifest(std::string_view text) {
  const nlohmann::json json = parse_strict_json(text, kManifestFile);
  const JsonObject object(json, kManifestFile);
  object.require_format(kManifestVersion);
  object.allow_only(kManifestKeys);
  Manifest manifest;
  manifest.form = form_named(object.text("form"));
  manifest.frozen = hash_or_null(object, "frozen");
  manifest.core = hash_or_null(object, "core");
  const JsonObject parts = object.object("parts");
  for (const auto& item : object.at("parts").items()) {
    const std::string& name = item.key();
    const JsonObject part = parts.object(name);
    part.allow_only(kPartKeys);
    if (!is_part_name(name)) {
      throw std::runtime_error(std::string(kManifestFile) + " lists \"" + name.substr(0, 80) +
                               "\", which no checkpoint has: it is damaged or not ours");
    }
    manifest.parts[name] = {part.unsigned_integer("bytes"), checked_hash(part, "sha256")};
  }
  // One text per manifest: then its hash identifies the checkpoint, and no change goes unseen.
  if (manifest_text(manifest) != text) {
    throw std::runtime_error(std::string(kManifestFile) +
                             " is not laid out as mesita writes it: it was edited or damaged, save "
                             "the checkpoint again");
  }
  return manifest;
}

bool is_part_name(std::string_view name) {
  if (name == kConfigFile || name == kModelFile || name == kTrainingStateFile) return true;
  const std::string tokenizer = std::string(kTokenizerFolder) + "/";
  if (!name.starts_with(tokenizer)) return false;
  name.remove_prefix(tokenizer.size());
  return !name.empty() && name.size() <= 255 && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

}  // namespace mesita::checkpoint
