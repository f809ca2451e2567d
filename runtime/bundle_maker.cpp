#include "runtime/bundle_maker.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "definition/manifest/manifest.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright {

struct BundleMaker::GeneralBuild {
  std::string key;  // build_key()
  ChosenKernel kernel;
  Configuration configuration;
  std::vector<std::size_t> problems;  // that it serves well; not empty
};

namespace {

// Routines have none.
bool has_code(const Implementation& implementation, const Configuration&, Rung) {
  return !implementation.is_routine();
}

CompileRequest request_for(const ChosenKernel& chosen, const Problem& problem,
                           const Configuration& configuration, const Device& device) {
  Answer answer;
  answer.implementation = chosen.implementation->full_name();
  answer.configuration = configuration;
  answer.problem = problem;
  return compile_request(chosen, plan_recipe(chosen, answer, device));
}

// Takes builds, so that each problem that is not served would be; none if nothing is left that
// serves one. Each time the build that serves most of the problems without one.
template <class Build>
std::vector<Build> take_few(std::vector<Build>& builds, std::vector<bool> is_served) {
  const auto gain = [&](const Build& build) {
    return std::ranges::count_if(build.problems, [&](auto i) { return !is_served[i]; });
  };
  std::vector<Build> few;
  while (!builds.empty()) {
    const auto best = std::ranges::max_element(builds, {}, gain);
    if (gain(*best) == 0) break;
    for (const std::size_t i : best->problems) is_served[i] = true;
    few.push_back(std::move(*best));
    builds.erase(best);
  }
  return few;
}

}  // namespace

BundleMaker::BundleMaker(const RuntimeOptions& options)
    : catalog_(options.catalog), codes_(options) {
  contents_.tool = kVersion;
}

Answer BundleMaker::add(const Question& question) {
  Catalog::State::Climbed climbed = catalog_.climb_for(question);
  if (climbed.answer.implementation->is_routine()) {
    add_routine(climbed);
    climbed = catalog_.climb_for(question, {.can_serve = has_code});
  }
  LadderAnswer found = climbed.answer;
  const Problem& problem = climbed.problem;
  const Device& device = question.device.value();
  const ChosenKernel chosen{climbed.chosen.operation, found.implementation, climbed.chosen.family};
  BundledRecipe bundled;
  bundled.recipe = plan_recipe(chosen, answer_of(found, problem), device);
  bundled.defaulted = defaulted_names(*chosen.operation, problem, device);
  bundled.omitted = omitted_values(*chosen.operation, problem);
  bundled.aliases = snippet_names(*chosen.operation);
  const auto key = build_key(chosen, problem, found.configuration, device);
  if (!key)
    throw MachineError(bundled.recipe.label + " cannot run on " + bundled.recipe.architecture);
  if (!contents_.builds.contains(*key))
    add_build(*key, codes_.compile(compile_request(chosen, bundled.recipe)));
  add_definitions(chosen);
  bundled.build = *key;
  if (found.row && found.row->trial.code_hash == code_hashes_.at(*key))
    found.has_other_source = false;  // another text, and the same code
  Answer answer = answer_of(found, problem);
  bundled.recipe.answer = answer;
  const bool is_known = std::ranges::any_of(contents_.recipes, [&](const BundledRecipe& known) {
    const Answer& other = known.recipe.answer;
    return known.recipe.device == device && other.problem == answer.problem &&
           other.implementation == answer.implementation &&
           other.configuration == answer.configuration &&
           other.power_limit_w == answer.power_limit_w;
  });
  if (!is_known) contents_.recipes.push_back(std::move(bundled));
  if (found.row && !found.row->unfinished) {
    found.row->other_source = found.has_other_source;
    add_row(*found.row);
  }
  return answer;
}

