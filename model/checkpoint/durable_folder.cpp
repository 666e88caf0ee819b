#include "model/checkpoint/durable_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/manifest.h"
#include "model/checkpoint/output_file.h"

namespace mesita::checkpoint {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_with(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

// Another writer's replacement in two steps can take a folder away while it is looked at.
fs::path looked_up(const fs::path& path) {
  constexpr int kMostTries = 1000;
  std::error_code error;
  for (int tries = 0; tries < kMostTries; ++tries) {
    fs::path found = fs::weakly_canonical(path, error);
    if (!error) return found;
    if (error != std::errc::no_such_file_or_directory) break;
  }
  fail_with(path.string() + " cannot be looked up", error.value());
}

fs::path resolved(const fs::path& target) {
  fs::path path = looked_up(fs::absolute(target));
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

// Ends the name of an old folder that is set aside: such a folder may be all that there is.
constexpr std::string_view kSetAside = "-previous";

FileDescriptor open_folder(const fs::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// True when nobody else holds the lock. File systems without locks count as held: what cannot be
// judged is left alone.
bool lock(const FileDescriptor& folder) {
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

// What an interrupted replacement in two steps left: the old folder, and perhaps the new one in the
// target's place.
void put_back(const fs::path& previous, bool owner_is_dead, const fs::path& target) {
  if (!is_checkpoint(previous)) return;
  std::error_code error;
  if (!fs::exists(target, error)) {
    fs::rename(previous, target, error);
  } else if (owner_is_dead) {
    // Renamed first: half of it must never be put back.
    std::string leftover = previous.string();
    leftover.resize(leftover.size() - kSetAside.size());
    fs::rename(previous, leftover, error);
    if (!error) fs::remove_all(leftover, error);
  }
}

void clear_up(const fs::path& target) {
  const std::string prefix = sibling_prefix(target);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(target.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const FileDescriptor folder = open_folder(entry.path());
    if (!folder.is_open()) continue;
    const bool owner_is_dead = lock(folder);
    if (name.ends_with(kSetAside)) {
      // Without locks, a living owner copes with it, and a dead one's folder must not stay away.
      if (owner_is_dead || errno != EWOULDBLOCK) put_back(entry.path(), owner_is_dead, target);
    } else if (owner_is_dead) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

bool still_named(const FileDescriptor& folder, const fs::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(folder.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// A folder that is not in place any more was replaced by another writer, who has checked its own.
void require_readable(const FileDescriptor& folder, const fs::path& target) {
  const FileDescriptor manifest(::openat(folder.get(), kManifestFile, O_RDONLY | O_CLOEXEC));
  if (!manifest.is_open() && still_named(folder, target)) {
    fail_with((target / kManifestFile).string() + " cannot be read where it was put", errno);
  }
}

}  // namespace

DurableFolder::DurableFolder(const fs::path& target) : target_(resolved(target)) {
  fs::create_directories(target_.parent_path());
  clear_up(target_);
  std::random_device random;
  for (;;) {
    path_ = target_.parent_path() /
            (sibling_prefix(target_) + std::to_string(::getpid()) + "-" + std::to_string(random()));
    if (::mkdir(path_.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      fail_with(path_.string() + " cannot be created", errno);
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
    if (entry.is_directory()) make_durable(entry.path());
  }
  make_durable(path_);
  const FileDescriptor folder = open_folder(path_);
  const fs::path sibling = path_;
  const fs::path old = put_in_place(replacement);
  try {
    make_durable(target_.parent_path());
    require_readable(folder, target_);
  } catch (const std::runtime_error& error) {
    if (old.empty()) throw;
    throw std::runtime_error(std::string(error.what()) + "; the old folder is kept as " +
                             old.string());
  }
  if (old.empty()) return;
  // Under the sibling's name, a removal that is cut short is finished by the next writer.
  if (old != sibling) ::rename(old.c_str(), sibling.c_str());
  std::error_code ignored;
  fs::remove_all(sibling, ignored);
}

fs::path DurableFolder::put_in_place(Replacement replacement) {
  for (;;) {
    // Locked, so that nobody takes the old folder for a leftover before the new one is durable.
    // When somebody else holds the lock, it is as good.
    FileDescriptor old = open_folder(target_);
    if (old.is_open()) lock(old);
    if (replacement == Replacement::exchange) {
      if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
        lock_ = std::move(old);
        return std::exchange(path_, {});
      }
      if (errno == EINVAL || errno == ENOSYS) {
        replacement = Replacement::two_steps;
      } else if (errno != ENOENT) {
        fail_with(target_.string() + " cannot be replaced", errno);
      }
    }
    // Succeeds when there is nothing to replace.
    if (::rename(path_.c_str(), target_.c_str()) == 0) {
      path_.clear();
      return {};
    }
    if (errno != EEXIST && errno != ENOTEMPTY) {
      fail_with(target_.string() + " cannot be created", errno);
    }
    if (replacement == Replacement::exchange) continue;
    const fs::path previous = replace_in_two_steps();
    if (previous.empty()) continue;  // another writer was quicker: replace what it put there
    lock_ = std::move(old);
    return previous;
  }
}

fs::path DurableFolder::replace_in_two_steps() {
  const fs::path previous = path_.string() + std::string(kSetAside);
  if (::rename(target_.c_str(), previous.c_str()) != 0) {
    if (errno == ENOENT) return {};
    fail_with(target_.string() + " cannot be set aside", errno);
  }
  if (::rename(path_.c_str(), target_.c_str()) == 0) {
    path_.clear();
    return previous;
  }
  const int error = errno;
  if (error == EEXIST || error == ENOTEMPTY) {
    // Another writer put the old folder back, or put its own there, which is newer.
    make_durable(target_.parent_path());
    std::error_code ignored;
    fs::remove_all(previous, ignored);
    return {};
  }
  ::rename(previous.c_str(), target_.c_str());
  fail_with(target_.string() + " cannot be replaced", error);
}

}  // namespace mesita::checkpoint
