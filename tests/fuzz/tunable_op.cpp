#include "tools/results/tunable_op.hpp"

#include <algorithm>

#include "definition/expression/expression_lexer.hpp"
#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

// A line of TunableOp's list. What it gives stands on a command line as it is.
TILEWRIGHT_FUZZ_TARGET(tunable_op) {
  try {
    const auto values = tools::tunable_op_problem(std::string(fuzz::text_of(data, size)), "here");
    for (const std::string& value : values.value_or(std::vector<std::string>())) {
      const std::size_t sign = value.find('=');
      fuzz::expect(sign != 0 && sign < value.size() - 1, "a value is NAME=VALUE");
      fuzz::expect(std::ranges::count_if(value, continues_name) == std::ssize(value) - 1,
                   "and has only letters, digits and '_' besides");
    }
  } catch (const InputError&) {
  }
  return 0;
}
