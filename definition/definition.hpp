#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "definition/implementation.hpp"
#include "definition/operation.hpp"

namespace tilewright {

// The checked content of manifests. docs/manifest*.md are the specification; every field of an
// Operation and an Implementation is a key there.

// The macro with the index of a label: LOADING_COOPERATIVE, BOUNDARY_ZERO.
std::string label_macro(const std::string& name, const std::string& label);
// The macro of a dimension or choice that is compiled in: PROBLEM_TAPS.
std::string problem_macro(const std::string& name);
// That macro, or a term's: TERM_BOX_ROWS.
std::string macro_of(const CompiledIn& item);
// Whether all labels of the choice are element types. If it is compiled in, the macro TYPE_A is the
// type in CUDA C++.
bool holds_types(const Choice& choice);
// Whether any label is one: then the choice is about types, and reference kernels know it too.
bool names_types(const Choice& choice);
std::string type_macro(const std::string& choice);

// The labels of the choice that has the name of an input buffer: whether each call prepares that
// input, or the application has done it.
inline constexpr std::array kPreparations = {"each_call", "prepared"};
// That choice, of which an operation has at most one; null: it has none. It is no macro.
const Choice* preparation_of(const Operation& operation);
// The position in Operation::arguments of the input that is given prepared. Nothing: no input is.
std::optional<int> prepared_input(const Operation& operation, const Scope& scope);

// The entry with the type in CUDA C++ in place of each {CHOICE} whose labels are types.
std::string entry_of(std::string entry, const Operation& operation, const Scope& scope);

// Those of the parameter's values that are labels.
std::vector<std::string> labels_of(const Parameter& parameter);

// Sets the parameter, or omits it if the value is its absent one.
void set(Configuration& configuration, const Parameter& parameter, const Value& value);

// The value of a parameter or choice, also of one that the settings omit. Nothing if they lack it.
const Value* find_value(const Configuration& configuration, const Parameter& parameter);
std::optional<Value> find_value(const Problem& problem, const Choice& choice);
// The value of a dimension, choice or hook.
std::optional<Value> find_value(const Operation& operation, const Problem& problem,
                                const std::string& name);

// Those that stand for an operation that is named without an implementation, because their times
// are taken in one way: all kernels and routines, or all evaluators where there is no kernel.
std::vector<const Implementation*> comparable(const std::vector<Implementation>& all);

// The configuration of all defaults.
Configuration default_configuration(const Implementation& implementation);

// The default with these values in place of its own.
Configuration default_with(const Implementation& implementation, const Settings& values);

// The default, then the default with the values of each element of `general`.
std::vector<Configuration> general_configurations(const Implementation& implementation);

}  // namespace tilewright
