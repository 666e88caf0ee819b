#include "training/run_folder.h"

#include <fstream>
#include <stdexcept>
#include <system_error>

namespace mesita::training {

namespace fs = std::filesystem;

void require_free(const fs::path& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw std::runtime_error(root.string() + " is not a folder; choose another --out");
  if (fs::is_empty(root, error)) return;
  const std::string what =
      fs::exists(RunFolder{root}.metrics()) ? "already holds a run" : "is not empty";
  throw std::runtime_error(root.string() + " " + what +
                           "; choose another --out, or move the folder away first");
}

RunFolder make_run_folder(const fs::path& root, const std::string& config_json) {
  require_free(root);
  const RunFolder folder{root};
  std::error_code error;
  fs::create_directories(folder.last().parent_path(), error);
  if (error)
    throw std::runtime_error("cannot make the run folder " + root.string() + ": " +
                             error.message());
  std::ofstream file(folder.config());
  file << config_json << std::flush;
  if (!file) throw std::runtime_error("cannot write " + folder.config().string());
  return folder;
}

fs::path free_run_folder(const fs::path& parent, const std::string& name) {
  for (int number = 1;; ++number) {
    fs::path candidate = parent / (name + "-" + std::to_string(number));
    if (!fs::exists(candidate)) return candidate;
  }
}

}  // namespace mesita::training
