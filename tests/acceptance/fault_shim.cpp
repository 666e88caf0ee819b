// LD_PRELOAD library: counts the calls that change files under FAULT_FOLDER and, at call number
// FAULT_AT, kills the process or makes the call fail. faults_test.py drives it.
//
// FAULT_KIND: kill, ENOSPC, EIO, EINTR or short (a write that takes one byte); FAULT_UNTIL: "once"
// or "on" (every later call fails too). FAULT_COUNT: a file that receives the number of calls.
// FAULT_LOG: a file that receives what the calls changed, for power_loss_test.py: a line each,
// "name, path, second path, size or bytes in hexadecimal digits", separated by tabs.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int calls = 0;

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_watched(const char* path) {
  const std::string folder = setting("FAULT_FOLDER");
  return !folder.empty() && path != nullptr && std::string(path).find(folder) != std::string::npos;
}

std::string path_of(int descriptor) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<size_t>(length));
}

bool is_watched(int descriptor) {
  return is_watched(path_of(descriptor).c_str());
}

enum class Fault { none, fails, is_short };

// What happens to this call.
Fault next_call() {
  ++calls;
  const int at = std::atoi(setting("FAULT_AT"));
  const bool hit =
      calls == at || (calls > at && at > 0 && std::string(setting("FAULT_UNTIL")) == "on");
  if (!hit) return Fault::none;
  const std::string kind = setting("FAULT_KIND");
  if (kind == "kill") raise(SIGKILL);
  if (kind == "short") return Fault::is_short;
  errno = kind == "ENOSPC" ? ENOSPC : kind == "EINTR" ? EINTR : EIO;
  return Fault::fails;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void note(const char* name, const std::string& path, const std::string& more = "") {
  static const int log = [] {
    const std::string file = setting("FAULT_LOG");
    if (file.empty()) return -1;
    return real<int(const char*, int, ...)>("open")(file.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                                    0600);
  }();
  if (log < 0) return;
  const std::string line = std::string(name) + "\t" + path + "\t" + more + "\n";
  real<ssize_t(int, const void*, size_t)>("write")(log, line.data(), line.size());
}

std::string digits(const void* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    const unsigned value = static_cast<const unsigned char*>(bytes)[i];
    text += {"0123456789abcdef"[value >> 4], "0123456789abcdef"[value & 15]};
  }
  return text;
}

// A write of the first `size` bytes at `bytes`; `call` writes what is left of them.
template <typename Call>
ssize_t written_by(int descriptor, const void* bytes, size_t size, Call call) {
  const bool watched = is_watched(descriptor);
  if (watched) {
    const Fault fault = next_call();
    if (fault == Fault::fails) return -1;
    if (fault == Fault::is_short) size = std::min<size_t>(size, 1);
  }
  const ssize_t written = call(size);
  if (watched && written > 0)
    note("write", path_of(descriptor), digits(bytes, static_cast<size_t>(written)));
  return written;
}

std::string absolute(int folder, const char* path) {
  return folder == AT_FDCWD || path[0] == '/' ? path : path_of(folder) + "/" + path;
}

struct Report {
  ~Report() {
    const std::string file = setting("FAULT_COUNT");
    if (file.empty()) return;
    if (std::FILE* out = std::fopen(file.c_str(), "w")) {
      std::fprintf(out, "%d\n", calls);
      std::fclose(out);
    }
  }
} report;

template <typename Call>
int guarded(bool watched, Call call) {
  if (watched && next_call() == Fault::fails) return -1;
  return call();
}

// Notes a call that has succeeded.
template <typename Call>
int noted(bool watched, const char* name, const std::string& path, const std::string& more,
          Call call) {
  return guarded(watched, [&] {
    const int result = call();
    if (watched && result >= 0) note(name, path, more);
    return result;
  });
}

int open_as(const char* name, const char* path, int flags, mode_t mode) {
  const bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
  return noted(changes && is_watched(path), "open", path, (flags & O_TRUNC) != 0 ? "cut" : "",
               [&] { return real<int(const char*, int, ...)>(name)(path, flags, mode); });
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_as("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_as("open64", path, flags, mode);
}
// What C and C++ streams open files with.
FILE* fopen64(const char* path, const char* mode) {
  const bool watched = std::strpbrk(mode, "wa+") != nullptr && is_watched(path);
  if (watched && next_call() == Fault::fails) return nullptr;
  FILE* file = real<FILE*(const char*, const char*)>("fopen64")(path, mode);
  if (watched && file != nullptr) note("open", path, std::strchr(mode, 'w') ? "cut" : "");
  return file;
}
FILE* fopen(const char* path, const char* mode) {
  return fopen64(path, mode);
}
ssize_t write(int descriptor, const void* bytes, size_t size) {
  return written_by(descriptor, bytes, size, [&](size_t taken) {
    return real<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, taken);
  });
}
ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  if (!is_watched(descriptor))
    return real<ssize_t(int, const struct iovec*, int)>("writev")(descriptor, parts, count);
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return write(descriptor, bytes.data(), bytes.size());
}
int ftruncate(int descriptor, off_t size) {
  return noted(is_watched(descriptor), "truncate", path_of(descriptor), std::to_string(size),
               [&] { return real<int(int, off_t)>("ftruncate")(descriptor, size); });
}
int fdatasync(int descriptor) {
  return noted(is_watched(descriptor), "fsync", path_of(descriptor), "",
               [&] { return real<int(int)>("fdatasync")(descriptor); });
}
int fsync(int descriptor) {
  return noted(is_watched(descriptor), "fsync", path_of(descriptor), "",
               [&] { return real<int(int)>("fsync")(descriptor); });
}
int close(int descriptor) {
  // A failed close has closed the descriptor all the same.
  const bool watched = is_watched(descriptor);
  const int result = real<int(int)>("close")(descriptor);
  return guarded(watched, [&] { return result; });
}
int mkdir(const char* path, mode_t mode) {
  return noted(is_watched(path), "mkdir", path, "",
               [&] { return real<int(const char*, mode_t)>("mkdir")(path, mode); });
}
int rename(const char* from, const char* to) {
  return noted(is_watched(from), "rename", from, to,
               [&] { return real<int(const char*, const char*)>("rename")(from, to); });
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const bool exchanges = (flags & 2) != 0;  // RENAME_EXCHANGE
  return noted(is_watched(from), exchanges ? "exchange" : "rename", from, to, [&] {
    return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(
        from_folder, from, to_folder, to, flags);
  });
}
int unlink(const char* path) {
  return noted(is_watched(path), "unlink", path, "",
               [&] { return real<int(const char*)>("unlink")(path); });
}
int remove(const char* path) {
  return noted(is_watched(path), "unlink", path, "",
               [&] { return real<int(const char*)>("remove")(path); });
}
int rmdir(const char* path) {
  return noted(is_watched(path), "unlink", path, "",
               [&] { return real<int(const char*)>("rmdir")(path); });
}
int unlinkat(int folder, const char* path, int flags) {
  return noted(is_watched(folder) || is_watched(path), "unlink", absolute(folder, path), "",
               [&] { return real<int(int, const char*, int)>("unlinkat")(folder, path, flags); });
}

}  // extern "C"
