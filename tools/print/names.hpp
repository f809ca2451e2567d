#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "definition/library/library.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {

// The one with this full name; null if there is none.
const Implementation* implementation_named(const std::vector<const Implementation*>& all,
                                           const std::string& full_name);

const Implementation* implementation_named(const Family& family, const std::string& full_name);

// In the manifest's order, and brief what differs from the default:
// "BLOCK_M=32 STAGES=3 (15 others: default)"; "the default" and "no parameters".
std::string configuration_text(const Implementation& implementation,
                               const Configuration& configuration, Detail detail);

// The same of the implementation with this full name; all values if it is none of these.
std::string configuration_text(const std::vector<const Implementation*>& all,
                               const std::string& full_name, const Configuration& configuration,
                               Detail detail);

// "16, 32, 64"
std::string joined(const std::vector<Value>& values, const char* separator);

// What has other values in `other` than in `configuration`, in the manifest's order: "STAGES=4".
std::string difference_text(const Implementation& implementation,
                            const Configuration& configuration, const Configuration& other);

// "gemm/tiled M=N=K=512" of a name and a problem's text, which is empty where all is the default.
std::string named_problem(const std::string& name, const std::string& problem);
std::string named_problem(const Operation& operation, const Problem& problem);

// Where the operands of timed calls are: "cold and warm", "cold", "warm".
std::string policy_text(const Policy& policy);

// Names the options that no device's compiler gets; nothing if there are none.
void print_dropped_options(std::ostream& out, const Implementation& implementation);
// Those of the reference and of kernels that fill arguments.
void print_dropped_options(std::ostream& out, const Operation& operation);

// Texts of stored problems and configurations. Where the definitions are not there, all values
// sorted by name.
class StoredNames {
 public:
  // `library` must outlive it, as must each family that is added.
  StoredNames(const Library& library, Detail detail);
  void add(const Family& family) { families_.insert_or_assign(family.operation.name, &family); }

  std::string problem(const Problem& problem) const;
  // `implementation` is the full name.
  std::string configuration(const std::string& implementation,
                            const Configuration& configuration) const;
  // Null if it is not known.
  const Operation* operation(const std::string& name) const;
  const Implementation* implementation(const std::string& full_name) const;

 private:
  Detail detail_;
  std::map<std::string, const Family*, std::less<>> families_;
};

}  // namespace tilewright::tools
