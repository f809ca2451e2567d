#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuner/backend/compiler.hpp"

namespace tilewright {

// XXH3-128 of the compiler's version and all fields of the request, with names and lengths, in hex.
// `headers` is Compiler::headers(); it counts only for a request that may include them.
std::string cache_key(const CompileRequest& request, const std::string& compiler_version,
                      const std::string& headers = {});

// Compiled code by content. Thread-safe, and any number of processes may share it without locks. An
// entry is written under a temporary name and then renamed. Reading checks its hash and deletes a
// damaged entry. When the folder exceeds its limit, the entries unused for longest are deleted. The
// first store and every 64th after it check the limit. Write errors are ignored, because without
// the cache compiling is only slower.
class CubinCache {
 public:
  // An empty folder name means no cache.
  explicit CubinCache(std::filesystem::path folder, std::int64_t limit_bytes = 2LL << 30);

  std::optional<CompileResult> find(const std::string& key) const;
  // Does nothing for an outcome that may be the machine's.
  void store(const std::string& key, const CompileResult& result);

 private:
  void make_room() const;
  std::filesystem::path entry_of(const std::string& key) const;
  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
  std::atomic<unsigned> stores_ = 0;
};

}  // namespace tilewright
