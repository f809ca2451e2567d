#include "bench/study/study_sequential.hpp"

#include <chrono>
#include <cstring>
#include <span>

#include "definition/problem.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/verify/compare.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright::bench {
namespace {

constexpr std::size_t kFewestRuns = 3;
constexpr std::size_t kMostRuns = 20;
constexpr double kEnough_us = 60e6;
constexpr std::size_t kOutput = 2;  // gemm's arguments are a, b, c

SessionProblem plan_width(const Operation& gemm, std::int64_t width) {
  SweepRequest request;
  request.operation = &gemm;
  request.problem = make_problem(gemm, Settings{{"M", width}, {"N", width}, {"K", width}}, {});
  return plan_session(request, {request.problem}, {}, {}).problems.front();
}

std::vector<float> as_floats(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

double microseconds_of(const std::vector<float>& a, const std::vector<float>& b,
                       std::vector<float>& c, std::int64_t width) {
  const auto start = std::chrono::steady_clock::now();
  multiply(a.data(), b.data(), c.data(), width);
  const std::chrono::duration<double, std::micro> length = std::chrono::steady_clock::now() - start;
  return length.count();
}

void check(const SessionProblem& plan, const ArgumentData& data, const std::vector<float>& c,
           Sequential& result) {
  const auto reference = make_reference(plan.reference.builtin, plan.problem, plan.buffers, data);
  const auto count = static_cast<std::int64_t>(c.size());
  const Expected expected =
      expect(*reference, static_cast<int>(kOutput), elements_to_check(count, count, kStudySeed));
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(c.data()),
                                            c.size() * sizeof(float));
  const OutputComparison comparison =
      compare_output(bytes, plan.buffers[kOutput], expected, plan.reference.comparison);
  result.checked = comparison.checked;
  result.worst_ratio = comparison.worst_ratio;
  result.wrong = comparison.message;
}

}  // namespace

Sequential run_sequential(const Operation& gemm, std::int64_t width) {
  const SessionProblem plan = plan_width(gemm, width);
  ArgumentData data;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    data.push_back(fill_buffer(plan.buffers[i], static_cast<int>(i), kStudySeed));
  const std::vector<float> a = as_floats(data[0]);
  const std::vector<float> b = as_floats(data[1]);
  std::vector<float> c(a.size());
  std::vector<double> samples;
  double spent_us = 0;
  while (samples.size() < kFewestRuns || (samples.size() < kMostRuns && spent_us < kEnough_us)) {
    samples.push_back(microseconds_of(a, b, c, width));
    spent_us += samples.back();
  }
  Sequential result;
  result.timing = summarise(std::move(samples), 1, 0);
  check(plan, data, c, result);
  return result;
}

}  // namespace tilewright::bench
