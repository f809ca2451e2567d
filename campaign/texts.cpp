#include "campaign/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright {
nlohmann::json json_of_value(const Value& value) {
  return std::visit([](const auto& plain) { return nlohmann::json(plain); }, value);
}

std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

std::string bytes_text(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1 << 20) return three_digits(value / 1024) + " KiB";
  if (bytes < 1 << 30) return three_digits(value / (1 << 20)) + " MiB";
  return three_digits(value / (1 << 30)) + " GiB";
}

std::string cause_of(const std::string& message) {
  // NVRTC, nvcc and g++, ptxas, linkers.
  constexpr std::array kErrors = {"error:", "error :", "fatal   :", "fatal error", "undefined "};
  const auto line_at = [&](std::size_t place) {
    const std::size_t begin = message.rfind('\n', place) + 1;  // npos + 1 is 0
    return message.substr(begin, message.find('\n', place) - begin);
  };
  std::size_t first = std::string::npos;
  for (const char* error : kErrors) first = std::min(first, message.find(error));
  return line_at(first == std::string::npos ? 0 : first);
}

std::string cause_of(const Trial& trial) {
  return trial.outcome == Outcome::compile_failed
             ? cause_of(trial.message)
             : trial.message.substr(0, trial.message.find('\n'));
}

}  // namespace tilewright
