#include "model/checkpoint/durable_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>

namespace mesita::checkpoint {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

fs::path resolved(const fs::path& target) {
  fs::path path = fs::weakly_canonical(fs::absolute(target));
  if (!path.has_filename()) path = path.parent_path();
  if (!path.has_filename()) {
    throw std::invalid_argument("\"" + target.string() + "\" names no folder that can be written");
  }
  const fs::file_status status = fs::status(path);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw std::invalid_argument(path.string() + " is not a folder: choose another name");
  }
  return path;
}

std::string sibling_prefix(const fs::path& target) {
  return "." + target.filename().string() + ".mesita-";
}

fs::path set_aside_name(const fs::path& target) {
  return target.parent_path() / ("." + target.filename().string() + ".previous");
}

FileDescriptor open_folder(const fs::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

void sync_folder(const fs::path& path) {
  const FileDescriptor folder = open_folder(path);
  if (!folder.is_open() || ::fsync(folder.get()) != 0) {
    fail(path.string() + " cannot be made durable", errno);
  }
}

// True when nobody else holds the lock. File systems without locks count as held: what cannot be
// judged is left alone.
bool lock(const FileDescriptor& folder) {
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_leftovers(const fs::path& target) {
  const std::string prefix = sibling_prefix(target);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(target.parent_path(), ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const FileDescriptor folder = open_folder(entry.path());
    if (folder.is_open() && lock(folder)) fs::remove_all(entry.path(), ignored);
  }
}

// What an interrupted replacement in two steps left: the old folder under another name, and perhaps
// the new one in its place.
void put_back_set_aside(const fs::path& target) {
  const fs::path previous = set_aside_name(target);
  std::error_code ignored;
  if (!fs::exists(previous, ignored)) return;
  if (fs::exists(target, ignored)) {
    fs::remove_all(previous, ignored);
  } else {
    fs::rename(previous, target, ignored);
  }
}

bool still_named(const FileDescriptor& folder, const fs::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(folder.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

DurableFolder::DurableFolder(const fs::path& target) : target_(resolved(target)) {
  fs::create_directories(target_.parent_path());
  put_back_set_aside(target_);
  remove_leftovers(target_);
  std::random_device random;
  for (;;) {
    path_ = target_.parent_path() /
            (sibling_prefix(target_) + std::to_string(::getpid()) + "-" + std::to_string(random()));
    if (::mkdir(path_.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      fail(path_.string() + " cannot be created", errno);
    }
    lock_ = open_folder(path_);
    // Between mkdir and the lock, somebody who cleans up may have taken the folder for a leftover.
    if (lock_.is_open() && (lock(lock_) || errno != EWOULDBLOCK) && still_named(lock_, path_))
      break;
  }
}

DurableFolder::~DurableFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void DurableFolder::commit(Replacement replacement) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_)) {
    if (entry.is_directory()) sync_folder(entry.path());
  }
  sync_folder(path_);
  put_in_place(replacement);
  sync_folder(target_.parent_path());
  if (path_.empty()) return;
  std::error_code ignored;  // the new folder is in place; the next writer removes what stays
  fs::remove_all(path_, ignored);
  path_.clear();
}

void DurableFolder::put_in_place(Replacement replacement) {
  for (;;) {
    if (replacement == Replacement::exchange) {
      const int result =
          ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE);
      if (result == 0) return;  // path_ now names the old folder
      if (errno == EINVAL || errno == ENOSYS) {
        replacement = Replacement::two_steps;
      } else if (errno != ENOENT) {
        fail(target_.string() + " cannot be replaced", errno);
      }
    }
    // Succeeds when there is nothing to replace.
    if (::rename(path_.c_str(), target_.c_str()) == 0) return path_.clear();
    if (errno != EEXIST && errno != ENOTEMPTY) {
      fail(target_.string() + " cannot be created", errno);
    }
    if (replacement == Replacement::two_steps) return replace_in_two_steps();
    // Another writer was quicker: replace what it put there.
  }
}

void DurableFolder::replace_in_two_steps() {
  const fs::path previous = set_aside_name(target_);
  if (::rename(target_.c_str(), previous.c_str()) != 0) {
    fail(target_.string() + " cannot be set aside", errno);
  }
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::rename(previous.c_str(), target_.c_str());
    fail(target_.string() + " cannot be replaced", error);
  }
  path_ = previous;
}

}  // namespace mesita::checkpoint
