#include "training/run_folder.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "model/checkpoint/output_file.h"

namespace mesita::training {

namespace fs = std::filesystem;

namespace {

constexpr const char* kUnfinishedConfig = ".config.json.part";

// Whole or not at all, and first: a folder with a config is a run that can be resumed.
void write_config(const fs::path& file, const std::string& text) {
  const fs::path part = file.parent_path() / kUnfinishedConfig;
  fs::remove(part);
  checkpoint::OutputFile output(part);
  output.write(text);
  output.finish();
  fs::rename(part, file);
  checkpoint::make_durable(file.parent_path());
}

}  // namespace

void require_free(const fs::path& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw std::runtime_error(root.string() + " is not a folder; choose another --out");
  // A run that was killed before it had written its config left nothing worth keeping.
  const auto counts = [](const fs::directory_entry& entry) {
    return entry.path().filename() != kUnfinishedConfig;
  };
  const fs::directory_iterator entries(root, error);
  if (std::none_of(begin(entries), end(entries), counts)) return;
  const std::string what =
      fs::exists(RunFolder{root}.metrics()) ? "already holds a run" : "is not empty";
  throw std::runtime_error(
      root.string() + " " + what +
      "; choose another --out, move the folder away, or go on with its run by --resume");
}

RunFolder make_run_folder(const fs::path& root, const std::string& config_json) {
  require_free(root);
  const RunFolder folder{root};
  try {
    fs::create_directories(root);
    write_config(folder.config(), config_json);
  } catch (const fs::filesystem_error& failure) {
    throw std::runtime_error("cannot make the run folder " + root.string() + ": " +
                             failure.code().message());
  }
  return folder;
}

fs::path free_run_folder(const fs::path& parent, const std::string& name) {
  for (int number = 1;; ++number) {
    fs::path candidate = parent / (name + "-" + std::to_string(number));
    if (!fs::exists(candidate)) return candidate;
  }
}

}  // namespace mesita::training
