#pragma once

#include <optional>
#include <string>

#include "db/store/store.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// Exports that also need definitions. They answer as `best` does, including shipped results.
// `store` may be null. They return nothing if there is no result to write.

// The C++ header for the operations that match.
std::optional<std::string> header_content(const Arguments& arguments, const Query& query,
                                          const Store* store);

// Macros for the problem on the command line: one set for each GPU with results, among which the
// preprocessor chooses. GPUs by name come first, then the first GPU of each compute capability.
std::optional<std::string> defines_content(const Arguments& arguments, const Store* store);

}  // namespace tilewright::tools