// The choice alone. The library must be where the bundle is.
void BundleMaker::add_routine(const Catalog::State::Climbed& climbed) {
  const LadderAnswer& found = climbed.answer;
  if (!found.row || found.row->unfinished) return;
  add_definitions({climbed.chosen.operation, found.implementation, climbed.chosen.family});
  add_row(*found.row);
}

std::size_t BundleMaker::add_spares(const BundleSpares& spares) {
  const std::size_t before = contents_.builds.size();
  for (const Problem& problem : spares.problems) add_spares_for(spares, problem);
  for (const BestRow& row : spares.rows) add_row(row);
  contents_.portable.insert(contents_.portable.end(), spares.portable.begin(),
                            spares.portable.end());
  return contents_.builds.size() - before;
}

LadderQuestion BundleMaker::question_of(const AskedProblem& asked, const Device& device) {
  LadderQuestion question{
      asked.chosen.operation, asked.chosen.implementations, asked.problem, device, {}};
  question.known_wrong = catalog_.known_wrong(*asked.chosen.operation);
  return question;
}

void BundleMaker::add_spares_for(const BundleSpares& spares, const Problem& problem) {
  const Device& device = spares.device;
  // As it is stored, though today's manifest may refuse it.
  Settings values = problem.values;
  const AskedProblem asked{choose_operation(catalog_.definitions(), spares.operation, values),
                           problem};
  if (const auto standing = climb(question_of(asked, device), std::vector<BestRow>{}))
    add_spare(asked, *standing->implementation, standing->configuration, device);
  add_plain(asked, device);
  for (const BestRow& row : spares.rows) {
    const Implementation* const known =
        find_implementation(asked.chosen.implementations, row.implementation);
    if (known != nullptr && !known->is_routine() && known->epoch == row.epoch &&
        fits(*known, row.configuration, asked.problem, device))
      add_spare(asked, *known, row.configuration, device);
  }
}

void BundleMaker::add_plain(const AskedProblem& asked, const Device& device) {
  const LadderQuestion question = question_of(asked, device);
  for (const Implementation* one : question.implementations) {
    const Configuration plain = default_configuration(*one);
    if (may_serve(question, *one, plain, Rung::manifest_default))
      return add_spare(asked, *one, plain, device);
  }
}

std::size_t BundleMaker::add_general(const std::string& operation, const Device& device,
                                     const std::vector<Problem>& problems) {
  const std::size_t before = contents_.builds.size();
  std::vector<AskedProblem> asked;
  for (const Problem& problem : problems)
    asked.push_back(asked_problem(catalog_.definitions(), operation, problem.values, device));
  std::vector<GeneralBuild> builds = general_builds(asked, device);
  std::vector<bool> is_served(asked.size());
  for (auto few = take_few(builds, is_served); !few.empty(); few = take_few(builds, is_served)) {
    const std::vector<bool> has_code = add_builds(few, asked, device);
    for (std::size_t i = 0; i < few.size(); ++i)
      if (has_code[i])
        for (const std::size_t problem : few[i].problems) is_served[problem] = true;
  }
  for (const AskedProblem& one : asked) add_plain(one, device);
  return contents_.builds.size() - before;
}

// A problem is served by those that are expected to take at most kWorthNoCompile times as long as
// its best; where nobody knows what to expect, by that of the answer without results.
std::vector<BundleMaker::GeneralBuild> BundleMaker::general_builds(
    const std::vector<AskedProblem>& problems, const Device& device) {
  std::map<std::string, GeneralBuild> builds;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto& [chosen, problem] = problems[i];
    const LadderQuestion asked = question_of(problems[i], device);
    std::vector<LadderAnswer> answers = expected_within(asked, kWorthNoCompile);
    if (answers.empty())
      if (auto standing = climb(asked, std::vector<BestRow>{})) answers = {*std::move(standing)};
    for (const LadderAnswer& answer : answers) {
      const ChosenKernel kernel{chosen.operation, answer.implementation, chosen.family};
      if (const auto key = build_key(kernel, problem, answer.configuration, device))
        builds.try_emplace(*key, GeneralBuild{*key, kernel, answer.configuration, {}})
            .first->second.problems.push_back(i);
    }
  }
  std::vector<GeneralBuild> all;
  for (auto& [key, build] : builds) all.push_back(std::move(build));
  return all;
}

