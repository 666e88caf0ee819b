#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "model/checkpoint/readable_file.h"

namespace mesita::checkpoint {

/// The files of a folder, all open, as they stood together at one moment: a folder that is replaced
/// meanwhile (DurableFolder) is seen as the old or the new one, never as a mixture. Hidden files
/// are not seen.
class FolderSnapshot {
 public:
  /// Opens every file of `folder`, and of its sub-folder `subfolder` ("" for none), as
  /// "subfolder/name". Throws std::runtime_error for a missing or unreadable folder, for more than
  /// 100 files, and for anything that is not a regular file (other folders, symbolic links,
  /// devices).
  FolderSnapshot(const std::filesystem::path& folder, std::string_view subfolder);

  const std::map<std::string, ReadableFile>& files() const { return files_; }
  bool has(const std::string& name) const { return files_.contains(name); }
  /// Throws std::runtime_error when there is no such file.
  const ReadableFile& file(const std::string& name) const;

 private:
  std::map<std::string, ReadableFile> files_;
};

}  // namespace mesita::checkpoint
