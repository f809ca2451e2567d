#include "tuner/host/launch/module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "tilewright/error.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/host/compile/stopped.hpp"

namespace tilewright::host {
namespace {

constexpr int kMostParameters = 256;

[[noreturn]] void throw_no_file() {
  throw MachineError(fmt::format("no file in memory for the kernel's code: {}",
                                 std::generic_category().message(errno)));
}

// Throws MachineError if the linker lacked descriptors or memory, because another try may have
// them.
[[noreturn]] void throw_not_loaded(const std::string& why) {
  const std::string text = "cannot load the code: " + why;
  if (names_machine_fault(why) || why.find("Cannot allocate memory") != std::string::npos)
    throw MachineError(text);
  throw TrialError(Outcome::launch_failed, text);
}

// Writes a file in memory: it leaves nothing to clean up, and needs no folder that allows
// execution.
int write_file(std::span<const std::uint8_t> code) {
  const int fd = memfd_create("tilewright-kernel", MFD_CLOEXEC);
  if (fd < 0) throw_no_file();
  for (std::size_t done = 0; done < code.size();) {
    const ssize_t count = write(fd, code.data() + done, code.size() - done);
    if (count <= 0 && errno != EINTR) {
      close(fd);
      throw_no_file();
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  return fd;
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

using Code = std::span<const std::uint8_t>;
using FileHeader = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

template <class T>
std::optional<T> structure_at(Code code, std::uint64_t offset) {
  if (offset > code.size() || code.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, code.data() + offset, sizeof value);
  return value;
}

std::vector<Section> sections_of(Code code) {
  std::vector<Section> sections;
  const auto header = structure_at<FileHeader>(code, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return sections;
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (const auto section = structure_at<Section>(code, header->e_shoff + i * sizeof(Section)))
      sections.push_back(*section);
  return sections;
}

// The mangled name of a variable inside a function begins with _ZZ. That of its guard variable
// begins with _ZGV.
bool is_of_a_function(Code code, const Section& names, const Symbol& symbol) {
  constexpr std::string_view kPrefix = "_ZZ";
  const std::uint64_t place = names.sh_offset + symbol.st_name;
  return place + kPrefix.size() <= code.size() &&
         std::memcmp(code.data() + place, kPrefix.data(), kPrefix.size()) == 0;
}

bool is_writable(const std::vector<Section>& sections, const Symbol& symbol) {
  return symbol.st_shndx < sections.size() && (sections[symbol.st_shndx].sh_flags & SHF_WRITE) != 0;
}

struct AddressRange {
  std::uint64_t offset = 0;  // from the address where the library is loaded
  std::uint64_t size = 0;
};

// The writable variables inside functions of an ELF library, by its symbol table. They are the
// static shared memory of its kernels. (A section for them would not work, because GCC ignores the
// attribute in templates.) Empty if `code` is not such a library.
std::vector<AddressRange> static_locals(Code code) {
  std::vector<AddressRange> ranges;
  const std::vector<Section> sections = sections_of(code);
  for (const Section& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Symbol) <= table.sh_size; at += sizeof(Symbol)) {
      const auto symbol = structure_at<Symbol>(code, table.sh_offset + at);
      if (!symbol || (symbol->st_info & 0xF) != STT_OBJECT) continue;
      if (is_writable(sections, *symbol) &&
          is_of_a_function(code, sections[table.sh_link], *symbol))
        ranges.push_back({symbol->st_value, symbol->st_size});
    }
  }
  return ranges;
}

}  // namespace

ModuleCopy::CloseFile::~CloseFile() {
  if (fd >= 0) close(fd);
}

ModuleCopy::ModuleCopy(std::span<const std::uint8_t> code) : library_(nullptr, dlclose) {
  file_.fd = write_file(code);
  library_.reset(dlopen(fmt::format("/proc/self/fd/{}", file_.fd).c_str(), RTLD_NOW | RTLD_LOCAL));
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
  if (address == nullptr)
    throw TrialError(Outcome::launch_failed, fmt::format("the code has no {}", symbol));
  return address;
}

EntryFunction ModuleCopy::entry(const std::string& symbol) const {
  return reinterpret_cast<EntryFunction>(find(symbol));
}

std::vector<std::size_t> ModuleCopy::parameter_sizes(const std::string& symbol) const {
  const auto ask = reinterpret_cast<int (*)(unsigned long*, int)>(find(symbol + "_sizes"));
  std::vector<unsigned long> sizes(kMostParameters);
  const int count = ask(sizes.data(), kMostParameters);
  sizes.resize(static_cast<std::size_t>(std::min(count, kMostParameters)));
  return {sizes.begin(), sizes.end()};
}

void ModuleCopy::fill_shared(std::uint8_t value) const {
  for (const std::span<std::uint8_t>& variable : shared_) fill(variable, value);
}

}  // namespace tilewright::host
