#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/ladder/question.hpp"
#include "tilewright/kernel.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

// An argument of the operation. It is asked from the caller, unless it is a scalar whose value
// follows from the problem.
struct RecipeArgument {
  KernelArgument asked;
  std::int64_t capacity = 0;        // arrays: elements
  std::vector<std::uint8_t> value;  // empty: asked from the caller

  // The size of the kernel's parameter.
  std::int64_t parameter_bytes() const;
  bool operator==(const RecipeArgument&) const = default;
};

// One problem's kernel in numbers: all that a launch needs except the code.
struct Recipe {
  Answer answer;
  std::string label;  // for messages: "gemm/blocked M=512 N=512 K=512"
  Device device;      // the numbers hold for it
  std::string architecture;
  std::vector<RecipeArgument> arguments;  // in the operation's order
  LaunchPlan launches;
};

struct RecipeCode {
  std::shared_ptr<const std::vector<std::uint8_t>> bytes;
  std::map<std::string, std::string> symbols;  // entry → symbol
};

// The arguments asked from the caller, in order.
std::vector<KernelArgument> asked_arguments(const Recipe& recipe);

// The name of an input buffer whose values a launch on a GPU needs in host memory; empty if there
// is none.
std::string name_of_value_input(const Recipe& recipe);

// An operation and the one implementation of it to launch. Both belong to the definitions, which
// must outlive this, or to `family`, which was made for a snippet.
struct ChosenKernel {
  const Operation* operation = nullptr;
  const Implementation* implementation = nullptr;
  std::shared_ptr<const Family> family = {};
};

// The answer in numbers, for the device. Throws InputError if an expression has no result, and
// MachineError if the device cannot run the implementation.
Recipe plan_recipe(const ChosenKernel& chosen, const Answer& answer, const Device& device);

// Whether the configuration reads every buffer in the device's memory, none by value.
bool reads_memory(const ChosenKernel& chosen, const Problem& problem,
                  const Configuration& configuration, const Device& device);

// A configuration that does so, fits, and differs from the given one in at most one parameter.
// Nothing if there is none.
std::optional<Configuration> reading_memory(const ChosenKernel& chosen, const Problem& problem,
                                            const Configuration& configuration,
                                            const Device& device);

// Throws InputError if the source cannot be read.
CompileRequest compile_request(const ChosenKernel& chosen, const Recipe& recipe);

// What determines the code besides the text of its source: implementation, architecture, macros and
// snippets. Configurations and problems with the same key share the code. Nothing if the device
// cannot run the implementation. Throws InputError if an expression has no result.
std::optional<std::string> build_key(const ChosenKernel& chosen, const Problem& problem,
                                     const Configuration& configuration, const Device& device);

// The names whose value is the one that a problem gets if it leaves them out.
std::set<std::string> defaulted_names(const Operation& operation, const Problem& problem,
                                      const Device& device);

// The choices that the problem omits, with what they mean.
Settings omitted_values(const Operation& operation, const Problem& problem);

// Label → name, for the snippets of an operation.
std::map<std::string, std::string> snippet_names(const Operation& operation);

}  // namespace tilewright
