#include "tokenizer/definition_file.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace mesita::tokenizer {
namespace fs = std::filesystem;
namespace {

constexpr uintmax_t kLargestFile = uintmax_t{64} << 20;
constexpr std::array kNames = {kSentencePieceFile, kSymbolsFile, kIdlessFile};

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw std::runtime_error(file.string() + ": " + reason);
}

std::vector<fs::path> definitions_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const std::string_view name : kNames) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) found.push_back(folder / name);
  }
  return found;
}

// Files and folders alike: what was written must be there after a power failure.
void make_durable(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) fail(path, "cannot be made durable: " + std::generic_category().message(error));
}

}  // namespace

std::string read_definition(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) fail(file, "no such regular file");
  const uintmax_t size = fs::file_size(file, error);
  if (error) fail(file, error.message());
  if (size == 0) fail(file, "the file is empty");
  if (size > kLargestFile) {
    fail(file, std::to_string(size) + " bytes, but a tokenizer file has at most " +
                   std::to_string(kLargestFile));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string content(size, '\0');
  if (!stream.read(content.data(), static_cast<std::streamsize>(size))) {
    fail(file, "cannot be read to its end");
  }
  return content;
}

void write_definition(const fs::path& folder, std::string_view name, std::string_view content) {
  require_writable_definition(folder, name);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(folder, "cannot make the folder: " + error.message());
  const fs::path file = folder / name;
  fs::path temporary = file;
  temporary += ".partial";
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    if (!stream) fail(temporary, "cannot be written");
  }
  make_durable(temporary);
  fs::rename(temporary, file, error);
  if (error) fail(file, "cannot be replaced: " + error.message());
  make_durable(folder);
}

void require_writable_definition(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    fail(folder, "is a file, expected a folder for the tokenizer");
  }
  for (const fs::path& other : definitions_in(folder)) {
    if (other.filename() != name) {
      fail(other, "the folder already holds a tokenizer of another kind; choose a new folder");
    }
  }
}

std::string definition_hash(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(content.data(), content.size(), digest.data(), &length, EVP_sha256(), nullptr) !=
      1) {
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

fs::path find_definition(const fs::path& folder) {
  const std::vector<fs::path> found = definitions_in(folder);
  if (found.empty()) {
    fail(folder, "no tokenizer here: expected tokenizer.model, symbols.json or none.json");
  }
  if (found.size() > 1) {
    fail(folder, "holds both " + found[0].filename().string() + " and " +
                     found[1].filename().string() + "; a tokenizer has one defining file");
  }
  return found.front();
}

}  // namespace mesita::tokenizer
