#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/boundary.hpp"
#include "tuner/verify/fill.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// The elements of one input in float64. FP32 elements, and those of a large input with at most 16
// bits, are read from `bytes`, which must outlive it. Others are converted once: memory for large
// inputs in float64 takes longer than reading them.
class InputValues {
 public:
  InputValues(const PlannedBuffer& buffer, const std::vector<std::uint8_t>& bytes);

  double operator[](std::int64_t index) const {
    if (is_float32()) return static_cast<double>(load_element<float>(bytes_, index));
    if (!value_of_.empty())
      return static_cast<double>(
          value_of_[is_byte_ ? bytes_[index] : load_element<std::uint16_t>(bytes_, index)]);
    return wide_[static_cast<std::size_t>(index)];
  }
  bool is_float32() const { return bytes_ != nullptr && value_of_.empty(); }

 private:
  const std::uint8_t* bytes_ = nullptr;
  bool is_byte_ = false;
  std::vector<float> value_of_;  // by the bits of an element
  std::vector<double> wide_;
};

// What a built-in reference is made from. It refers to inputs by their place among the operation's
// inputs, and to dimensions and choices by name.
class ReferenceInputs {
 public:
  ReferenceInputs(std::string reference, const Problem& problem,
                  const std::vector<PlannedBuffer>& buffers, const ArgumentData& data);

  // The place-th input. Throws InputError if there is none or it has fewer than `count` elements.
  InputValues input(std::size_t place, std::int64_t count) const;

  // Throws InputError if the problem has no such dimension.
  std::int64_t dimension(const std::string& name) const;
  std::int64_t dimension_or(const std::string& name, std::int64_t fallback) const {
    return problem_.values.contains(name) ? dimension(name) : fallback;
  }
  // The scalar argument of that name, in float64.
  double scalar_or(const std::string& name, double fallback) const;
  std::string choice_or(const std::string& name, const std::string& fallback) const;

  // The number of elements of the place-th input.
  std::int64_t count(std::size_t place) const { return buffer(place).count; }

 private:
  const PlannedBuffer& buffer(std::size_t place) const;

  std::string reference_;
  const Problem& problem_;
  const std::vector<PlannedBuffer>& buffers_;
  const ArgumentData& data_;
  std::vector<std::size_t> inputs_;  // positions among the arguments
};

// Makes the reference of one operation. Throws InputError for a problem that it is not for.
using ReferenceMaker = std::unique_ptr<HostReference> (*)(const ReferenceInputs& inputs);

// All of them by name: references/NAME.cpp defines make_NAME_reference().
const std::map<std::string, ReferenceMaker>& builtin_references();

// Throws InputError for another label than those of Boundary.
Boundary boundary_named(const std::string& label);

// The index of the sample that stands at `index` of a row of `length`; nothing if it is zero. It
// moves into the row one reflection or period at a time, as the definitions say.
std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, Boundary boundary);

}  // namespace tilewright
