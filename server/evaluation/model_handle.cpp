#include "server/evaluation/model_handle.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mesita::evaluation {
namespace {

namespace fs = std::filesystem;

const fs::path kPretrained = MESITA_PRETRAINED_DIR;

struct LoadedFolder {
  checkpoint::Checkpoint checkpoint;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
};

// A trainer may replace the folder at any moment: weights and tokenizer must be from one
// checkpoint.
LoadedFolder load_together(const fs::path& folder) {
  for (int tries = 0; tries < 2; ++tries) {
    LoadedFolder loaded{checkpoint::load_checkpoint(folder), nullptr};
    try {
      loaded.tokenizer = tokenizer::load_tokenizer(folder / "tokenizer");
    } catch (const std::runtime_error&) {
      if (checkpoint::holds_checkpoint(folder, loaded.checkpoint.hash)) throw;
      continue;
    }
    if (checkpoint::holds_checkpoint(folder, loaded.checkpoint.hash)) return loaded;
  }
  throw std::runtime_error("the checkpoint was replaced twice while it was read; try again");
}

std::shared_ptr<const ModelHandle> load_checkpoint_folder(const fs::path& folder, std::string id) {
  LoadedFolder together = load_together(folder);
  checkpoint::Checkpoint& loaded = together.checkpoint;
  auto handle = std::make_shared<ModelHandle>();
  handle->id = std::move(id);
  handle->folder = folder;
  handle->tokenizer = std::move(together.tokenizer);
  const int64_t vocabulary = loaded.config.model.vocabulary;
  if (handle->tokenizer->size() != vocabulary) {
    throw std::runtime_error("the tokenizer has " + std::to_string(handle->tokenizer->size()) +
                             " ids but the model's vocabulary is " + std::to_string(vocabulary) +
                             "; put the tokenizer there that the model was trained with");
  }
  std::shared_ptr<model::LanguageModel> language_model =
      model::make_language_model(loaded.config.model, loaded.parameters);
  language_model->prepare_inference();
  handle->model = std::move(language_model);
  handle->config = std::move(loaded.config);
  handle->frozen = std::move(loaded.frozen);
  handle->core = std::move(loaded.core);
  handle->hash = std::move(loaded.hash);
  handle->parameters = model::count_parameters(handle->config.model);
  handle->trained_parameters = model::count_trained(handle->config.model, handle->config.trained);
  return handle;
}

std::string shipped_models() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(kPretrained, missing)) {
    if (checkpoint::is_checkpoint(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

}  // namespace

std::shared_ptr<const ModelHandle> load_model(const fs::path& folder, std::string id) {
  // A folder that is no checkpoint is left to load_checkpoint, which says what is missing.
  const fs::path found = checkpoint::checkpoint_folder(folder);
  try {
    return load_checkpoint_folder(found, std::move(id));
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot load the model in " + found.string() + ": " + error.what());
  }
}

fs::path resolve_model(const std::string& name) {
  if (!name.empty()) {
    if (checkpoint::is_checkpoint(checkpoint::checkpoint_folder(name))) return name;
    if (checkpoint::is_checkpoint(kPretrained / name)) return kPretrained / name;
    if (fs::is_directory(name)) return name;  // loading it will say what it lacks
  }
  throw std::runtime_error("there is no model '" + name +
                           "': give a checkpoint or run folder, or the id of a shipped model (" +
                           shipped_models() + ")");
}

std::vector<int32_t> encode_document(const ModelHandle& model, std::string_view text) {
  std::vector<int32_t> ids = model.tokenizer->encode(text);
  if (model.config.document_start) ids.insert(ids.begin(), *model.config.document_start);
  return ids;
}

}  // namespace mesita::evaluation
