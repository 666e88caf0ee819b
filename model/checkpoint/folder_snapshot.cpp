#include "model/checkpoint/folder_snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace mesita::checkpoint {

namespace {

constexpr size_t kMostFiles = 100;
constexpr int kMostTries = 1000;

using Files = std::map<std::string, ReadableFile>;

[[noreturn]] void fail_to_read(const std::string& name, int error) {
  throw std::runtime_error(name + " cannot be read: " + std::generic_category().message(error));
}

FileDescriptor open_folder(int parent, const char* path, const std::string& name) {
  FileDescriptor folder(::openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) fail_to_read(name, errno);
  return folder;
}

std::vector<std::string> visible_names(const FileDescriptor& folder, const std::string& name) {
  struct Close {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  // fdopendir takes its descriptor over: give it another one of the same folder.
  FileDescriptor copy = open_folder(folder.get(), ".", name);
  const std::unique_ptr<DIR, Close> stream(::fdopendir(copy.get()));
  if (!stream) fail_to_read(name, errno);
  copy.release();
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) fail_to_read(name, errno);
    if (entry == nullptr) return names;
    if (entry->d_name[0] == '.') continue;
    if (names.size() == kMostFiles) {
      throw std::runtime_error(name + " has more than " + std::to_string(kMostFiles) +
                               " files: it is no checkpoint");
    }
    names.emplace_back(entry->d_name);
  }
}

void add_files(const FileDescriptor& folder, const std::string& prefix, std::string_view subfolder,
               Files& files) {
  for (const std::string& name : visible_names(folder, prefix.empty() ? "the folder" : prefix)) {
    const std::string full = prefix + name;
    struct stat status = {};
    if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      fail_to_read(full, errno);
    if (!subfolder.empty() && name == subfolder) {
      if (!S_ISDIR(status.st_mode)) throw std::runtime_error(full + " is not a folder");
      add_files(open_folder(folder.get(), name.c_str(), full), full + "/", "", files);
      continue;
    }
    if (!S_ISREG(status.st_mode)) {
      throw std::runtime_error(full + " is " +
                               (S_ISDIR(status.st_mode)   ? "a folder"
                                : S_ISLNK(status.st_mode) ? "a symbolic link"
                                                          : "a device or pipe") +
                               ", not a regular file: remove it or put the file itself there");
    }
    FileDescriptor file(
        ::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file.is_open()) fail_to_read(full, errno);
    files.emplace(full, ReadableFile(std::move(file), full));
  }
}

bool leads_to(const std::filesystem::path& path, const FileDescriptor& folder) {
  struct stat named = {};
  struct stat opened = {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(folder.get(), &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

FolderSnapshot::FolderSnapshot(const std::filesystem::path& folder, std::string_view subfolder) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const FileDescriptor opened = open_folder(AT_FDCWD, folder.c_str(), "the folder");
    files_.clear();
    // A writer empties the old folder only after the new one has taken its name. While the folder
    // is held open, its inode number is nobody else's: same number after the last file was opened
    // means that all of them are there.
    try {
      add_files(opened, "", subfolder, files_);
    } catch (const std::runtime_error&) {
      if (leads_to(folder, opened)) throw;
      continue;
    }
    if (leads_to(folder, opened)) return;
  }
  throw std::runtime_error("the folder is replaced faster than it can be opened: try again");
}

const ReadableFile& FolderSnapshot::file(const std::string& name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) {
    throw std::runtime_error(name + " is missing: copy the whole folder again");
  }
  return found->second;
}

}  // namespace mesita::checkpoint
