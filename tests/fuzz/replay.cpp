#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/target.hpp"

// TARGET FOLDER…: gives a target every file of the folders, in place of a fuzzer.
int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  const auto& targets = tilewright::fuzz::targets();
  const auto target = count > 1 ? targets.find(arguments[1]) : targets.end();
  if (target == targets.end()) return 2;
  std::size_t inputs = 0;
  for (int i = 2; i < count; ++i)
    for (const auto& entry : fs::recursive_directory_iterator(arguments[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(stream), {});
      target->second(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++inputs;
    }
  std::cout << inputs << " inputs\n";
  return inputs > 0 ? 0 : 1;
}
