#include "tuner/verify/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/verify/fill.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kCodes = 1 << 16;  // of elements with 16 bits

// ReferenceInputs has refused complex numbers.
template <class T>
double real_of(T value) {
  if constexpr (std::is_same_v<T, typename elements::Parts<T>::Part>)
    return static_cast<double>(value);
  else
    return static_cast<double>(value.real());
}

}  // namespace

InputValues::InputValues(const PlannedBuffer& buffer, const std::vector<std::uint8_t>& bytes) {
  visit_type(buffer.type, [&]<class T>(std::type_identity<T>) {
    if (bytes.size() < static_cast<std::size_t>(buffer.count) * sizeof(T))
      throw bad_input("argument '{}' has {} bytes of data for {} elements", buffer.name,
                      bytes.size(), buffer.count);
    const auto value = [](const std::uint8_t* from, std::int64_t i) {
      return real_of(load_element<T>(from, i));
    };
    if constexpr (std::is_same_v<T, float>) {
      bytes_ = bytes.data();
    } else if (sizeof(T) <= 2 && buffer.count > kCodes) {
      bytes_ = bytes.data();
      is_byte_ = sizeof(T) == 1;
      const std::int64_t codes = is_byte_ ? 1 << 8 : kCodes;
      for (std::int64_t code = 0; code < codes; ++code) {
        std::array<std::uint8_t, sizeof(T)> bits;
        std::memcpy(bits.data(), &code, bits.size());
        value_of_.push_back(static_cast<float>(value(bits.data(), 0)));
      }
    } else {
      wide_.resize(static_cast<std::size_t>(buffer.count));
      parallel_ranges(buffer.count, 1 << 18, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
          wide_[static_cast<std::size_t>(i)] = value(bytes.data(), i);
      });
    }
  });
}

ReferenceInputs::ReferenceInputs(std::string reference, const Problem& problem,
                                 const std::vector<PlannedBuffer>& buffers,
                                 const ArgumentData& data)
    : reference_(std::move(reference)), problem_(problem), buffers_(buffers), data_(data) {
  for (const PlannedBuffer& buffer : buffers)
    if (facts_of(buffer.type).kind == ElementKind::complex)
      throw bad_input("reference '{}' computes real numbers; argument '{}' is {}", reference_,
                      buffer.name, to_text(buffer.type));
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].role != ArgumentRole::output && buffers[i].kind != ArgumentKind::scalar)
      inputs_.push_back(i);
}

const PlannedBuffer& ReferenceInputs::buffer(std::size_t place) const {
  if (place >= inputs_.size())
    throw bad_input("reference '{}' needs at least {} inputs; operation '{}' has {}", reference_,
                    place + 1, problem_.operation, inputs_.size());
  return buffers_[inputs_[place]];
}

InputValues ReferenceInputs::input(std::size_t place, std::int64_t count) const {
  const PlannedBuffer& source = buffer(place);
  if (source.count != count)
    throw bad_input("reference '{}' needs {} elements in argument '{}', which has {}", reference_,
                    count, source.name, source.count);
  return {source, data_.at(inputs_[place])};
}

std::int64_t ReferenceInputs::dimension(const std::string& name) const {
  const auto found = problem_.values.find(name);
  if (found == problem_.values.end() || !std::holds_alternative<std::int64_t>(found->second))
    throw bad_input("reference '{}' needs a dimension '{}', which operation '{}' does not have",
                    reference_, name, problem_.operation);
  return std::get<std::int64_t>(found->second);
}

double ReferenceInputs::scalar_or(const std::string& name, double fallback) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].name == name && buffers_[i].kind == ArgumentKind::scalar)
      return InputValues(buffers_[i], data_.at(i))[0];
  return fallback;
}

std::string ReferenceInputs::choice_or(const std::string& name, const std::string& fallback) const {
  const auto found = problem_.values.find(name);
  return found == problem_.values.end() ? fallback : to_text(found->second);
}

std::unique_ptr<HostReference> make_reference(const std::string& name, const Problem& problem,
                                              const std::vector<PlannedBuffer>& buffers,
                                              const ArgumentData& data) {
  const auto found = builtin_references().find(name);
  if (found == builtin_references().end())
    throw bad_input("there is no built-in reference '{}'; there are {}", name,
                    fmt::join(reference_names(), ", "));
  return found->second(ReferenceInputs(name, problem, buffers, data));
}

std::vector<std::string> reference_names() {
  return names_of(builtin_references(), [](const auto& known) { return known.first; });
}

Boundary boundary_named(const std::string& label) {
  const auto found = std::ranges::find(kBoundaryLabels, label);
  if (found < kBoundaryLabels.begin() + 1 + static_cast<int>(Boundary::wrap))
    return static_cast<Boundary>(found - kBoundaryLabels.begin());
  throw bad_input("no boundary '{}'; there are zero, replicate, reflect, mirror and wrap", label);
}

std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, Boundary boundary) {
  if (boundary == Boundary::replicate) return std::clamp<std::int64_t>(index, 0, length - 1);
  if (boundary == Boundary::mirror && length == 1) return 0;
  while (index < 0 || index >= length) {
    if (boundary == Boundary::reflect)
      index = (index < 0 ? -1 : 2 * length - 1) - index;
    else if (boundary == Boundary::mirror)
      index = (index < 0 ? 0 : 2 * length - 2) - index;
    else if (boundary == Boundary::wrap)
      index += index < 0 ? length : -length;
    else
      return std::nullopt;
  }
  return index;
}

}  // namespace tilewright
