// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuner/backend/compiler.hpp"

namespace tilewright {

// XXH3-128 over every field of the request and the compiler's version, each with its name and
// length, hexadecimal.
std::string cache_key(const CompileRequest& request, const std::string& compiler_version);

// Compiled code by content. Shared by any number of processes without locks: entries are
// written under a temporary name and renamed, checked by hash when read (a damaged one is
// deleted and counts as absent), and the longest unused go when the folder exceeds its limit,
// which is checked at the first store and every 64th after it. Write
// errors are swallowed: a cache that cannot be written is only slower. Thread-safe.
class CubinCache {
 public:
  // An empty folder name: no cache.
  explicit CubinCache(std::filesystem::path folder, std::int64_t limit_bytes = 2LL << 30);

  std::optional<CompileResult> find(const std::string& key) const;
  // Successful results and the compiler's own rejections; time-outs are not kept.
  void store(const std::string& key, const CompileResult& result);

 private:
  void make_room() const;
  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
  std::atomic<unsigned> stores_ = 0;
};

}  // namespace tilewright
