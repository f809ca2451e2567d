#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/target.hpp"

// Changes TOML by lines and by what stands behind their '=', so that most inputs get past the
// parser.

namespace {

using tilewright::fuzz::below;
using tilewright::fuzz::Random;

const std::vector<std::string> kValues = {"0",
                                          "-1",
                                          "9223372036854775807",
                                          "1e308",
                                          "true",
                                          "[]",
                                          "[1, 2]",
                                          "{}",
                                          "\"\"",
                                          "\"M * N\"",
                                          "\"a ? b : c\"",
                                          "\"min(M, 9223372036854775807)\"",
                                          "[\"x\", 1]",
                                          "{ name = \"x\" }",
                                          "1979-05-27",
                                          "\"../../etc/passwd\"",
                                          "\"(((((((((1)))))))))\"",
                                          "nan",
                                          "[[[[]]]]"};

// What stands behind the '=', or the whole line.
std::size_t value_start(const std::string& line) {
  const std::size_t equals = line.find('=');
  return equals == std::string::npos ? 0 : equals + 1;
}

void change(std::vector<std::string>& lines, Random& random) {
  const std::size_t at = below(random, lines.size());
  const std::size_t other = below(random, lines.size());
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
  std::string& line = lines[at];
  switch (below(random, 6)) {
    case 0:
      lines.erase(place);
      return;
    case 1:
      lines.insert(place, std::string(lines[other]));
      return;
    case 2:
      std::swap(line, lines[other]);
      return;
    case 3:
      line.replace(value_start(line), std::string::npos,
                   " " + kValues[below(random, kValues.size())]);
      return;
    case 4: {
      const std::string value = lines[other].substr(value_start(lines[other]));
      line.replace(value_start(line), std::string::npos, value);
      return;
    }
    default:
      if (!line.empty()) line[below(random, line.size())] = static_cast<char>(below(random, 256));
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  Random random(seed + 1);
  if (below(random, 5) == 0) return LLVMFuzzerMutate(data, size, most);
  std::istringstream stream(std::string(tilewright::fuzz::text_of(data, size)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t i = 0; i <= below(random, 3) && !lines.empty(); ++i) change(lines, random);
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
