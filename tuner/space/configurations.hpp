#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/settings.hpp"
#include "tuner/space/diagram.hpp"

namespace tilewright {

// Converts combinations of parameter values to mixed-radix numbers and back.
class Radix {
 public:
  struct Digit {
    std::string name;
    std::vector<Value> values;
    std::optional<Value> absent;  // as in Parameter
    Code weight = 1;
  };

  Radix() = default;
  // The product of the value counts must fit into 64 bits.
  explicit Radix(const std::vector<Parameter>& parameters);

  const std::vector<Digit>& digits() const { return digits_; }
  std::size_t place(Code code, std::size_t digit) const {
    return code / digits_[digit].weight % digits_[digit].values.size();
  }
  Configuration configuration(Code code) const;
  // Nothing if it has other parameters, or a value that is not in the list of its parameter.
  std::optional<Code> code(const Configuration& configuration) const;

 private:
  std::vector<Digit> digits_;
};

// A list of configurations of one implementation, eight bytes each. A configuration is built at
// each access. Safe to read from many threads.
class Configurations {
 public:
  Configurations() = default;
  // `codes` must ascend.
  Configurations(Radix radix, std::vector<Code> codes);
  // A list of one.
  explicit Configurations(const Configuration& configuration);

  std::size_t size() const { return codes_.size(); }
  bool empty() const { return codes_.empty(); }
  Configuration operator[](std::size_t index) const { return radix_.configuration(codes_[index]); }

  // The configuration's place in the list.
  std::optional<std::size_t> find(const Configuration& configuration) const;
  // The place of the one that differs from the configuration in the fewest parameters, of those by
  // the fewest places in their lists of values, and of those the first. Only `free` parameters may
  // differ. Nothing if there is none.
  std::optional<std::size_t> nearest(const Configuration& configuration,
                                     const std::set<std::string>& free) const;

  const Radix& radix() const { return radix_; }
  const std::vector<Code>& codes() const { return codes_; }

 private:
  Radix radix_;
  std::vector<Code> codes_;
};

}  // namespace tilewright
