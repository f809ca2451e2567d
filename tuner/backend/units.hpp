#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"

namespace tilewright {

// Code of several source units, in one piece. Units may have symbols of the same name, so a symbol
// of such code begins with the number of its unit: "1:add_parts". Code of one unit is as the
// compiler made it, and so are its symbols.

// Compiles the units of a request in order with `compile`, which gets them one by one, and joins
// the results. The first that fails is the result. Without further units, what `compile` returns.
using CompileUnit = std::function<CompileResult(const CompileRequest&)>;
CompileResult compile_units(const CompileRequest& request, const CompileUnit& compile);

// The same for code that is text, such as PTX: the texts follow each other.
CompileResult compile_units_to_text(const CompileRequest& request, const CompileUnit& compile);

// The code of each unit, aligned as the whole is up to 16 bytes. Throws TrialError if the sizes are
// not those of the code.
using CodeBytes = std::span<const std::uint8_t>;
std::vector<CodeBytes> units_of(CodeBytes code);
std::vector<std::uint8_t> join_units(const std::vector<std::vector<std::uint8_t>>& units);

// Where a symbol is. Throws TrialError if there are fewer than so many `units`.
struct UnitSymbol {
  std::size_t unit = 0;
  std::string name;
};
UnitSymbol find_unit(const std::string& symbol, std::size_t units);

}  // namespace tilewright
