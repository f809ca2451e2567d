#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/header/cpp_code.hpp"
#include "db/header/header.hpp"

namespace tilewright {

// Writes the definition of one operation as code: its problem, defaults, classes and constraints.
class OperationCode {
 public:
  explicit OperationCode(const HeaderPart& part);

  const Operation& operation() const { return part_.family.operation; }
  LabelTable& labels() { return labels_; }

  // `namespace gemm { … struct Problem … }`.
  std::string problem_text();
  // The members complete(), classes(), fits(), settle() and cycles() of the class that the ladder
  // reads.
  std::string functions_text();
  // The problem's values in the order of `q`; empty if one is missing.
  std::vector<std::int64_t> values_of(const Problem& problem);
  // The family with the problem's snippets; null if one of them is not known.
  const Family* family_for(const Problem& problem) const;

 private:
  std::string value_code(const std::string& name) const;
  std::string device_code(const std::string& name);
  NameCode names(const Implementation* implementation);
  std::string code(const Expression& expression, const Implementation* implementation = nullptr);
  std::string default_text(const Dimension& dimension);
  std::string complete_text();
  std::string minimum_text(const Dimension& dimension);
  std::string count_text(const Argument& argument);
  std::string classes_text();
  // About a configuration of one of the implementations.
  struct Member {
    const char* type;
    const char* name;
    const char* values;     // type of the configuration's values
    const char* otherwise;  // of no implementation
  };
  static constexpr Member kFits = {"constexpr bool", "fits", "const long long*", "false"};
  static constexpr Member kSettle = {"constexpr bool", "settle", "long long*", "false"};
  static constexpr Member kCycles = {"double", "cycles", "const long long*", "no_cost"};
  static std::string member_begin(const Member& member, std::size_t implementation);
  static std::string architecture_text(const std::string& required);
  std::string fits_text(std::size_t implementation);
  std::string settle_text(std::size_t implementation);
  std::string cycles_text(std::size_t implementation);
  struct Enumerator {
    std::string shown;
    std::string label;
  };
  std::string choice_text(const std::string& name, const std::vector<Enumerator>& known);
  void add_snippets(const Hook& hook);

  const HeaderPart& part_;
  LabelTable labels_;
  std::map<std::string, std::size_t> places_;  // name → index in `q`
  struct Known {
    std::string hook;
    std::string name;
    std::string label;
    Family family;
  };
  std::vector<Known> known_;  // families with one snippet each
};

// The measured rows of one operation as constexpr tables, members of the class that the header's
// ladder reads. `devices` are all devices of the header.
std::string tables_text(const HeaderPart& part, const std::vector<Device>& devices,
                        OperationCode& code);

// header.txt: the part that is the same in every header, with placeholders such as @DEVICES@.
extern const std::string_view kHeaderText;

// The sources of definition/expression/arithmetic.hpp, definition/cycles.hpp and
// db/ladder/core.hpp.
extern const std::string_view kArithmeticSource;
extern const std::string_view kCyclesSource;
extern const std::string_view kLadderCoreSource;

}  // namespace tilewright
