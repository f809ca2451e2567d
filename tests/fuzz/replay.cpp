#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/target.hpp"

// Gives a target every file of the folders and files that are named, in place of a fuzzer.
int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  std::size_t inputs = 0;
  const auto give = [&inputs](const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++inputs;
  };
  for (int i = 1; i < count; ++i) {
    if (!fs::is_directory(arguments[i])) {
      give(arguments[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(arguments[i]))
      if (entry.is_regular_file()) give(entry.path());
  }
  std::cout << inputs << " inputs\n";
  return inputs > 0 ? 0 : 1;
}
