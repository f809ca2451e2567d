#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// The values that these `assignments` name: "M=1024", "boundary=replicate", or "M=N=K=1024". Throws
// InputError for an unknown or duplicate name, an unknown label, and a value that is not an integer
// or is outside [minimum, maximum].
Settings given_values(const Operation& operation, const std::vector<std::string>& assignments);

// The problem with the given_values(). All other values are defaults, for the host device its
// smaller ones. Throws InputError as that does, and for a minimum or a constraint that the whole
// does not keep, and a buffer of more than kMostBufferElements.
Problem make_problem(const Operation& operation, const std::vector<std::string>& assignments,
                     const Device& device);

// The same for settings that come from a file or a database.
Problem make_problem(const Operation& operation, const Settings& values, const Device& device);

// Checks a problem that comes from elsewhere and is complete. Throws InputError if a dimension,
// choice or hook is missing or unknown, as make_problem() for its values, and if a formula of the
// operation has no result for them. Any label of a snippet is accepted.
void check_problem(const Operation& operation, const Problem& problem, const Device& device);

// `M=N=512 K=64 layout=row`: dimensions, choices and hooks in the operation's order, as command
// lines take them. What equals a default is left out, but for the default of a dimension that is
// above its minimum.
std::string problem_text(const Operation& operation, const Problem& problem);

// Bytes of all buffers that a call of the operation reads or writes. Throws InputError if a count
// has no value.
std::int64_t operand_bytes(const Operation& operation, const Problem& problem);

// The value of `device.sm_count` and the like; nothing if there is no such name.
std::optional<Value> device_value(const Device& device, std::string_view name);

// All names that device_value knows, with `device.`.
std::vector<std::string> device_names();

// All names that an expression may use: the problem's, then the configuration's, then `device.*`
// (docs/manifest.md lists them). The arguments must outlive the scope.
Scope full_scope(const Problem& problem, const Configuration& configuration, const Device& device);
Scope full_scope(const Problem& problem, const Device& device);  // of no configuration

// The value of the expression. Throws InputError that names `what` if there is none.
std::int64_t evaluate(const Expression& expression, const Scope& scope, const std::string& what);

// How many numbers a buffer or an array has. Throws InputError.
std::int64_t count_of(const Argument& argument, const Scope& scope);

// Whether a call in this scope has the argument. Throws InputError as evaluate().
bool is_present(const Argument& argument, const Scope& scope);

// The operation's workloads. If its manifest has none: one, named "all", of sizes from an eighth of
// each default to eight times it.
std::vector<Workload> workloads_of(const Operation& operation);

// The sizes and choices of one problem of the workload; others are left to their defaults. The same
// for the same index, and any number of them from 0 on are spread evenly over the whole workload.
// For the host, which is slower, sizes are in proportion to `host_default`.
Settings drawn(const Operation& operation, const Workload& workload, std::size_t index,
               DeviceKind kind);

}  // namespace tilewright
