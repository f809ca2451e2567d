// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "reproducer_harness.h"

// Comparison and times of a reproducer.

namespace tilewright_reproducer {

// Right is |output − reference| ≤ scale · eps · (reduction + 4 · |reference|).
struct Rules {
  double reduction;
  double scale;
  bool reduced;  // outputs are added up first
};

template <class Work>
void visit(Type type, const Work& work) {
  if (type == Type::float32) work(float());
  if (type == Type::float64) work(double());
  if (type == Type::int32) work(std::int32_t());
  if (type == Type::uint32) work(std::uint32_t());
  if (type == Type::int64) work(std::int64_t());
  if (type == Type::uint64) work(std::uint64_t());
  if (type == Type::uint8) work(std::uint8_t());
}

template <class T>
T element_at(const Bytes& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

class Comparison {
 public:
  Comparison(const char* name, const Rules& rules) : name_(name), rules_(rules) {}

  template <class T>
  void compare(const Bytes& got, const Bytes& right) {
    const std::size_t count = got.size() / sizeof(T);
    const double epsilon = std::is_floating_point<T>::value
                               ? static_cast<double>(std::numeric_limits<T>::epsilon())
                               : 0;
    double got_sum = 0;
    double right_sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = static_cast<double>(element_at<T>(got, i));
      const auto other = static_cast<double>(element_at<T>(right, i));
      got_sum += one;
      right_sum += other;
      if (!rules_.reduced) judge(i, one, other, epsilon);
    }
    if (rules_.reduced && count > 0) judge(0, got_sum, right_sum, epsilon);
  }
  void print() const {
    if (wrong_ == 0)
      std::printf("  %s: right, largest error %.3g, %.3g of what is allowed\n", name_, error_,
                  ratio_);
    else
      std::printf("  %s: WRONG in %zu places, the first [%zu]: %.9g; expected %.9g\n", name_,
                  wrong_, first_, got_, right_);
  }
  bool is_right() const { return wrong_ == 0; }

 private:
  void judge(std::size_t i, double got, double right, double epsilon) {
    const double allowed = rules_.scale * epsilon * (rules_.reduction + 4 * std::fabs(right));
    const double error = got == right ? 0 : std::fabs(got - right);
    if (error <= allowed) {
      error_ = std::max(error_, error);
      if (error > 0) ratio_ = std::max(ratio_, error / allowed);
      return;
    }
    if (wrong_++ > 0) return;
    first_ = i;
    got_ = got;
    right_ = right;
  }

  const char* name_;
  Rules rules_;
  double error_ = 0;
  double ratio_ = 0;
  std::size_t wrong_ = 0;
  std::size_t first_ = 0;
  double got_ = 0;
  double right_ = 0;
};

// A sum over an output's elements, for problems without a reference; NaN is what nobody wrote.
inline bool print_sum(const Argument& argument, const Bytes& got) {
  double sum = 0;
  visit(argument.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i < got.size() / sizeof(T); ++i)
      sum += static_cast<double>(element_at<T>(got, i));
  });
  std::printf("  %s: its elements add up to %.9g%s\n", argument.name, sum,
              std::isnan(sum) ? ", WRONG: not all were written, or some were computed so" : "");
  return !std::isnan(sum);
}

// Stands for the launches of a reference kernel where there are none.
struct NoReference {
  void operator()(const Operands&, cudaStream_t) const {}
};

template <class Call>
void run_call(const Call& call, const Operands& operands, const Workspace& workspace) {
  for (int i = 0; i < workspace.calls_to_judge(); ++i) {
    operands.prepare();
    call(operands, workspace, cudaStream_t());
    check(cudaDeviceSynchronize(), "running the kernels");
  }
}

inline bool is_right_output(const Argument& argument, const Bytes& got, const Bytes& right,
                            const Rules& rules) {
  Comparison comparison(argument.name, rules);
  visit(argument.type, [&](auto zero) { comparison.template compare<decltype(zero)>(got, right); });
  comparison.print();
  return comparison.is_right();
}

// Makes one call and compares what it writes with what the reference writes, if there is one.
template <class Call, class Reference>
bool is_right(const std::vector<Argument>& arguments, const Rules& rules,
              const Workspace& workspace, const Call& call, const Reference& reference) {
  constexpr bool kHasReference = !std::is_same<Reference, NoReference>::value;
  const Operands operands(arguments);
  run_call(call, operands, workspace);
  bool right = operands.is_intact();
  right = workspace.is_intact() && right;
  const Operands expected(kHasReference ? arguments : std::vector<Argument>());
  expected.prepare();
  reference(expected, cudaStream_t());
  check(cudaDeviceSynchronize(), "running the reference");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_buffer || arguments[i].role == Role::input) continue;
    const Bytes got = operands.download(i);
    right = (kHasReference ? is_right_output(arguments[i], got, expected.download(i), rules)
                           : print_sum(arguments[i], got)) &&
            right;
  }
  return right;
}

// The mean time of so many calls one after another, on one set of operands.
template <class Call>
void print_time(const std::vector<Argument>& arguments, const Workspace& workspace,
                const Call& call, int calls) {
  if (calls == 0) return;
  const Operands operands(arguments);
  operands.prepare();
  cudaEvent_t begin = {};
  cudaEvent_t end = {};
  check(cudaEventCreate(&begin), "making an event");
  check(cudaEventCreate(&end), "making an event");
  call(operands, workspace, cudaStream_t());
  check(cudaEventRecord(begin), "taking the time");
  for (int i = 0; i < calls; ++i) call(operands, workspace, cudaStream_t());
  check(cudaEventRecord(end), "taking the time");
  check(cudaEventSynchronize(end), "running the kernels");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "taking the time");
  std::printf("  %d calls, %.3f µs each\n", calls,
              1000.0 * static_cast<double>(milliseconds) / calls);
}

// How many calls the command line asks to be timed.
inline int calls_to_time(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 20;
  if (argc <= 2 && calls >= 0 && (calls > 0 || argc == 1 || argv[1][0] == '0')) return calls;
  std::fprintf(stderr, "usage: %s [CALLS]   how many calls to time, 20 by default\n", argv[0]);
  std::exit(2);
}

}  // namespace tilewright_reproducer
