#include "bindings/c/call.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "tilewright/version.hpp"

namespace tilewright::bindings {
namespace {

std::string& error_text() {
  thread_local std::string text;
  return text;
}

tw_status failed(tw_status status, const char* text) noexcept {
  try {
    error_text() = text;
  } catch (...) {
    error_text().clear();  // no memory even for the message
  }
  return status;
}

// No version has a struct of so many bytes. A size beyond it is something else, such as a pointer.
constexpr std::size_t kMostBytes = 4096;

std::size_t checked_size(const char* function, const SizedFacts& facts, const void* given) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < facts.least || size > kMostBytes)
    throw InputError(fmt::format("{}: the size of {} is {}; give .size = sizeof({})", function,
                                 facts.name, size, facts.name));
  return size;
}

}  // namespace

tw_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const NothingFound& error) {
    return failed(TW_NOTHING, error.what());
  } catch (const InputError& error) {
    return failed(TW_INPUT_ERROR, error.what());
  } catch (const MachineError& error) {
    return failed(TW_MACHINE_ERROR, error.what());
  } catch (const LaunchError& error) {
    return failed(TW_LAUNCH_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return failed(TW_MACHINE_ERROR, "out of memory");
  } catch (const std::exception& error) {
    return failed(TW_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(TW_INTERNAL_ERROR, "an exception of an unknown type");
  }
}

void require(const char* function, std::initializer_list<NamedPointer> pointers) {
  for (const auto& [name, pointer] : pointers)
    if (pointer == nullptr) throw InputError(fmt::format("{}: {} is NULL", function, name));
}

void read_sized(const char* function, const SizedFacts& facts, const void* given, void* whole,
                std::size_t known) {
  const std::size_t size = checked_size(function, facts, given);
  const std::span bytes(static_cast<const unsigned char*>(given), size);
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  if (std::ranges::any_of(bytes.subspan(std::min(size, known)), is_set))
    throw InputError(fmt::format(
        "{}: {} has {} bytes, and a field beyond the {} that this library knows is set; "
        "load one that is newer than {}",
        function, facts.name, size, known, kVersion));
  std::memcpy(whole, given, std::min(size, known));
}

void write_sized(const char* function, const SizedFacts& facts, const void* whole, void* given,
                 std::size_t known) {
  const std::size_t size = std::min(checked_size(function, facts, given), known);
  constexpr std::size_t kHeader = sizeof(std::size_t);
  std::memcpy(static_cast<char*>(given) + kHeader, static_cast<const char*>(whole) + kHeader,
              size - kHeader);
}

}  // namespace tilewright::bindings

const char* tw_error_text(void) {
  return tilewright::bindings::error_text().c_str();
}

const char* tw_version(void) {
  return tilewright::kVersion;
}
