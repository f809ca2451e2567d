#include "tools/convert/t1_argument.hpp"

#include <fmt/format.h>

#include <array>

#include "definition/manifest/table_reader.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

struct Type {
  const char* theirs;
  const char* ours;
  bool is_real;
};

constexpr std::array<Type, 12> kTypes = {{{"bool", "uint8", false},
                                          {"int8", "int8", false},
                                          {"uint8", "uint8", false},
                                          {"int16", "int16", false},
                                          {"uint16", "uint16", false},
                                          {"int32", "int32", false},
                                          {"uint32", "uint32", false},
                                          {"int64", "int64", false},
                                          {"uint64", "uint64", false},
                                          {"half", "float16", true},
                                          {"float", "float32", true},
                                          {"double", "float64", true}}};

struct ElementsOf {
  const Type* type;
  std::int64_t each;  // numbers in one: 4 in a float4
};

ElementsOf type_of(const JsonPlace& place) {
  const std::string text = place.text();
  for (const Type& type : kTypes)
    for (const auto& [suffix, each] : {std::pair{"", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}})
      if (text == std::string(type.theirs) + suffix && (each == 1 || type.is_real))
        return {&type, each};
  place.fail(
      fmt::format("'{}': accepted are bool, int8 to uint64, half, float and double, and "
                  "vectors of the last three such as float4",
                  text));
}

std::string role_of(const JsonPlace& place) {
  const auto access = place.find("AccessType");
  const std::string text = access ? access->text() : "ReadOnly";
  if (text == "ReadOnly") return "input";
  if (text == "WriteOnly") return "output";
  if (text == "ReadWrite") return "inout";
  access->fail(fmt::format("'{}': give ReadOnly, WriteOnly or ReadWrite", text));
}

std::string number_of(const JsonPlace& place, const Type& type) {
  std::string number = place.number();
  if (!type.is_real && number.find_first_not_of("-0123456789") != std::string::npos)
    place.fail(fmt::format("{} must be a whole number for {}", number, type.ours));
  return number;
}

void read_fill(const JsonPlace& place, const Type& type, T1Argument& argument) {
  const auto fill = place.find("FillType");
  if (!fill) return;
  const std::string kind = fill->text();
  if (kind == "Constant") {
    argument.fill = fmt::format("{{ kind = \"constant\", value = {} }}",
                                number_of(place.at("FillValue"), type));
  } else if (kind == "Random") {
    if (type.is_real) argument.fill = "{ kind = \"normal\" }";
  } else if (kind == "BinaryRaw") {
    argument.file = place.at("DataSource").text();
  } else {
    fill->fail(fmt::format("'{}': give Constant, Random or BinaryRaw", kind));
  }
}

void read_array(const JsonPlace& place, const PythonValues& values, T1Argument& argument) {
  const auto [type, each] = type_of(place.at("Type"));
  const JsonPlace size = place.at("Size");
  argument.type = type->ours;
  argument.count = size.read([&] { return python_integer(size.expression(), values); });
  if (argument.count < 1 || argument.count > INT32_MAX / each)
    size.fail(
        fmt::format("{} elements; an array has from 1 to 2147483647 numbers", argument.count));
  argument.count *= each;
  argument.role = role_of(place);
  if (argument.role != "output") read_fill(place, *type, argument);
}

void read_scalar(const JsonPlace& place, T1Argument& argument) {
  const auto [type, each] = type_of(place.at("Type"));
  if (each != 1) place.at("Type").fail("a number of a vector type cannot be passed; use an array");
  argument.type = type->ours;
  argument.literal = number_of(place.at("FillValue"), *type);
}

}  // namespace

T1Argument t1_argument(const JsonPlace& place, const PythonValues& values) {
  T1Argument argument;
  const JsonPlace name = place.at("Name");
  argument.name = name.text();
  if (!is_identifier(argument.name))
    name.fail(fmt::format("'{}' must be a name as in C: letters, digits and _", argument.name));
  const JsonPlace memory = place.at("MemoryType");
  const std::string kind = memory.text();
  if (kind == "Scalar") {
    read_scalar(place, argument);
    return argument;
  }
  if (kind != "Vector" && kind != "Symbol")
    memory.fail(fmt::format("'{}': give Scalar, Vector or Symbol", kind));
  read_array(place, values, argument);
  // Kernel Tuner passes constant memory to the kernel, too.
  const auto type = place.find("MemType");
  argument.is_launched = kind == "Vector";
  argument.is_constant = kind == "Symbol" || (type && type->text() == "Constant");
  if (argument.is_constant && argument.role != "input") memory.fail("constant memory is ReadOnly");
  return argument;
}

}  // namespace tilewright::tools