std::vector<bool> BundleMaker::add_builds(const std::vector<GeneralBuild>& builds,
                                          const std::vector<AskedProblem>& problems,
                                          const Device& device) {
  std::vector<CompileResult> results(builds.size());
  parallel_ranges(static_cast<std::int64_t>(builds.size()), 1, [&](std::int64_t i, std::int64_t) {
    const GeneralBuild& build = builds[static_cast<std::size_t>(i)];
    if (contents_.builds.contains(build.key)) return;
    const Problem& problem = problems[build.problems.front()].problem;
    results[static_cast<std::size_t>(i)] =
        codes_.compile(request_for(build.kernel, problem, build.configuration, device));
  });
  std::vector<bool> has_code;
  for (std::size_t i = 0; i < builds.size(); ++i)
    has_code.push_back(contents_.builds.contains(builds[i].key) ||
                       add_code(builds[i].key, builds[i].kernel, std::move(results[i])));
  return has_code;
}

void BundleMaker::add_spare(const AskedProblem& asked, const Implementation& implementation,
                            const Configuration& configuration, const Device& device) {
  const ChosenKernel chosen{asked.chosen.operation, &implementation, asked.chosen.family};
  const auto key = build_key(chosen, asked.problem, configuration, device);
  if (key && !contents_.builds.contains(*key))
    add_code(*key, chosen,
             codes_.compile(request_for(chosen, asked.problem, configuration, device)));
}

// Skips code that does not compile, because it would not compile for similar problems either.
bool BundleMaker::add_code(const std::string& key, const ChosenKernel& chosen,
                           CompileResult result) {
  if (!result.ok()) return false;
  add_build(key, std::move(result));
  add_definitions(chosen);
  return true;
}

void BundleMaker::add_build(const std::string& key, CompileResult result) {
  code_hashes_[key] = result.code_hash;
  contents_.add_build(key, code_of(std::move(result)));
}

// Stored by file name only, because the folders of this machine mean nothing elsewhere.
void BundleMaker::add_definitions(const ChosenKernel& chosen) {
  operations_.insert(chosen.operation->name);
  std::vector<std::filesystem::path> files = {chosen.operation->manifest,
                                              chosen.implementation->manifest};
  for (const Hook& hook : chosen.operation->hooks)
    if (hook.snippet) files.push_back(hook.snippet->file);
  for (const std::filesystem::path& file : files)
    if (manifests_.insert(file).second) contents_.definitions.push_back(read_manifest_text(file));
}

void BundleMaker::add_row(const BestRow& row) {
  const bool is_known = std::ranges::any_of(contents_.rows, [&](const BestRow& known) {
    return known.implementation == row.implementation && known.configuration == row.configuration &&
           known.problem == row.problem && known.device == row.device &&
           known.policy == row.policy &&
           known.environment.power_limit_w == row.environment.power_limit_w;
  });
  if (is_known) return;
  contents_.rows.push_back(row);
  const Implementation* const known =
      find_named(catalog_.definitions().family(row.problem.operation).implementations,
                 row.implementation.substr(row.implementation.find('/') + 1));
  if (known == nullptr || !known->is_routine()) contents_.rows.back().source_hash.clear();
}

std::string BundleMaker::bytes() {
  BundleContents whole = contents_;
  for (const std::string& name : operations_) {
    const Family& family = catalog_.definitions().family(name);
    if (const auto known_wrong = catalog_.known_wrong(family.operation))
      std::ranges::move(
          that_might_answer(*known_wrong, family.implementations, whole.rows, whole.portable),
          std::back_inserter(whole.known_wrong));
  }
  return encode_bundle(whole);
}

}  // namespace tilewright
