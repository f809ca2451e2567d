#include "runtime/bundle_maker.hpp"

#include <algorithm>
#include <utility>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"

namespace tilewright {
namespace {

// The first implementation whose default fits as it is. Null if none does.
const Implementation* first_plain(const ChosenOperation& chosen, const Problem& problem,
                                  const Device& device) {
  const auto found = std::ranges::find_if(chosen.implementations, [&](const Implementation* one) {
    return fits(*one, default_configuration(*one), problem, device);
  });
  return found == chosen.implementations.end() ? nullptr : *found;
}

}  // namespace

BundleMaker::BundleMaker(const RuntimeOptions& options)
    : catalog_(options.catalog), codes_(options) {
  contents_.tool = kVersion;
}

Answer BundleMaker::add(const Question& question) {
  const Catalog::State::Climbed climbed = catalog_.climb_for(question);
  Answer answer = answer_of(climbed.answer, climbed.problem);
  const Device& device = question.device.value();
  const ChosenKernel chosen{climbed.chosen.operation, climbed.answer.implementation,
                            climbed.chosen.family};
  BundledRecipe bundled;
  bundled.recipe = plan_recipe(chosen, answer, device);
  bundled.defaulted = defaulted_names(*chosen.operation, answer.problem, device);
  bundled.aliases = snippet_names(*chosen.operation);
  const auto key = build_key(chosen, answer.problem, answer.configuration, device);
  if (!key)
    throw MachineError(bundled.recipe.label + " cannot run on " + bundled.recipe.architecture);
  if (!contents_.builds.contains(*key))
    contents_.add_build(*key, codes_.get(compile_request(chosen, bundled.recipe)));
  add_definitions(chosen);
  bundled.build = *key;
  contents_.recipes.push_back(std::move(bundled));
  if (climbed.answer.row) add_row(*climbed.answer.row);
  return answer;
}

std::size_t BundleMaker::add_spares(const BundleSpares& spares) {
  const std::size_t before = contents_.builds.size();
  for (const Problem& problem : spares.problems) {
    Settings values = problem.values;
    const ChosenOperation chosen =
        choose_operation(catalog_.definitions(), spares.operation, values);
    for (const Spare& spare : spares_for(spares, chosen, problem))
      add_spare({chosen.operation, spare.implementation, chosen.family}, problem,
                spare.configuration, spares.device);
  }
  for (const BestRow& row : spares.rows) add_row(row);
  contents_.portable.insert(contents_.portable.end(), spares.portable.begin(),
                            spares.portable.end());
  return contents_.builds.size() - before;
}

std::vector<BundleMaker::Spare> BundleMaker::spares_for(const BundleSpares& spares,
                                                        const ChosenOperation& chosen,
                                                        const Problem& problem) const {
  std::vector<Spare> all;
  const LadderQuestion asked{chosen.operation, chosen.implementations, problem, spares.device, {}};
  if (const auto standing = climb(asked, std::vector<BestRow>{}))
    all.push_back({standing->implementation, standing->configuration});
  if (const Implementation* plain = first_plain(chosen, problem, spares.device))
    all.push_back({plain, default_configuration(*plain)});
  for (const BestRow& row : spares.rows) {
    const auto known = std::ranges::find_if(chosen.implementations, [&](const Implementation* one) {
      return one->full_name() == row.implementation;
    });
    if (known != chosen.implementations.end() && (*known)->epoch == row.epoch &&
        fits(**known, row.configuration, problem, spares.device))
      all.push_back({*known, row.configuration});
  }
  return all;
}

std::map<std::string, BundleMaker::GeneralBuild> BundleMaker::general_builds(
    const std::string& operation, const Device& device,
    const std::vector<Problem>& problems) const {
  std::map<std::string, GeneralBuild> builds;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    Settings values = problems[i].values;
    const ChosenOperation chosen = choose_operation(catalog_.definitions(), operation, values);
    const LadderQuestion asked{chosen.operation, chosen.implementations, problems[i], device, {}};
    std::vector<LadderAnswer> answers = expected_within(asked, kWorthNoCompile);
    if (answers.empty())
      if (auto standing = climb(asked, std::vector<BestRow>{})) answers = {*std::move(standing)};
    for (const LadderAnswer& answer : answers) {
      const ChosenKernel kernel{chosen.operation, answer.implementation, chosen.family};
      if (const auto key = build_key(kernel, problems[i], answer.configuration, device))
        builds.try_emplace(*key, GeneralBuild{kernel, answer.configuration, {}})
            .first->second.problems.push_back(i);
    }
  }
  return builds;
}

// The build that serves most of the problems without one, again and again.
std::size_t BundleMaker::add_general(const std::string& operation, const Device& device,
                                     const std::vector<Problem>& problems) {
  const std::size_t before = contents_.builds.size();
  std::map<std::string, GeneralBuild> builds = general_builds(operation, device, problems);
  std::vector<bool> is_served(problems.size());
  const auto gain = [&](const auto& build) {
    return std::ranges::count_if(build.second.problems, [&](auto i) { return !is_served[i]; });
  };
  while (!builds.empty()) {
    const auto best = std::ranges::max_element(builds, {}, gain);
    if (gain(*best) == 0) break;
    const auto& [kernel, configuration, serves] = best->second;
    if (add_spare(kernel, problems[serves.front()], configuration, device))
      for (const std::size_t i : serves) is_served[i] = true;
    builds.erase(best);
  }
  for (const Problem& problem : problems) {
    Settings values = problem.values;
    const ChosenOperation chosen = choose_operation(catalog_.definitions(), operation, values);
    if (const Implementation* plain = first_plain(chosen, problem, device))
      add_spare({chosen.operation, plain, chosen.family}, problem, default_configuration(*plain),
                device);
  }
  return contents_.builds.size() - before;
}

// Skips code that does not compile, because it would not compile for similar problems either.
bool BundleMaker::add_spare(const ChosenKernel& chosen, const Problem& problem,
                            const Configuration& configuration, const Device& device) {
  const auto key = build_key(chosen, problem, configuration, device);
  if (!key || contents_.builds.contains(*key)) return key.has_value();
  Answer answer;
  answer.implementation = chosen.implementation->full_name();
  answer.configuration = configuration;
  answer.problem = problem;
  const Recipe recipe = plan_recipe(chosen, answer, device);
  CompileResult result = codes_.compile(compile_request(chosen, recipe));
  if (!result.ok()) return false;
  contents_.add_build(*key, code_of(std::move(result)));
  add_definitions(chosen);
  return true;
}

// Stored by file name only, because the folders of this machine mean nothing elsewhere.
void BundleMaker::add_definitions(const ChosenKernel& chosen) {
  std::vector<std::filesystem::path> files = {chosen.operation->manifest,
                                              chosen.implementation->manifest};
  for (const Hook& hook : chosen.operation->hooks)
    if (hook.snippet) files.push_back(hook.snippet->file);
  for (const std::filesystem::path& file : files)
    if (manifests_.insert(file).second)
      contents_.definitions.push_back(
          {file.filename().string(), read_text_file(file, kManifestFile)});
}

void BundleMaker::add_row(const BestRow& row) {
  const bool is_known = std::ranges::any_of(contents_.rows, [&](const BestRow& known) {
    return known.implementation == row.implementation && known.configuration == row.configuration &&
           known.problem == row.problem && known.device == row.device && known.policy == row.policy;
  });
  if (!is_known) contents_.rows.push_back(row);
}

std::string BundleMaker::bytes() const {
  return encode_bundle(contents_);
}

}  // namespace tilewright
