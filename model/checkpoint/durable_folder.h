#pragma once

#include <filesystem>

#include "model/checkpoint/file_descriptor.h"

namespace mesita::checkpoint {

/// How commit() puts a new folder in the place of an old one.
enum class Replacement {
  exchange,   // one atomic step, where the file system can; else two_steps
  two_steps,  // the old folder is set aside first; what a crash in between leaves is put back by
              // the next DurableFolder for the same target
};

/// A folder that appears whole or not at all. A hidden sibling of the target (".NAME.mesita-...")
/// is filled by the caller; commit() puts it in the target's place and then removes the old folder.
/// A crash leaves the old folder or the new one, and perhaps the sibling, which the next
/// DurableFolder for the same target removes. Several writers may work at once: the last commit
/// stays.
class DurableFolder {
 public:
  /// Creates the sibling, and missing parents of the target. A target that is a symbolic link means
  /// the folder it leads to. Throws std::invalid_argument when the target names no folder or is a
  /// file, std::runtime_error when the disk refuses.
  explicit DurableFolder(const std::filesystem::path& target);
  /// Removes the sibling if there was no commit.
  ~DurableFolder();
  DurableFolder(const DurableFolder&) = delete;
  DurableFolder& operator=(const DurableFolder&) = delete;

  /// The sibling, to be filled. Files must be durable before commit() (OutputFile::finish).
  const std::filesystem::path& path() const { return path_; }
  /// The folder that commit() creates or replaces; absolute.
  const std::filesystem::path& target() const { return target_; }

  /// Makes the folders durable, puts the new one in place, and removes the old one when the new
  /// one is durable there and its manifest.json readable. Throws std::runtime_error when that
  /// fails; the old folder is then whole, in its place or under the name that the message gives.
  /// Last call.
  void commit(Replacement replacement = Replacement::exchange);

 private:
  // Both clear path_ and return where the old folder is; empty when there was none, or when
  // another writer came between the two steps.
  std::filesystem::path put_in_place(Replacement replacement);
  std::filesystem::path replace_in_two_steps();

  std::filesystem::path target_;
  std::filesystem::path path_;  // empty once the sibling is in place
  FileDescriptor lock_;  // of the sibling, later the old folder: tells others that its owner lives
};

}  // namespace mesita::checkpoint
