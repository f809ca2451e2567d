#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/settings.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

// The host data of all arguments before a call, in the operation's order.
using ArgumentData = std::vector<std::vector<std::uint8_t>>;

// The right answers of a built-in operation in float64. It computes one output element at a time,
// so that a sample of a large result is cheap. `argument` is the position of an output in the
// operation's arguments, and `index` the element. Thread-safe.
class HostReference {
 public:
  virtual ~HostReference() = default;
  virtual double at(int argument, std::int64_t index) const = 0;

  // The cost of one at().
  virtual std::int64_t multiply_adds() const = 0;

  // The length of the outputs' rows, at whose ends tiles may be partial; 0: no rows.
  virtual std::int64_t row() const { return 0; }
};

// `name` is Reference::builtin: "gemm", "conv1d", "sum", "conv2d_separable" …. `data` must outlive
// the reference. Throws InputError if there is no such reference.
std::unique_ptr<HostReference> make_reference(const std::string& name, const Problem& problem,
                                              const std::vector<PlannedBuffer>& buffers,
                                              const ArgumentData& data);

std::vector<std::string> reference_names();

}  // namespace tilewright
