#include "tuner/foreign/record.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "tuner/foreign/formats.hpp"

namespace tilewright {
namespace {

// zlib gets input and gives output in pieces of this size, because it counts in 32 bits.
constexpr std::size_t kPiece = 1 << 20;

std::vector<Record> records_in(const std::string& text) {
  if (auto records = read_wisdom(text)) return std::move(records.value());
  nlohmann::json document = parse_sorted(text);
  if (!document.is_discarded()) return {read_document(document)};
  auto whole = parse_what_is_whole(text);
  if (!whole) parse_document(text);  // throws
  Record record = at_place("ends early", [&] { return read_document(whole.value()); });
  record.is_complete = false;
  return {std::move(record)};
}

}  // namespace

double best_time_us(const Record& record) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : record.trials)
    if (trial.timing) best = std::min(best, trial.timing->median_us);
  if (best < std::numeric_limits<double>::infinity()) return best;
  throw bad_input(
      "{}: {}none of its {} configurations has a time; a record with measured ones is needed",
      record.name, record.is_complete ? "" : "ends early: ", record.trials.size());
}

SearchGrid grid_of(const Record& record) {
  std::vector<GridPoint> points;
  points.reserve(record.trials.size());
  for (const Trial& trial : record.trials)
    points.push_back({trial.implementation, &trial.configuration.values});
  return make_grid(points);
}

std::vector<Record> read_records(std::string_view bytes, const std::string& name) {
  Unpacked unpacked = at_place(name, [&] { return gunzip(bytes); });
  const std::string text = with_quoted_numbers(std::move(unpacked.text));
  std::vector<Record> records = at_place(name, [&] { return records_in(text); });
  for (Record& record : records) {
    record.name = name;
    record.is_complete = record.is_complete && unpacked.is_complete;
  }
  const auto has_no_time = [](const Record& record) {
    return std::ranges::none_of(record.trials,
                                [](const Trial& trial) { return trial.timing.has_value(); });
  };
  if (std::ranges::all_of(records, has_no_time)) best_time_us(records.front());  // throws
  std::erase_if(records, has_no_time);
  return records;
}

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
    if (result.text.size() > most) throw bad_input("unpacks to more than {} MiB", most >> 20);
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
