// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Prints the best tile size on record for a problem:
//   best_tile DATABASE OPERATION[/IMPLEMENTATION] [NAME=VALUE]…
//   best_tile results.db gemm/tiled M=1024 N=1024 K=1024
#include <tilewright/catalog.hpp>
#include <tilewright/error.hpp>

#include <charconv>
#include <iostream>
#include <string>

namespace {

// Adds "M=1024" or "boundary=wrap" to `problem`.
void read_assignment(const std::string& text, tilewright::Settings& problem) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos) throw tilewright::InputError("'" + text + "' is not NAME=VALUE");
  const std::string value = text.substr(sign + 1);
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [last, error] = std::from_chars(value.data(), end, number);
  const bool is_number = error == std::errc() && last == end;
  problem[text.substr(0, sign)] = is_number ? tilewright::Value(number) : tilewright::Value(value);
}

void print(const tilewright::Answer& answer) {
  std::cout << answer.implementation << " for " << tilewright::to_text(answer.problem.values)
            << "\n  " << tilewright::to_text(answer.configuration.values) << "\n  rung "
            << static_cast<int>(answer.rung) << ", " << tilewright::to_text(answer.rung);
  if (answer.median_us > 0)
    std::cout << ": " << answer.median_us << " us a call, measured " << answer.age.count() / 86'400
              << " days ago";
  else
    std::cout << ": " << answer.reason;
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: best_tile DATABASE OPERATION[/IMPLEMENTATION] [NAME=VALUE]...\n";
    return 2;
  }
  try {
    const tilewright::Catalog catalog({.database = argv[1], .kernels = {KERNEL_TEMPLATES}});
    tilewright::Question question{.operation = argv[2]};
    for (int i = 3; i < argc; ++i) read_assignment(argv[i], question.problem);
    // A program that has a GPU asks for that GPU. This one takes the first device on record.
    const auto devices = catalog.devices(question.operation);
    if (!devices.empty()) question.device = devices.front();
    print(catalog.look_up(question));
  } catch (const tilewright::InputError& error) {
    std::cerr << "best_tile: " << error.what() << '\n';
    return 2;
  }
}
