#include "tuner/host/threads/module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "definition/text/errors.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/toolchain/compiler_run.hpp"

namespace tilewright::host {
namespace {

constexpr int kMostParameters = 256;

[[noreturn]] void throw_no_file() {
  throw broken_machine("no file in memory for the kernel's code: {}",
                       std::generic_category().message(errno));
}

// Throws MachineError if the linker lacked descriptors or memory, because another try may have
// them.
[[noreturn]] void throw_not_loaded(const std::string& why) {
  const std::string text = "cannot load the code: " + why;
  if (names_machine_fault(why) || why.find("Cannot allocate memory") != std::string::npos)
    throw MachineError(text);
  refuse_launch(text);
}

// Writes a file in memory: it leaves nothing to clean up, and needs no folder that allows
// execution.
Descriptor write_file(std::span<const std::uint8_t> code) {
  Descriptor file(memfd_create("tilewright-kernel", MFD_CLOEXEC));
  if (file.get() < 0) throw_no_file();
  for (std::size_t done = 0; done < code.size();) {
    const ssize_t count = write(file.get(), code.data() + done, code.size() - done);
    if (count <= 0 && errno != EINTR) throw_no_file();
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  return file;
}

#if defined(__clang__)
__attribute__((no_sanitize("address", "undefined")))
#else
__attribute__((no_sanitize_address))
#endif
// Also fills the sanitizer's red zones, because the linker counts them as part of the variable.
void fill(std::span<std::uint8_t> bytes, std::uint8_t value) {
  volatile std::uint8_t* const first = bytes.data();
  for (std::size_t i = 0; i < bytes.size(); ++i) first[i] = value;
}

std::optional<std::size_t> offset_in(std::span<const std::uint8_t> bytes, const void* address) {
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at < first || at - first >= bytes.size()) return std::nullopt;
  return at - first;
}

using Code = std::span<const std::uint8_t>;
using FileHeader = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

// Structures that lie at `offset` one after another: `count`, or fewer if the code ends before.
template <class T>
std::vector<T> structures_at(Code code, std::uint64_t offset, std::uint64_t count) {
  if (offset >= code.size()) return {};
  std::vector<T> all(std::min(count, (code.size() - offset) / sizeof(T)));
  if (!all.empty()) std::memcpy(all.data(), code.data() + offset, all.size() * sizeof(T));
  return all;
}

std::vector<Section> sections_of(Code code) {
  const std::vector<FileHeader> header = structures_at<FileHeader>(code, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  return structures_at<Section>(code, header[0].e_shoff, header[0].e_shnum);
}

// The mangled name of a variable inside a function begins with _ZZ. That of its guard variable
// begins with _ZGV.
bool is_of_a_function(Code code, const Section& names, const Symbol& symbol) {
  const std::vector<char> prefix = {'_', 'Z', 'Z'};
  std::uint64_t place = 0;
  return !__builtin_add_overflow(names.sh_offset, symbol.st_name, &place) &&
         structures_at<char>(code, place, prefix.size()) == prefix;
}

// Whether the symbol lies within a section that may be written.
bool is_writable(const std::vector<Section>& sections, const Symbol& symbol) {
  if (symbol.st_shndx >= sections.size()) return false;
  const Section& section = sections[symbol.st_shndx];
  return (section.sh_flags & SHF_WRITE) != 0 && symbol.st_value >= section.sh_addr &&
         symbol.st_size <= section.sh_size &&
         symbol.st_value - section.sh_addr <= section.sh_size - symbol.st_size;
}

}  // namespace

ModuleCopy::ModuleCopy(std::span<const std::uint8_t> code)
    : file_(write_file(code)),
      library_(dlopen(fmt::format("/proc/self/fd/{}", file_.get()).c_str(), RTLD_NOW | RTLD_LOCAL),
               dlclose) {
  if (!library_) throw_not_loaded(dlerror());
  const auto state = reinterpret_cast<KernelState* (*)()>(find("tilewright_state"));
  state_ = state();
  const link_map* map = nullptr;
  if (dlinfo(library_.get(), RTLD_DI_LINKMAP, &map) != 0) return;
  auto* const base = reinterpret_cast<std::uint8_t*>(map->l_addr);  // NOLINT: an address
  for (const AddressRange& range : static_locals(code))
    shared_.emplace_back(base + range.offset, range.size);
}

void* ModuleCopy::find(const std::string& symbol) const {
  void* const address = dlsym(library_.get(), symbol.c_str());
  if (address == nullptr) refuse_launch(fmt::format("the code has no {}", symbol));
  return address;
}

std::span<std::uint8_t> ModuleCopy::variable(const std::string& symbol) const {
  const auto ask = reinterpret_cast<void* (*)(unsigned long*)>(find(symbol));
  unsigned long size = 0;
  auto* const first = static_cast<std::uint8_t*>(ask(&size));
  return {first, size};
}

std::vector<std::int64_t> ModuleCopy::parameter_sizes(const std::string& symbol) const {
  const auto ask = reinterpret_cast<int (*)(unsigned long*, int)>(find(symbol + "_sizes"));
  std::vector<unsigned long> sizes(kMostParameters);
  const int count = ask(sizes.data(), kMostParameters);
  sizes.resize(static_cast<std::size_t>(std::min(count, kMostParameters)));
  return {sizes.begin(), sizes.end()};
}

void ModuleCopy::fill_shared(std::uint8_t value) const {
  for (const std::span<std::uint8_t>& variable : shared_) fill(variable, value);
}

void* same_in(const ClusterBlock& other, const ClusterBlock& block, const void* own) {
  if (const auto offset = offset_in(block.dynamic_shared, own))
    return other.dynamic_shared.data() + *offset;
  for (std::size_t i = 0; i < block.static_shared.size(); ++i)
    if (const auto offset = offset_in(block.static_shared[i], own))
      return other.static_shared[i].data() + *offset;
  return nullptr;
}

std::optional<std::string> place_in(const ClusterBlock& block, const void* address) {
  if (const auto offset = offset_in(block.dynamic_shared, address))
    return fmt::format("byte {} of dynamic shared memory", *offset);
  for (const std::span<std::uint8_t>& variable : block.static_shared)
    if (const auto offset = offset_in(variable, address))
      return fmt::format("byte {} of a static variable of {} bytes in shared memory", *offset,
                         variable.size());
  return std::nullopt;
}

std::vector<AddressRange> static_locals(Code code) {
  std::vector<AddressRange> ranges;
  const std::vector<Section> sections = sections_of(code);
  for (const Section& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (const Symbol& symbol :
         structures_at<Symbol>(code, table.sh_offset, table.sh_size / sizeof(Symbol)))
      if ((symbol.st_info & 0xF) == STT_OBJECT && is_writable(sections, symbol) &&
          is_of_a_function(code, sections[table.sh_link], symbol))
        ranges.push_back({symbol.st_value, symbol.st_size});
  }
  return ranges;
}

}  // namespace tilewright::host
