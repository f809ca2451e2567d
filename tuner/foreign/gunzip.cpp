#include "tuner/foreign/gunzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// zlib gets input and gives output in pieces of this size, because it counts in 32 bits.
constexpr std::size_t kPiece = 1 << 20;

}  // namespace

Unpacked gunzip(std::string_view bytes, std::size_t most) {
  if (!bytes.starts_with("\x1f\x8b")) return {std::string(bytes), true};
  z_stream stream{};
  constexpr int gzip_window = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  Unpacked result;
  std::vector<char> out(kPiece);
  int status = Z_OK;
  while (!bytes.empty() || stream.avail_in > 0 || stream.avail_out == 0) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      // zlib's interface predates const; it does not write here.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(std::min(kPiece, bytes.size()));
      bytes.remove_prefix(stream.avail_in);
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
    result.text.append(out.data(), out.size() - stream.avail_out);
    if (result.text.size() > most)
      throw InputError(fmt::format("unpacks to more than {} MiB", most >> 20));
    if (status == Z_STREAM_END) {
      if (bytes.empty() && stream.avail_in == 0) break;
      status = inflateReset(&stream);  // a file may have several members
    }
    if (status != Z_OK && status != Z_BUF_ERROR) break;
  }
  result.is_complete = status == Z_STREAM_END;
  return result;
}

}  // namespace tilewright
