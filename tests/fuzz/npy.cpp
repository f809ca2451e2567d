#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/fill.hpp"

using namespace tilewright;

// A file of numpy.save(). What is accepted has its elements behind the header.
TILEWRIGHT_FUZZ_TARGET(npy) {
  const int file = memfd_create("npy", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  for (const ElementType type : {ElementType::float32, ElementType::uint8, ElementType::bfloat16})
    try {
      fuzz::expect(npy_offset(path, type, 1) <= size, "the header is part of the file");
    } catch (const InputError&) {
    }
  close(file);
  return 0;
}
