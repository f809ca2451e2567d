#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "tools/print/sweep.hpp"

namespace tilewright::tools {
namespace {

constexpr const char* kScaled = "1.01 times";

struct Told {
  bool is_of_tuned = false;
  std::string output;
  std::string answer;
  std::int64_t altered = 0;
  std::int64_t told = 0;
  bool passes = false;
};

// Those that a report has. It may come from elsewhere, so what does not fit is left out.
std::vector<Told> told_of(const nlohmann::json& report) {
  std::vector<Told> all;
  const auto found = report.is_object() ? report.find("simple_answers") : report.end();
  if (found == report.end() || !found->is_array()) return all;
  for (const nlohmann::json& item : *found) try {
      all.push_back({item.at("problem").get<std::int64_t>() == 0, item.at("output"),
                     item.at("answer"), item.at("altered"), item.at("told"), item.at("passes")});
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  return all;
}

// 100 only where all are told, 0 only where none is.
std::string share_text(const Told& one) {
  const double percent = 100 * static_cast<double>(one.told) / static_cast<double>(one.altered);
  if (one.told == 0 || one.told == one.altered) return fmt::format("{:.0f} %", percent);
  return fmt::format("{:.3g} %", std::clamp(percent, 0.001, 99.9));
}

std::string text_of(const Told& one) {
  return fmt::format("{} {}", one.answer, one.altered == 0 ? "not counted" : share_text(one));
}

}  // namespace

std::vector<std::string> check_texts(const nlohmann::json& report) {
  std::vector<std::string> texts;
  std::string output;
  for (const Told& one : told_of(report)) {
    if (!one.is_of_tuned) continue;
    if (texts.empty() || one.output != output)
      texts.push_back(one.output + ": " + text_of(one));
    else
      texts.back() += ", " + text_of(one);
    output = one.output;
  }
  return texts;
}

std::vector<std::string> found_wrong_texts(const nlohmann::json& report) {
  std::vector<std::string> texts = check_texts(report);
  for (std::string& text : texts) {
    const std::size_t end = text.find(": ");
    text = fmt::format("wrong answers found in the argument `{}`{}", text.substr(0, end),
                       text.substr(end));
  }
  return texts;
}

std::vector<std::string> uncounted_texts(const nlohmann::json& report) {
  std::vector<std::string> texts;
  for (const Told& one : told_of(report))
    if (one.is_of_tuned && one.altered == 0 &&
        (one.answer == "zeros" || one.answer.starts_with("input ")))
      texts.push_back(
          fmt::format("{} is the right answer for {}, so the check cannot tell it apart",
                      one.answer, one.output));
  return texts;
}

std::string weak_check(const nlohmann::json& report) {
  std::vector<std::string> weak;
  const std::vector<Told> all = told_of(report);
  for (const Told& one : all) {
    const auto is_same = [&](const Told& other) {
      return other.output == one.output && other.answer == kScaled && other.altered > 0;
    };
    if (!is_same(one) || std::ranges::find(weak, one.output) != weak.end()) continue;
    if (std::ranges::none_of(all,
                             [&](const Told& other) { return is_same(other) && !other.passes; }))
      weak.push_back(one.output);
  }
  if (weak.empty()) return "";
  return fmt::format(
      "an error of 1 % in all elements of {} would pass the check; a tolerance in "
      "[operation.compare] that suits the outputs finds it",
      fmt::join(weak, " or "));
}

}  // namespace tilewright::tools
