// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilewright/settings.hpp"
#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

// Host data of all arguments, in the operation's order, as they are before a call.
using ArgumentData = std::vector<std::vector<std::uint8_t>>;

// The right answer of a built-in operation in float64, an output element at a time, so that a
// sample of a large result costs only that sample. `argument` is the position of an output in
// the operation's arguments, `index` the element. Safe to call from many threads.
class HostReference {
 public:
  virtual ~HostReference() = default;
  virtual double at(int argument, std::int64_t index) const = 0;

  // What at() costs.
  virtual std::int64_t multiply_adds() const = 0;

  // Length of the outputs' rows, at whose ends tiles are ragged; 0: they have none.
  virtual std::int64_t row() const { return 0; }
};

// `name` is Reference::builtin: "gemm" (C = A·B), "conv1d", "sum", "conv2d_separable" …; data must
// outlive the reference. Throws InputError for a name that is not built in.
std::unique_ptr<HostReference> make_reference(const std::string& name, const Problem& problem,
                                              const std::vector<PlannedBuffer>& buffers,
                                              const ArgumentData& data);

std::vector<std::string> reference_names();

}  // namespace tilewright
