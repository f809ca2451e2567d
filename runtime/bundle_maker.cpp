#include "runtime/bundle_maker.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "definition/manifest/manifest.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright {
namespace {

// The question with which a look-up without results begins.
LadderQuestion question_of(const AskedProblem& asked, const Device& device) {
  LadderQuestion question{
      asked.chosen.operation, asked.chosen.implementations, asked.problem, device, {}};
  question.known_wrong = asked.known_wrong;
  return question;
}

// The first implementation whose default may answer as it is. Null if none may.
const Implementation* first_plain(const LadderQuestion& question) {
  const auto found = std::ranges::find_if(question.implementations, [&](const auto* one) {
    return may_serve(question, *one, default_configuration(*one), Rung::manifest_default);
  });
  return found == question.implementations.end() ? nullptr : *found;
}

CompileRequest request_for(const ChosenKernel& chosen, const Problem& problem,
                           const Configuration& configuration, const Device& device) {
  Answer answer;
  answer.implementation = chosen.implementation->full_name();
  answer.configuration = configuration;
  answer.problem = problem;
  return compile_request(chosen, plan_recipe(chosen, answer, device));
}

}  // namespace

BundleMaker::BundleMaker(const RuntimeOptions& options)
    : catalog_(options.catalog), codes_(options) {
  contents_.tool = kVersion;
}

Answer BundleMaker::add(const Question& question) {
  const Catalog::State::Climbed climbed = catalog_.climb_for(question);
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
  if (!has_recipe(bundled.recipe)) contents_.recipes.push_back(std::move(bundled));
  if (found.row && !found.row->unfinished) {
    found.row->other_source = found.has_other_source;
    add_row(*found.row);
  }
  return answer;
}

bool BundleMaker::has_recipe(const Recipe& recipe) const {
  const Answer& answer = recipe.answer;
  return std::ranges::any_of(contents_.recipes, [&](const BundledRecipe& known) {
    const Answer& other = known.recipe.answer;
    return known.recipe.device == recipe.device && other.problem == answer.problem &&
           other.implementation == answer.implementation &&
           other.configuration == answer.configuration &&
           other.power_limit_w == answer.power_limit_w;
  });
}

std::size_t BundleMaker::add_spares(const BundleSpares& spares) {
  const std::size_t before = contents_.builds.size();
  for (const Problem& problem : spares.problems) {
    const AskedProblem asked = asked_for(spares.operation, problem);
    const ChosenOperation& chosen = asked.chosen;
    for (const Spare& spare : spares_for(spares, asked))
      add_spare({chosen.operation, spare.implementation, chosen.family}, problem,
                spare.configuration, spares.device);
  }
  for (const BestRow& row : spares.rows) add_row(row);
  contents_.portable.insert(contents_.portable.end(), spares.portable.begin(),
                            spares.portable.end());
  return contents_.builds.size() - before;
}

AskedProblem BundleMaker::asked_for(const std::string& operation, const Problem& problem) {
  Settings values = problem.values;
  ChosenOperation chosen = choose_operation(catalog_.definitions(), operation, values);
  auto known_wrong = catalog_.known_wrong(*chosen.operation);
  return {problem, std::move(chosen), std::move(known_wrong)};
}

std::vector<BundleMaker::Spare> BundleMaker::spares_for(const BundleSpares& spares,
                                                        const AskedProblem& asked) const {
  std::vector<Spare> all;
  const auto& [problem, chosen, known_wrong] = asked;
  const LadderQuestion question = question_of(asked, spares.device);
  if (const auto standing = climb(question, std::vector<BestRow>{}))
    all.push_back({standing->implementation, standing->configuration});
  if (const Implementation* plain = first_plain(question))
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

std::size_t BundleMaker::add_general(const std::string& operation, const Device& device,
                                     const std::vector<Problem>& problems) {
  const std::size_t before = contents_.builds.size();
  std::vector<AskedProblem> asked;
  for (const Problem& problem : problems) asked.push_back(asked_for(operation, problem));
  GeneralBuilds builds(asked, device);
  for (auto few = builds.take_few(); !few.empty(); few = builds.take_few()) {
    const std::vector<bool> has_code = add_builds(few, asked, device);
    for (std::size_t i = 0; i < few.size(); ++i)
      if (has_code[i]) builds.served_by(few[i]);
  }
  for (const AskedProblem& one : asked)
    if (const Implementation* plain = first_plain(question_of(one, device)))
      add_spare({one.chosen.operation, plain, one.chosen.family}, one.problem,
                default_configuration(*plain), device);
  return contents_.builds.size() - before;
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

bool BundleMaker::add_spare(const ChosenKernel& chosen, const Problem& problem,
                            const Configuration& configuration, const Device& device) {
  const auto key = build_key(chosen, problem, configuration, device);
  if (!key || contents_.builds.contains(*key)) return key.has_value();
  return add_code(*key, chosen,
                  codes_.compile(request_for(chosen, problem, configuration, device)));
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
  if (!is_known) contents_.rows.push_back(row);
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
