// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/input/priors.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/print/report.hpp"

namespace tilewright::tools {

OptionSpec priors_option() {
  return {"priors", "stored|none",
          "Whether the search begins with what did best in stored sweeps of neighbouring problems, "
          "other policies and other devices, measured anew; stored by default."};
}

PriorUse prior_use(const Arguments& arguments) {
  return arguments.choice("priors", {"stored", "none"}) == "none" ? PriorUse::none
                                                                  : PriorUse::stored;
}

void print_priors(std::ostream& out, const nlohmann::json& report) {
  const auto priors = report.find("priors");
  if (priors == report.end()) return;
  const nlohmann::json sources = priors->value("sources", nlohmann::json::array());
  if (sources.empty()) {
    out << (priors->value("use", "") == "none" ? "began without priors, as asked\n"
                                               : "began without priors: none is stored\n");
    return;
  }
  std::int64_t trials = 0;
  for (const nlohmann::json& source : sources) trials += source.value("trials", std::int64_t{0});
  const nlohmann::json& nearest = sources.front();
  out << fmt::format(
      "began with what {} found in {}; the nearest: {} ({}), {}, distance {:.2f}\n",
      counted(static_cast<std::int64_t>(sources.size()), "stored sweep", "stored sweeps"),
      counted(trials, "trial", "trials"), nearest.value("problem", ""), nearest.value("policy", ""),
      nearest.value("device", ""), nearest.value("distance", 0.0));
}

}  // namespace tilewright::tools
