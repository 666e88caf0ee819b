#include "training/data/pack_writer.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "model/checkpoint/output_file.h"
#include "model/checkpoint/readable_file.h"
#include "model/checkpoint/sha256.h"
#include "training/data/document_list.h"

namespace mesita::training {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPlaceFile = "place.json";
constexpr size_t kBuffer = size_t{4} << 20;
constexpr uint64_t kLargestPlace = uint64_t{64} << 20;

[[noreturn]] void fail_to_pack(const fs::path& path, const std::string& what, int error) {
  throw std::runtime_error(path.string() + " " + what + ": " +
                           std::generic_category().message(error));
}

fs::path normal(const fs::path& target) {
  fs::path path = fs::absolute(target).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (!path.has_filename())
    throw std::invalid_argument("'" + target.string() + "' names no folder that can be written");
  return path;
}

checkpoint::Part part_of(const fs::path& path) {
  const checkpoint::ReadableFile file(path);
  return {file.size(), checkpoint::sha256(file)};
}

// What does not change while packing.
PackInfo without_counts(PackInfo info) {
  info.tokens = info.documents = 0;
  info.sets.clear();
  info.files.clear();
  for (PackedInput& input : info.inputs) {
    input.documents = input.empty = input.malformed = 0;
    input.truncated = false;
  }
  return info;
}

}  // namespace

void PackWriter::Appender::open(uint64_t bytes) {
  file = checkpoint::FileDescriptor(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0666));
  if (!file.is_open()) fail_to_pack(path, "cannot be written", errno);
  if (fs::file_size(path) < bytes) {
    throw std::runtime_error(path.string() + " has lost what was written; remove its folder " +
                             path.parent_path().string() + " and pack again");
  }
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    fail_to_pack(path, "cannot be cut", errno);
}

void PackWriter::Appender::flush() {
  std::span<const std::byte> rest(buffer);
  while (!rest.empty()) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      fail_to_pack(path, "cannot be written (free some space; the same command goes on)",
                   written < 0 ? errno : ENOSPC);
    }
    rest = rest.subspan(static_cast<size_t>(written));
  }
  buffer.clear();
}

void PackWriter::Appender::sync() {
  flush();
  if (::fdatasync(file.get()) != 0) fail_to_pack(path, "cannot be made durable", errno);
}

PackWriter::PackWriter(const fs::path& target, const PackInfo& fresh)
    : target_(normal(target)),
      folder_(target_.parent_path() / ("." + target_.filename().string() + ".packing")),
      info_(fresh) {
  if (fs::exists(target_) && !(fs::is_directory(target_) && fs::is_empty(target_))) {
    throw std::runtime_error(target_.string() +
                             " exists already; choose another folder, or remove it");
  }
  fs::create_directories(folder_);
  lock_ = checkpoint::FileDescriptor(
      ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!lock_.is_open()) fail_to_pack(folder_, "cannot be opened", errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw std::runtime_error("another process is packing into " + target_.string());
  if (!read_place(fresh)) {
    place_ = {};
    info_ = fresh;
  }
  tokens_.path = folder_ / kPackedTokens;
  documents_.path = folder_ / kPackedDocuments;
  tokens_.open(static_cast<uint64_t>(info_.tokens) * bytes_of(info_.type));
  documents_.open(static_cast<uint64_t>(info_.documents) * kPackedDocumentBytes);
}

bool PackWriter::read_place(const PackInfo& fresh) {
  const fs::path file = folder_ / kPlaceFile;
  if (!fs::exists(file)) return false;
  std::tie(place_, info_) =
      parse_place(checkpoint::ReadableFile(file).read_all(kLargestPlace), file.string());
  if (without_counts(info_) == without_counts(fresh)) return true;
  throw std::runtime_error(folder_.string() +
                           " holds an unfinished pack of other files, of files that have changed, "
                           "or with another tokenizer; remove it, or choose another --out");
}

void PackWriter::append(const EncodedDocument& document, size_t input) {
  const size_t set = find_or_add_set(info_.sets, document.set);
  append_document({static_cast<uint64_t>(info_.tokens), static_cast<uint32_t>(document.bytes),
                   static_cast<uint32_t>(set)},
                  documents_.buffer);
  append_ids(document.ids, info_.type, tokens_.buffer);
  const auto tokens = static_cast<int64_t>(document.ids.size());
  info_.tokens += tokens;
  ++info_.documents;
  ++info_.inputs.at(input).documents;
  ++info_.sets[set].documents;
  info_.sets[set].tokens += tokens;
  info_.sets[set].bytes += document.bytes;
  if (tokens_.buffer.size() >= kBuffer) tokens_.flush();
  if (documents_.buffer.size() >= kBuffer) documents_.flush();
}

void PackWriter::write_whole(const char* name, const std::string& text) const {
  const fs::path part = folder_ / (std::string(name) + ".part");
  fs::remove(part);
  checkpoint::OutputFile file(part);
  file.write(text);
  file.finish();
  fs::rename(part, folder_ / name);
  checkpoint::make_durable(folder_);
}

void PackWriter::save(const PackPlace& place) {
  place_ = place;
  tokens_.sync();
  documents_.sync();
  write_whole(kPlaceFile, place_json(place_, info_));
}

void PackWriter::finish(const tokenizer::Tokenizer& tokenizer) {
  tokens_.sync();
  documents_.sync();
  tokenizer.save(folder_ / kPackedTokenizer);
  for (const char* name : {kPackedTokens, kPackedDocuments})
    info_.files[name] = part_of(folder_ / name);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / kPackedTokenizer)) {
    const std::string name = std::string(kPackedTokenizer) + "/" + entry.path().filename().string();
    info_.files[name] = part_of(entry.path());
  }
  write_whole(kPackFile, pack_json(info_));
  fs::remove(folder_ / kPlaceFile);
  checkpoint::make_durable(folder_);
  std::error_code error;
  fs::rename(folder_, target_, error);
  if (error)
    fail_to_pack(target_, "cannot be created (its content is in " + folder_.string() + ")",
                 error.value());
  checkpoint::make_durable(target_.parent_path());
}

}  // namespace mesita::training
