#include "server/http/model_registry.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <system_error>

#include "model/checkpoint/checkpoint.h"

namespace mesita::http {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxScanDepth = 8;

fs::path best_of(const fs::path& run) {
  return run / "checkpoints" / "best";
}

/// Adds what is at or below `folder`; does not look inside checkpoints and runs.
void scan(const fs::path& folder, const std::string& id, int depth,
          std::map<std::string, fs::path>& found) {
  if (checkpoint::is_checkpoint(folder) || checkpoint::is_checkpoint(best_of(folder))) {
    found.emplace(id, folder);
    return;
  }
  if (depth == kMaxScanDepth) return;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    std::error_code ignored;
    const std::string name = entry.path().filename().string();
    // Hidden folders are others' business: editors, version control, unfinished writes.
    if (!entry.is_directory(ignored) || name.starts_with(".")) continue;
    scan(entry.path(), id.empty() ? name : id + "/" + name, depth + 1, found);
  }
}

int64_t written_at(const fs::path& folder) {
  std::error_code missing;
  const fs::path checkpoint = checkpoint::is_checkpoint(folder) ? folder : best_of(folder);
  const auto time = fs::last_write_time(checkpoint / "manifest.json", missing);
  if (missing) return 0;
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

std::vector<std::pair<std::string, int32_t>> special_names(const tokenizer::Tokenizer& tokenizer) {
  std::vector<std::pair<std::string, int32_t>> names;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (auto name = tokenizer.special_name(id)) names.emplace_back(std::move(*name), id);
  }
  return names;
}

ModelEntry load_entry(const std::string& id, const fs::path& folder) {
  ModelEntry entry;
  entry.id = id;
  entry.folder = folder;
  entry.created = written_at(folder);
  try {
    entry.handle = evaluation::load_model(folder, id);
    entry.specials = special_names(*entry.handle->tokenizer);
    spdlog::info("model {}: {} parameters, context {}, tokenizer {}", id, entry.handle->parameters,
                 entry.handle->config.model.context, entry.handle->tokenizer->kind());
  } catch (const std::exception& error) {
    entry.handle = nullptr;
    entry.reason = error.what();
    spdlog::error("model {} failed: {}", id, entry.reason);
  }
  return entry;
}

size_t choose_default(const std::vector<ModelEntry>& entries, const std::string& wanted) {
  const auto position = [&](const auto& fits) {
    return static_cast<size_t>(std::find_if(entries.begin(), entries.end(), fits) -
                               entries.begin());
  };
  const auto loaded = [](const ModelEntry& entry) { return entry.loaded(); };
  if (!wanted.empty()) {
    const size_t at =
        position([&](const ModelEntry& entry) { return entry.loaded() && entry.id == wanted; });
    if (at == entries.size()) {
      throw std::runtime_error("the default model \"" + wanted + "\" is not among the loaded ones");
    }
    return at;
  }
  const size_t with_text = position([](const ModelEntry& entry) {
    return entry.loaded() && entry.model().tokenizer->kind() == "sentencepiece";
  });
  return with_text < entries.size() ? with_text : position(loaded);
}

}  // namespace

ModelRegistry ModelRegistry::load(const fs::path& folder, const std::string& default_id) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw std::runtime_error("no such folder of models: " + folder.string());
  }
  const fs::path root = fs::weakly_canonical(folder);
  std::map<std::string, fs::path> found;
  scan(root, "", 0, found);
  if (const auto itself = found.find(""); itself != found.end()) {
    found = {{root.filename().string(), itself->second}};
  }
  ModelRegistry registry;
  size_t engines = 0;
  for (const auto& [id, path] : found) {
    registry.entries_.push_back(load_entry(id, path));
    if (registry.entries_.back().loaded()) registry.entries_.back().engine = engines++;
  }
  if (engines == 0) {
    throw std::runtime_error(
        found.empty() ? "no checkpoint (a folder with a manifest.json) below " + folder.string()
                      : "none of the models in " + folder.string() + " could be loaded");
  }
  registry.default_ = choose_default(registry.entries_, default_id);
  return registry;
}

const ModelEntry* ModelRegistry::find(std::string_view id) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [id](const ModelEntry& one) { return one.id == id; });
  return entry == entries_.end() ? nullptr : &*entry;
}

}  // namespace mesita::http
