#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::tools {

using PythonList = std::vector<std::int64_t>;
using PythonValue = std::variant<std::int64_t, PythonList>;
using PythonValues = std::map<std::string, PythonValue, std::less<>>;

// A list has at most as many elements as an array of a manifest.
inline constexpr std::size_t kMostPythonElements = 4096;

// What an expression of Python gives: integers, lists of them, list(), range(), comprehensions,
// min(), max(), len(), sum(). Throws InputError that names the text.
PythonValue python_value(std::string_view text, const PythonValues& names = {});
std::int64_t python_integer(std::string_view text, const PythonValues& names);
PythonList python_list(std::string_view text);

}  // namespace tilewright::tools
