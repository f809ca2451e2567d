#include "tuner/verify/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright {
namespace {

using elements::Filling;

// In the order of Fill::Kind. Nothing is drawn for what a file has.
constexpr std::array kFillings = {Filling::uniform,  Filling::integers,   Filling::sorted,
                                  Filling::constant, Filling::constant,   Filling::normal,
                                  Filling::offsets,  Filling::permutation};
static_assert(kFillings.size() == Fill::kKinds.size());

elements::FillRule rule_of(const Fill& fill) {
  const bool is_normal = fill.kind == Fill::Kind::normal;
  return {kFillings.at(static_cast<std::size_t>(fill.kind)),
          is_normal ? fill.mean : fill.low,
          is_normal ? fill.deviation : fill.high,
          fill.correlation,
          fill.border,
          fill.rows,
          fill.columns};
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
    throw bad_input("{}: has {} bytes; {} are needed", file.string(), got, begin + bytes);
  } catch (const InputError& error) {
    throw bad_input("the file that fills argument '{}': {}", buffer.name, error.what());
  }
}

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kPrefix = 12;  // magic, version, and the header's length in 2 or 4 bytes
constexpr std::size_t kMostHeader = 65536;
constexpr int kFirstWithLongHeaders = 2;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw bad_input("{}: {}", file.string(), why);
}

// Numpy's letter for the kind of a type. Types that it does not have are bytes, "V".
char letter_of(const ElementTypeFacts& facts) {
  constexpr int kCodeOfIeeeFloats = 2;  // in DLPack
  if (facts.kind == ElementKind::signed_integer) return 'i';
  if (facts.kind == ElementKind::unsigned_integer) return 'u';
  if (facts.kind == ElementKind::complex) return 'c';
  return facts.dlpack_code == kCodeOfIeeeFloats ? 'f' : 'V';
}

// "f4"
std::string type_code(ElementType type) {
  return fmt::format("{}{}", letter_of(facts_of(type)), size_of(type));
}

// What follows "'key':" in the header, which is the text of a Python dictionary.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

// The product of the numbers of "(3, 4)". Nothing if it is no such text.
std::optional<std::int64_t> elements_of(std::string_view shape, std::size_t& dimensions) {
  const std::size_t end = shape.find(')');
  if (!shape.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  std::int64_t count = 1;
  for (shape = shape.substr(1, end - 1); !shape.empty();) {
    std::int64_t size = 0;
    const auto [rest, error] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    if (error != std::errc{} || size < 0 || __builtin_mul_overflow(count, size, &count))
      return std::nullopt;
    ++dimensions;
    shape.remove_prefix(static_cast<std::size_t>(rest - shape.data()));
    if (!shape.empty() && shape.front() != ',') return std::nullopt;
    shape.remove_prefix(std::min(shape.find_first_not_of(", "), shape.size()));
  }
  return count;
}

struct NpyHeader {
  std::string text;
  std::size_t end = 0;
};

NpyHeader read_header(const fs::path& file) {
  std::vector<std::uint8_t> bytes(kPrefix);
  const std::size_t got = read_beginning(file, bytes);
  if (got < kPrefix || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin(), [](char a, auto b) {
        return static_cast<std::uint8_t>(a) == b;
      }))
    refuse(file, "it is not a .npy file");
  const bool is_long = bytes[6] >= kFirstWithLongHeaders;
  std::size_t length = 0;  // little-endian
  for (std::size_t i = is_long ? 11 : 9; i >= 8; --i) length = length << 8U | bytes[i];
  if (length > kMostHeader)
    refuse(file, fmt::format("its header has {} bytes; the most is {}", length, kMostHeader));
  NpyHeader header;
  header.end = (is_long ? kPrefix : kPrefix - 2) + length;
  bytes.resize(header.end);
  if (read_beginning(file, bytes) < header.end) refuse(file, "it ends within its header");
  header.text.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header.end - length), bytes.end());
  return header;
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

bool is_npy(const fs::path& file) {
  return file.extension() == ".npy";
}

std::size_t npy_offset(const fs::path& file, ElementType type, std::int64_t count) {
  const NpyHeader header = read_header(file);
  const auto descr = value_of(header.text, "descr");
  const auto order = value_of(header.text, "fortran_order");
  const auto shape = value_of(header.text, "shape");
  std::size_t dimensions = 0;
  const auto elements = shape ? elements_of(*shape, dimensions) : std::nullopt;
  if (!descr || !order || !elements || !descr->starts_with('\''))
    refuse(file, "its header has no type, order and shape as numpy.save() writes them");
  const std::string_view written = descr->substr(1, descr->find('\'', 1) - 1);
  const bool is_little = written.starts_with('<') || written.starts_with('|');
  if (!is_little || written.substr(1) != type_code(type))
    refuse(file, fmt::format("its elements are '{}', and {} is '<{}'",
                             visible_line(std::string(written)), to_text(type), type_code(type)));
  if (!order->starts_with("False") && dimensions > 1)
    refuse(file, "it is in Fortran's order; save numpy.ascontiguousarray() of it");
  const std::int64_t stored = *elements;
  if (stored < count) refuse(file, fmt::format("has {} elements; {} are needed", stored, count));
  return header.end;
}

}  // namespace tilewright
