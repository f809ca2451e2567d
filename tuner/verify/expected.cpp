#include "tuner/verify/expected.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>

#include "tuner/backend/parallel.hpp"
#include "tuner/verify/compare_elements.h"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

// This many elements at each end of an output are always compared.
constexpr std::int64_t kEdge = 1024;

constexpr std::int64_t kFewest = 4096;

// One random number from each of `parts` equal parts of [first, first + length).
void pick(std::int64_t first, std::int64_t length, std::int64_t parts, std::mt19937_64& random,
          std::vector<std::int64_t>& picked) {
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t size = length / parts + (part < length % parts ? 1 : 0);
    const std::int64_t start = part * (length / parts) + std::min(part, length % parts);
    const std::uint64_t offset = random() % static_cast<std::uint64_t>(size);
    picked.push_back(first + start + static_cast<std::int64_t>(offset));
  }
}

// Ends of rows, where partial tiles go wrong; always those of the first and the last row.
std::vector<std::int64_t> row_ends(std::int64_t count, std::int64_t row, std::int64_t most,
                                   std::mt19937_64& random) {
  const std::int64_t rows = count / row;
  std::vector<std::int64_t> chosen = {0, rows - 1};
  const std::int64_t others = std::min(most / 2, rows) - 2;
  if (others > 0) pick(1, rows - 2, others, random, chosen);
  std::vector<std::int64_t> ends;
  for (const std::int64_t number : chosen) {
    ends.push_back(number * row);
    ends.push_back(number * row + row - 1);
  }
  return ends;
}

}  // namespace

std::vector<std::int64_t> elements_to_check(std::int64_t count, std::int64_t most,
                                            std::uint64_t seed, std::int64_t row) {
  std::vector<std::int64_t> elements;
  const bool takes_all = count <= most || count <= 2 * kEdge;
  const std::int64_t head = takes_all ? count : kEdge;
  for (std::int64_t i = 0; i < head; ++i) elements.push_back(i);
  if (takes_all) return elements;

  for (std::int64_t i = count - kEdge; i < count; ++i) elements.push_back(i);
  std::mt19937_64 random(seed);
  const std::int64_t middle = count - 2 * kEdge;
  std::int64_t others = std::clamp<std::int64_t>(most - 2 * kEdge, 0, middle);
  if (row > 0) {
    const std::vector<std::int64_t> ends = row_ends(count, row, others / 4, random);
    elements.insert(elements.end(), ends.begin(), ends.end());
    others = std::max<std::int64_t>(0, others - static_cast<std::int64_t>(ends.size()));
  }
  pick(kEdge, middle, others, random, elements);
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

std::int64_t affordable_elements(const CheckLimits& limits, std::int64_t multiply_adds,
                                 std::int64_t outputs) {
  const std::int64_t all =
      std::max(kFewest, limits.multiply_adds / std::max<std::int64_t>(multiply_adds, 1));
  return std::min(limits.outputs, all / std::max<std::int64_t>(outputs, 1));
}

Expected expect(const HostReference& reference, int argument, std::vector<std::int64_t> elements) {
  Expected expected{argument, std::move(elements), {}, {}};
  expected.values.resize(expected.elements.size());
  const auto count = static_cast<std::int64_t>(expected.elements.size());
  parallel_ranges(count, 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto place = static_cast<std::size_t>(i);
      expected.values[place] = reference.at(argument, expected.elements[place]);
    }
  });
  expected.size = elements::size_of_terms(
      [&](std::int64_t i) {
        return elements::Right{i, expected.values[static_cast<std::size_t>(i)]};
      },
      count);
  return expected;
}

Expected expected_from(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                       int argument, std::vector<std::int64_t> elements) {
  Expected expected{argument, std::move(elements), {}, {}};
  const std::size_t size = size_of(buffer.type);
  expected.rounded.resize(expected.elements.size() * size);
  for (std::size_t i = 0; i < expected.elements.size(); ++i)
    std::memcpy(expected.rounded.data() + i * size,
                output.data() + static_cast<std::size_t>(expected.elements[i]) * size, size);
  expected.size = visit_type(buffer.type, [&]<class T>(std::type_identity<T>) {
    return elements::size_of_terms(
        [&](std::int64_t i) {
          return elements::Right{
              i, elements::exact_value(load_element<T>(expected.rounded.data(), i))};
        },
        static_cast<std::int64_t>(expected.elements.size()));
  });
  return expected;
}

std::vector<Expected> builtin_answers(const SessionProblem& problem, const ArgumentData& data,
                                      const CheckLimits& limits, std::uint64_t seed) {
  const auto reference =
      make_reference(problem.reference.builtin, problem.problem, problem.buffers, data);
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].kind == ArgumentKind::buffer &&
        problem.buffers[i].role != ArgumentRole::input)
      outputs.push_back(i);
  const std::int64_t most = affordable_elements(limits, reference->multiply_adds(),
                                                static_cast<std::int64_t>(outputs.size()));
  std::vector<Expected> answers;
  for (const std::size_t output : outputs) {
    const std::int64_t count = problem.buffers[output].count;
    answers.push_back(
        expect(*reference, static_cast<int>(output),
               elements_to_check(count, problem.reference.comparison.reduced ? count : most, seed,
                                 reference->row())));
  }
  return answers;
}

std::vector<Expected> given_answers(const SessionProblem& problem, std::uint64_t seed) {
  std::vector<Expected> answers;
  for (const auto& [argument, file] : problem.reference.given) {
    PlannedBuffer buffer = problem.buffers.at(static_cast<std::size_t>(argument));
    buffer.fill.kind = Fill::Kind::file;
    buffer.fill.file = file;
    const std::int64_t most = problem.reference.comparison.reduced ? buffer.count : kMostCompared;
    answers.push_back(expected_from(fill_buffer(buffer, argument, seed), buffer, argument,
                                    elements_to_check(buffer.count, most, seed)));
  }
  return answers;
}

}  // namespace tilewright
