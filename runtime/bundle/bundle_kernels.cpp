// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/bundle/bundle_kernels.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Definitions definitions_of(const BundleContents& contents, const std::string& name) {
  try {
    return Definitions(contents.definitions);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} has definitions that this tilewright does not understand: {}",
                                 name, error.what()));
  }
}

// All rows at once: there are few.
class BundleRows final : public RowSource {
 public:
  explicit BundleRows(const BundleContents& contents) : contents_(contents) {}
  RowsRead<BestRow> exact(const LadderQuestion&) override { return {contents_.rows}; }
  RowsRead<PortableRow> portable(const LadderQuestion&) override { return {contents_.portable}; }

 private:
  const BundleContents& contents_;
};

bool is_nearer(const std::optional<LadderAnswer>& one, const LadderAnswer& other) {
  return one && std::tuple(one->rung, one->distance) < std::tuple(other.rung, other.distance);
}

}  // namespace

BundleKernels::BundleKernels(BundleContents contents, const std::string& name)
    : contents_(std::move(contents)), definitions_(definitions_of(contents_, name)) {}

std::optional<std::string> BundleKernels::build_of(const ChosenKernel& chosen,
                                                   const Problem& problem,
                                                   const Configuration& configuration,
                                                   const Device& device) const {
  try {
    auto key = build_key(chosen, problem, configuration, device);
    if (key && contents_.builds.contains(*key)) return key;
  } catch (const InputError&) {  // an expression has no result for this problem
  }
  return std::nullopt;
}

std::optional<BundleKernels::Launchable> BundleKernels::climb_for(const Question& question,
                                                                  std::vector<Exclusion> excluded,
                                                                  std::string& why) const {
  const Device& device = question.device.value();
  Settings values = question.problem;
  const Definitions::Choice chosen = definitions_.choose(question.operation, values);
  LadderQuestion asked{chosen.operation, chosen.implementations,
                       make_problem(*chosen.operation, values, device), device, question.cache};
  asked.excluded = std::move(excluded);
  const auto build = [&](const Implementation& implementation, const Configuration& configuration) {
    return build_of({chosen.operation, &implementation}, asked.problem, configuration, device);
  };
  asked.can_serve = [&](const Implementation& implementation, const Configuration& configuration) {
    return build(implementation, configuration).has_value();
  };
  BundleRows rows(contents_);
  auto found = climb(asked, rows).answer;
  if (!found) {
    why = fmt::format("none of its code is for such a problem on {}", architecture_of(device));
    return std::nullopt;
  }
  asked.can_serve = nullptr;
  if (is_nearer(climb(asked, rows).answer, *found))
    found->reason += "; the code of a nearer answer is not for this problem";
  const ChosenKernel kernel{chosen.operation, found->implementation, chosen.family};
  return Launchable{
      plan_recipe(kernel, answer_of(*found, asked.problem), device, architecture_of(device)),
      contents_.code_of(*build(*found->implementation, found->configuration))};
}

std::optional<BundleKernels::Launchable> BundleKernels::find_other(const Question& question,
                                                                   std::vector<Exclusion> excluded,
                                                                   std::string& why) const {
  try {
    return climb_for(question, std::move(excluded), why);
  } catch (const InputError& error) {
    why = error.what();
    return std::nullopt;
  }
}

}  // namespace tilewright
