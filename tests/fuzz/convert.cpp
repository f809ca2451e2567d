#include <string>

#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"
#include "tools/convert/python_value.hpp"
#include "tools/convert/quotient.hpp"
#include "tools/convert/t1_manifest.hpp"
#include "tools/convert/t1_problem.hpp"

using namespace tilewright;
using namespace tilewright::tools;

// A problem of another tuner, and an expression in it.
TILEWRIGHT_FUZZ_TARGET(convert) {
  const std::string text(fuzz::text_of(data, size));
  try {
    fuzz::expect(!manifest_text(read_t1(text, "."), ".").empty(), "a problem becomes a manifest");
  } catch (const InputError&) {
  }
  try {
    const ManifestNames names = {{"x", {"x", 1}}, {"y", {"y", -1}}};
    fuzz::expect(!translated(text, names).text.empty(), "an expression becomes an expression");
  } catch (const InputError&) {
  }
  try {
    python_value(text, {{"x", PythonList{1, 2}}});
  } catch (const InputError&) {
  }
  return 0;
}
