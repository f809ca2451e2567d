#include "tuner/worker/cubin_cache.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "definition/json/codec.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tuner/worker/answers.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// An entry is this line, the checksum of the payload in hex, a newline, and the payload (a
// CompileResult as CBOR). An entry of another version counts as absent.
constexpr std::string_view kMagic = "tilewright compiled code, format 3\n";
constexpr std::size_t kChecksumSize = 32;
constexpr std::size_t kKeySize = 32;  // of cache_key()
constexpr std::string_view kSuffix = ".code";
constexpr std::size_t kRandomSize = 16;
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr unsigned kStoresBetweenChecks = 64;
constexpr std::chrono::hours kAbandonedAfter{1};

// Nothing if there is none, or something else has its name.
std::optional<std::string> read_entry(const fs::path& path) {
  try {
    return read_text_file(path, kCompiledFile);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Nothing if the entry is damaged.
std::optional<CompileResult> decode(std::string_view text) {
  if (text.substr(0, kMagic.size()) != kMagic) return std::nullopt;
  text.remove_prefix(kMagic.size());
  if (text.size() <= kChecksumSize) return std::nullopt;
  const std::string_view stored = text.substr(0, kChecksumSize);
  const std::string_view payload = text.substr(kChecksumSize + 1);
  if (hex_hash(payload) != stored) return std::nullopt;
  try {
    if (const auto json = parse_cbor(payload)) return checked<CompileResult>(*json);
  } catch (const BadAnswer&) {
  }
  return std::nullopt;
}

// An earlier version did not find kernels without extern "C", and its log said so.
bool lacks_kernels(const CompileResult& result) {
  return result.log.find("(extern \"C\" missing?)") != std::string::npos;
}

std::string encode(const CompileResult& result) {
  const std::vector<std::uint8_t> bytes = cbor_bytes(result);
  const std::string payload(bytes.begin(), bytes.end());
  return std::string(kMagic) + hex_hash(payload) + '\n' + payload;
}

enum class FileKind { entry, temporary, other };

// The names that this class makes: KEY.code, and KEY.code.RANDOM.tmp by replace_file(); those of
// version 0.2 were KEY.PID.THREAD.tmp. Everything else in the folder belongs to somebody else.
FileKind kind_of(std::string_view name) {
  if (!is_hexadecimal(name.substr(0, kKeySize), kKeySize)) return FileKind::other;
  name.remove_prefix(kKeySize);
  if (name == kSuffix) return FileKind::entry;
  if (!name.ends_with(kTemporarySuffix)) return FileKind::other;
  name.remove_suffix(kTemporarySuffix.size());
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string_view last = name.substr(std::min(dot + 1, name.size()));
  name = name.substr(0, dot);
  const bool is_of_now = name == kSuffix && is_hexadecimal(last, kRandomSize);
  const bool is_of_version_2 = name.size() > 1 && name.front() == '.' &&
                               name.find_first_not_of("0123456789", 1) == name.npos &&
                               !last.empty() && is_hexadecimal(last, last.size());
  return is_of_now || is_of_version_2 ? FileKind::temporary : FileKind::other;
}

struct StoredFile {
  fs::path path;
  FileKind kind = FileKind::other;
  fs::file_time_type used;
  std::int64_t bytes = 0;
};

// Only ours. Files may disappear meanwhile, because other processes delete entries too.
std::vector<StoredFile> list_files(const fs::path& folder) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    StoredFile file;
    file.path = entry->path();
    file.kind = kind_of(file.path.filename().native());
    if (file.kind == FileKind::other || !fs::is_regular_file(entry->symlink_status(gone))) continue;
    file.used = entry->last_write_time(gone);
    if (!gone) file.bytes = static_cast<std::int64_t>(entry->file_size(gone));
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

// A field has its name too, so that different requests never give the same sequence.
void add_field(SequenceHash& hash, std::string_view name, std::string_view value) {
  hash.add(name);
  hash.add(value);
}

// Those that version 0.2 did not know. The compiler's version stands for the compiler.
void add_new_fields(SequenceHash& hash, const CompileRequest& unit) {
  static const auto& usual = *new const CompileRequest;
  for_each_listed<CompileRequest>([&](const auto& field) {
    if constexpr (kWritten<decltype(field)> == Written::unless_default)
      if (unit.*field.member != usual.*field.member && std::string_view(field.name) != "compiler")
        add_field(hash, field.name, nlohmann::json(unit.*field.member).dump());
  });
}

void add_unit(SequenceHash& hash, const CompileRequest& unit) {
  add_field(hash, "architecture", unit.architecture);
  add_field(hash, "source_name", unit.source_name);
  add_field(hash, "source", unit.source);
  add_field(hash, "headers", std::to_string(unit.headers.size()));
  for (const auto& [name, text] : unit.headers) add_field(hash, name, text);
  add_field(hash, "options", std::to_string(unit.options.size()));
  for (const std::string& option : unit.options) add_field(hash, "option", option);
  add_field(hash, "entries", std::to_string(unit.entries.size()));
  for (const std::string& entry : unit.entries) add_field(hash, "entry", entry);
  for (const std::string& constant : unit.constants) add_field(hash, "constant", constant);
  add_new_fields(hash, unit);
}

bool may_include_others(const CompileRequest& request) {
  return includes_others(request) || std::ranges::any_of(request.units, includes_others);
}

}  // namespace

std::string cache_key(const CompileRequest& request, const std::string& compiler_version,
                      const std::string& headers) {
  SequenceHash hash;
  add_field(hash, "compiler", compiler_version);
  if (!headers.empty() && may_include_others(request)) add_field(hash, "included", headers);
  add_unit(hash, request);
  if (!request.units.empty()) add_field(hash, "first unit", request.unit);  // which the log names
  for (const CompileRequest& unit : request.units) {
    add_field(hash, "unit", unit.unit);
    add_unit(hash, unit);
  }
  return hash.hex();
}

CubinCache::CubinCache(fs::path folder, std::int64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

std::optional<CompileResult> CubinCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = entry_of(key);
  const std::optional<std::string> text = read_entry(path);
  if (!text) return std::nullopt;
  std::error_code ignored;
  std::optional<CompileResult> result = decode(*text);
  if (!result || lacks_kernels(*result)) {
    fs::remove(path, ignored);
    return std::nullopt;
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  result->milliseconds = 0;
  result->from_cache = true;
  return result;
}

void CubinCache::store(const std::string& key, const CompileResult& result) {
  if (folder_.empty() || may_be_of_machine(result.outcome)) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (stores_++ % kStoresBetweenChecks == 0) make_room();
  try {
    replace_file(entry_of(key), encode(result));
  } catch (const MachineError&) {  // it is compiled again
  }
}

fs::path CubinCache::entry_of(const std::string& key) const {
  return folder_ / (key + std::string(kSuffix));
}

void CubinCache::make_room() const {
  std::vector<StoredFile> files = list_files(folder_);
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.used < b.used; });
  const auto abandoned = fs::file_time_type::clock::now() - kAbandonedAfter;
  std::int64_t total = 0;
  for (const StoredFile& file : files) total += file.bytes;
  std::error_code ignored;
  for (const StoredFile& file : files) {
    if (file.kind == FileKind::temporary ? file.used > abandoned : total <= limit_bytes_) continue;
    fs::remove(file.path, ignored);
    total -= file.bytes;
  }
}

}  // namespace tilewright
