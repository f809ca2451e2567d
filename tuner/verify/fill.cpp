#include "tuner/verify/fill.hpp"

#include <fmt/format.h>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/verify/npy.hpp"

namespace tilewright {
namespace {

elements::FillRule numbers_of(const Fill& fill) {
  using elements::Filling;
  switch (fill.kind) {
    case Fill::Kind::uniform:
      return {Filling::uniform, fill.low, fill.high};
    case Fill::Kind::integers:
      return {Filling::integers, fill.low, fill.high};
    case Fill::Kind::sorted:
      return {Filling::sorted, fill.low, fill.high};
    case Fill::Kind::normal:
      return {Filling::normal, fill.mean, fill.deviation};
    case Fill::Kind::offsets:
      return {Filling::offsets, fill.low, fill.high};
    case Fill::Kind::permutation:
      return {Filling::permutation, fill.low, fill.high};
    case Fill::Kind::constant:
    case Fill::Kind::file:
      break;
  }
  return {Filling::constant, fill.low, fill.high};
}

elements::FillRule rule_of(const Fill& fill) {
  elements::FillRule rule = numbers_of(fill);
  rule.correlation = fill.correlation;
  rule.border = fill.border;
  rule.rows = fill.rows;
  rule.columns = fill.columns;
  return rule;
}

std::vector<std::uint8_t> read_file(const PlannedBuffer& buffer, std::size_t bytes) {
  const std::filesystem::path& file = buffer.fill.file;
  try {
    const std::size_t begin =
        is_npy(file)
            ? npy_offset(file, buffer.type, static_cast<std::int64_t>(bytes / size_of(buffer.type)))
            : 0;
    std::vector<std::uint8_t> data(begin + bytes);
    const std::size_t got = read_beginning(file, data);
    data.erase(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(begin));
    if (got == begin + bytes) return data;
    throw InputError(
        fmt::format("{}: has {} bytes; {} are needed", file.string(), got, begin + bytes));
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("the file that fills argument '{}': {}", buffer.name, error.what()));
  }
}

}  // namespace

std::vector<std::uint8_t> fill_buffer(const PlannedBuffer& buffer, int argument_index,
                                      std::uint64_t seed) {
  if (buffer.has_value) return value_bytes(buffer);
  const std::int64_t count = buffer.kind == ArgumentKind::scalar ? 1 : buffer.count;
  const std::uint64_t stream = elements::stream_of(seed, argument_index);
  const elements::FillRule rule = rule_of(buffer.fill);
  return visit_type(buffer.type, [&]<class T>(std::type_identity<T>) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (buffer.fill.kind == Fill::Kind::file) return read_file(buffer, bytes);

    std::vector<std::uint8_t> data(bytes);
    parallel_ranges(count, 1 << 18, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        store_element(data.data(), i, elements::filled_element<T>(rule, stream, i, count));
    });
    return data;
  });
}

}  // namespace tilewright
