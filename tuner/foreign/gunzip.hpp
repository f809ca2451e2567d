#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewright {

// A limit for hostile files: 1 MB of gzip can hold 1 GB.
inline constexpr std::size_t kMostUnpackedBytes = std::size_t{512} << 20;

// The contents of a gzip file. If the file ends early or is damaged, the contents up to there.
// Bytes that are not gzip are returned unchanged. Throws InputError if the contents have more than
// `most` bytes.
struct Unpacked {
  std::string text;
  bool is_complete = true;
};
Unpacked gunzip(std::string_view bytes, std::size_t most = kMostUnpackedBytes);

}  // namespace tilewright
