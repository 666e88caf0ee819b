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

constexpr size_t kMaxScanDepth = 8;

/// Also what an interrupted copy left of a checkpoint: loading it says what is missing. A
/// config.json alone is that of a run.
bool looks_like_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return checkpoint::is_checkpoint(folder) ||
         fs::is_regular_file(folder / "model.safetensors", ignored);
}

/// Adds what is at or below `folder`, which is inside the folders `above`; does not look inside
/// checkpoints and runs, nor follows links back to a folder above.
void scan(const fs::path& folder, const std::string& id, std::vector<fs::path> above,
          std::map<std::string, fs::path>& found) {
  std::error_code error;
  fs::path real = fs::canonical(folder, error);
  if (error || std::find(above.begin(), above.end(), real) != above.end()) return;
  if (looks_like_checkpoint(folder) || checkpoint::is_checkpoint(checkpoint::best_of_run(folder))) {
    found.emplace(id, folder);
    return;
  }
  if (looks_like_checkpoint(checkpoint::best_of_run(folder))) {
    found.emplace(id, checkpoint::best_of_run(folder));
    return;
  }
  if (above.size() == kMaxScanDepth) return;
  above.push_back(std::move(real));
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    // Hidden folders are others' business: editors, version control, unfinished writes.
    if (!entry->is_directory(ignored) || name.starts_with(".")) continue;
    scan(entry->path(), id.empty() ? name : id + "/" + name, above, found);
  }
  if (error) spdlog::warn("cannot read the folder {}: {}", folder.string(), error.message());
}

int64_t written_at(const fs::path& folder) {
  std::error_code missing;
  const fs::path checkpoint =
      checkpoint::is_checkpoint(folder) ? folder : checkpoint::best_of_run(folder);
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
  scan(root, "", {}, found);
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
