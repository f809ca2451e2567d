// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "reproducer_harness.h"

// Comparison and times of a reproducer.

namespace tilewright_reproducer {

template <class T>
Findings compare(const Bytes& got, const Bytes& right, const Rules& given) {
  const auto expected = [&](std::int64_t i) {
    const auto value = exact_value(load_element<T>(right.data(), i));
    return Right<std::remove_const_t<decltype(value)>>{i, value};
  };
  const auto count = static_cast<std::int64_t>(got.size() / sizeof(T));
  Rules rules = given;
  rules.size = size_of_terms(expected, count);
  return rules.reduced ? compare_sums<T>(got.data(), expected, count, rules)
                       : compare_elements<T>(got.data(), expected, 0, count, rules);
}

template <class T>
std::complex<double> sum(const Bytes& got) {
  std::complex<double> total = 0;
  for (std::size_t i = 0; i < got.size() / sizeof(T); ++i) {
    const auto value = exact_value(load_element<T>(got.data(), static_cast<std::int64_t>(i)));
    if constexpr (std::is_integral<T>::value)
      total += static_cast<double>(value);
    else
      total += value;
  }
  return total;
}

inline std::string digits_of(std::complex<double> value) {
  char text[64];
  std::snprintf(text, sizeof text, value.imag() == 0 ? "%.9g" : "%.9g%+.9gi", value.real(),
                value.imag());
  return text;
}

template <class T>
Argument argument(const char* name, Role role, bool is_buffer, const Bytes& bytes,
                  const std::vector<const void*>& constants = {}) {
  return {name,       role,   is_buffer, bytes, static_cast<std::int64_t>(bytes.size() / sizeof(T)),
          compare<T>, sum<T>, constants};
}

inline bool is_right_output(const Argument& argument, const Bytes& got, const Bytes& right,
                            const Rules& rules) {
  const Findings findings = argument.compare(got, right, rules);
  const std::int64_t most = rules.reduced ? 0 : most_mismatches(rules, argument.count);
  if (findings.wrong <= most)
    std::printf("  %s: right, largest error %.3g, %.3g of what is allowed\n", argument.name,
                findings.worst_error, findings.worst_ratio);
  else
    std::printf("  %s: WRONG in %lld places%s, the first [%lld]: %s; expected %s\n", argument.name,
                static_cast<long long>(findings.wrong),
                most > 0 ? (", of which " + std::to_string(most) + " may be").c_str() : "",
                static_cast<long long>(findings.first_wrong), digits_of(findings.got).c_str(),
                digits_of(findings.expected).c_str());
  return findings.wrong <= most;
}

// For problems without a reference. NaN marks elements that no kernel wrote.
inline bool print_sum(const Argument& argument, const Bytes& got) {
  const std::complex<double> sum = argument.sum(got);
  const bool is_nan = sum != sum;
  std::printf("  %s: its elements add up to %s%s\n", argument.name, digits_of(sum).c_str(),
              is_nan ? ", WRONG: not all were written, or some were computed so" : "");
  return !is_nan;
}

// Stands for the launches of a reference kernel where there are none.
struct NoReference {
  void operator()(const Operands&, cudaStream_t) const {}
};

// Replaces the contents of an argument by what the launches write.
template <class Launches>
void fill(std::vector<Argument>& arguments, std::size_t place, const Launches& launches) {
  const Operands operands(arguments);
  operands.prepare();
  launches(operands, cudaStream_t());
  check(cudaDeviceSynchronize(), "running a kernel that fills");
  arguments[place].bytes = operands.download(place);
}

template <class Call>
void run_call(const Call& call, const Operands& operands, const Workspace& workspace) {
  for (int i = 0; i < workspace.calls_to_judge(); ++i) {
    operands.prepare();
    call(operands, workspace, cudaStream_t());
    check(cudaDeviceSynchronize(), "running the kernels");
  }
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
    const Role role = arguments[i].role;
    if (!arguments[i].is_buffer || role == Role::input || role == Role::ignored) continue;
    const Bytes got = operands.download(i);
    right = (kHasReference ? is_right_output(arguments[i], got, expected.download(i), rules)
                           : print_sum(arguments[i], got)) &&
            right;
  }
  return right;
}

// Prints the mean time of `calls` consecutive calls on one set of operands.
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
inline int calls_to_time(int argc, char** argv, int usual) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : usual;
  if (argc <= 2 && calls >= 0 && (calls > 0 || argc == 1 || argv[1][0] == '0')) return calls;
  std::fprintf(stderr, "usage: %s [CALLS]   how many calls to time, %d by default\n", argv[0],
               usual);
  std::exit(2);
}

}  // namespace tilewright_reproducer
