#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// The contents of a gzip file. If the file ends early or is damaged, the contents up to there.
// Bytes that are not gzip are returned unchanged.
struct Unpacked {
  std::string text;
  bool is_complete = true;
};
Unpacked gunzip(std::string_view bytes);

}  // namespace tilewright
