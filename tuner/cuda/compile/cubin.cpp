#include "tuner/cuda/compile/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "definition/text/hash.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/plan/failure.hpp"

namespace tilewright::cuda {
namespace {

using Bytes = std::span<const std::uint8_t>;

// A copy of the structure at `offset`, if the file holds all of it.
template <class T>
std::optional<T> read_at(Bytes file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

struct Section {
  std::string_view name;
  Elf64_Shdr header{};
  std::string_view contents;
};

std::optional<std::string_view> contents_of(Bytes file, const Elf64_Shdr& header) {
  if (header.sh_type == SHT_NOBITS) return std::string_view{};
  if (header.sh_offset > file.size() || file.size() - header.sh_offset < header.sh_size)
    return std::nullopt;
  const auto* begin = reinterpret_cast<const char*>(file.data()) + header.sh_offset;
  return std::string_view(begin, header.sh_size);
}

// The text that begins there and ends with a zero.
std::optional<std::string_view> text_at(std::string_view texts, std::uint64_t offset) {
  if (offset >= texts.size()) return std::nullopt;
  const std::string_view text = texts.substr(offset);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

std::optional<std::vector<Section>> read_sections(Bytes file, const Elf64_Ehdr& header) {
  std::vector<Section> sections;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    const auto contents = section ? contents_of(file, *section) : std::nullopt;
    if (!contents) return std::nullopt;
    sections.push_back({{}, *section, *contents});
  }
  if (header.e_shstrndx >= sections.size()) return std::nullopt;
  const std::string_view names = sections[header.e_shstrndx].contents;
  for (Section& section : sections) {
    const auto name = text_at(names, section.header.sh_name);
    if (!name) return std::nullopt;
    section.name = *name;
  }
  return sections;
}

// Nothing of what is no cubin.
std::optional<std::vector<Section>> sections_of(Bytes cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shoff != 0;
  return is_elf ? read_sections(cubin, *header) : std::nullopt;
}

// An attribute of a kernel. The section has the format and the number of each in a byte, then two
// bytes: the value, or the length of what follows.
struct Attribute {
  std::uint8_t format = 0;
  std::uint8_t number = 0;
  std::uint16_t value = 0;
  std::string_view contents = {};
};

constexpr std::uint8_t kHasContents = 4;
// Numbers of attributes (EIATTR_…), as cuobjdump names them.
constexpr std::uint8_t kParameter = 0x17;       // KPARAM_INFO
constexpr std::uint8_t kParameterBytes = 0x19;  // CBANK_PARAM_SIZE: of all parameters
constexpr std::uint8_t kLargeParameter = 0x45;  // KPARAM_INFO_V2

template <class T>
T value_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::vector<Attribute>> read_attributes(std::string_view section) {
  std::vector<Attribute> attributes;
  while (!section.empty()) {
    if (section.size() < 4) return std::nullopt;
    Attribute one{value_at<std::uint8_t>(section, 0), value_at<std::uint8_t>(section, 1),
                  value_at<std::uint16_t>(section, 2)};
    section.remove_prefix(4);
    if (one.format == kHasContents) {
      if (section.size() < one.value) return std::nullopt;
      one.contents = section.substr(0, one.value);
      section.remove_prefix(one.value);
    }
    attributes.push_back(one);
  }
  return attributes;
}

struct ParameterPlace {
  std::uint16_t offset = 0;
  std::int64_t bytes = 0;
};

// The parameters are in descending or any other order, each number once. Nothing unless they end
// where the attributes say.
std::optional<std::vector<std::int64_t>> sizes_of(const std::vector<Attribute>& attributes) {
  constexpr std::size_t kLength = 12;
  std::map<std::uint16_t, ParameterPlace> by_number;
  for (const Attribute& one : attributes) {
    if (one.number != kParameter && one.number != kLargeParameter) continue;
    if (one.contents.size() != kLength) return std::nullopt;
    const std::int64_t bytes = one.number == kParameter
                                   ? value_at<std::uint32_t>(one.contents, 8) >> 18U
                                   : value_at<std::uint16_t>(one.contents, 8);
    const ParameterPlace parameter{value_at<std::uint16_t>(one.contents, 6), bytes};
    if (!by_number.emplace(value_at<std::uint16_t>(one.contents, 4), parameter).second)
      return std::nullopt;
  }
  std::vector<std::int64_t> sizes;
  std::int64_t end = 0;
  for (const auto& [number, parameter] : by_number) {
    if (number != sizes.size()) return std::nullopt;
    sizes.push_back(parameter.bytes);
    end = parameter.offset + parameter.bytes;
  }
  const auto all = std::ranges::find(attributes, kParameterBytes, &Attribute::number);
  return end == (all == attributes.end() ? 0 : all->value) ? std::optional(sizes) : std::nullopt;
}

}  // namespace

std::optional<std::vector<std::int64_t>> kernel_parameters(Bytes code,
                                                           const std::string& symbol) try {
  const std::vector<CodeBytes> units = units_of(code);
  const UnitSymbol kernel = find_unit(symbol, units.size());
  const auto sections = sections_of(units[kernel.unit]);
  if (!sections) return std::nullopt;
  const auto info = std::ranges::find(*sections, ".nv.info." + kernel.name, &Section::name);
  const auto attributes = info == sections->end() ? std::nullopt : read_attributes(info->contents);
  return attributes ? sizes_of(*attributes) : std::nullopt;
} catch (const TrialError&) {  // its units are not what it says
  return std::nullopt;
}

std::string cubin_hash(const std::vector<std::uint8_t>& cubin) {
  const auto sections = sections_of(cubin);
  if (!sections) return hex_hash(cubin);
  SequenceHash hash;
  hash.add(read_at<Elf64_Ehdr>(cubin, 0)->e_flags);  // the architecture
  for (const Section& section : *sections) {
    if (section.name.substr(0, 5) == ".note") continue;
    hash.add(section.name);
    hash.add(section.header.sh_type);
    hash.add(section.header.sh_flags);
    // Matters for sections without contents, such as shared memory.
    hash.add(section.header.sh_size);
    hash.add(section.contents);
  }
  return hash.hex();
}

std::vector<std::string> cubin_variables(const std::vector<std::uint8_t>& cubin) {
  std::vector<std::string> variables;
  const auto sections = sections_of(cubin);
  if (!sections) return variables;
  for (const Section& section : *sections) {
    const std::size_t names = section.header.sh_link;
    if (section.header.sh_type != SHT_SYMTAB || names >= sections->size()) continue;
    for (std::uint64_t i = 0; i + sizeof(Elf64_Sym) <= section.contents.size();
         i += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, section.contents.data() + i, sizeof symbol);
      const auto name = text_at((*sections)[names].contents, symbol.st_name);
      if (name && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF)
        variables.emplace_back(*name);
    }
  }
  return variables;
}

}  // namespace tilewright::cuda
