#include "tools/show/subject.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "campaign/prepared_sweep.hpp"
#include "campaign/texts.hpp"
#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "definition/text/scanner.hpp"
#include "definition/text/suggest.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tuner/space/rules.hpp"

namespace tilewright::tools {
namespace {

const Parameter& parameter_named(const std::string& what, const Implementation& implementation,
                                 const std::string& name) {
  const std::vector<Parameter>& all = implementation.parameters;
  if (const Parameter* const found = find_named(all, name)) return *found;
  throw bad_input("{}: {} has no parameter '{}'{}", what, implementation.full_name(), name,
                  suggestion(name, names_of(all, &Parameter::name)));
}

const Value& value_of(const std::string& what, const Parameter& parameter,
                      const std::string& text) {
  const auto found =
      std::ranges::find(parameter.values, text, [](const Value& value) { return to_text(value); });
  if (found == parameter.values.end())
    throw bad_input("{}: {} = '{}' is none of its values: {}", what, parameter.name, text,
                    joined(parameter.values, ", "));
  return *found;
}

// Throws InputError unless the configuration has a listed value for each parameter and no other.
void check_values(const std::string& what, const Implementation& implementation,
                  const Configuration& configuration) {
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr)
      throw bad_input("{} has no value of {}, a parameter of {} now", what, parameter.name,
                      implementation.full_name());
    if (std::ranges::find(parameter.values, *value) == parameter.values.end())
      throw bad_input("{} has {}={}, which is none of its values now: {}", what, parameter.name,
                      to_text(*value), joined(parameter.values, ", "));
  }
  if (!has_its_parameters(implementation, configuration))
    throw bad_input("{} has a parameter that {} does not have", what, implementation.full_name());
}

// If `arch` is empty, the architecture is the device's own.
void set_device(const std::string& arch, const Device& device, SweepRequest& request) {
  if (!arch.empty() && device.kind != DeviceKind::cuda)
    throw InputError("--arch names the architecture of a GPU, and the device is the host");
  if (!arch.empty()) planned_device(arch);  // only to check it
  request.device = device;
  request.backend.architecture = arch.empty() ? architecture_of(device) : arch;
}

// A device that --device or --trial names may be of another architecture than --arch.
void check_architecture(const std::string& arch, const ShowSubject& subject) {
  const std::string& required = subject.implementation->requires_architecture;
  const std::string& here = subject.request.backend.architecture;
  if (!architecture_for(required, here))
    throw bad_input("{} needs {}, and this is {}", subject.implementation->full_name(), required,
                    here);
  if (arch.empty()) return;
  Device device = subject.request.device;
  device.compute_capability = planned_device(arch).compute_capability;
  check_configuration("--arch " + arch, *subject.implementation, subject.configuration,
                      subject.request.problem, device);
}

// The seed of the sweep that a row belongs to.
std::uint64_t seed_of(const Store& store, const BestRow& row) {
  Query query = query_for(row.problem.operation);
  query.problem = row.problem;
  for (const SweepRecord& sweep : store.sweeps(query))
    if (sweep.uuid == row.sweep_uuid) return sweep.key.seed;
  return 1;
}

void take_best(const SubjectGiven& given, TargetAnswers& answers, ShowSubject& subject) {
  LadderQuestion question = answers.question(subject.request.device);
  question.power_limit_w = present_power_limit(subject.request.device, given.device);
  const LadderResult result = answers.climb(question);
  const auto& answer = result.answer;
  if (!answer) refuse_none(result);
  if (!result.why_not_shipped.empty())
    subject.warnings.push_back("shipped results: " + result.why_not_shipped);
  subject.implementation = answer->implementation;
  subject.configuration = answer->configuration;
  subject.origin = rung_text(*answer);
  if (answer->rung > Rung::other_policy) subject.origin += ": " + answer->reason;
  if (answer->has_other_source)
    subject.warnings.push_back("the configuration was " +
                               other_source_text(answer->implementation->full_name()));
  if (!answer->row || answer->row->shipped || answers.store() == nullptr) return;
  subject.origin += fmt::format("{}sweep {}", answer->rung > Rung::other_policy ? "; " : ": ",
                                answer->row->sweep_uuid);
  subject.request.seed = seed_of(*answers.store(), *answer->row);
}

void take_given(const std::string& text, ShowSubject& subject) {
  if (subject.target.implementations.size() != 1)
    throw InputError("--config needs one implementation; name OPERATION/IMPLEMENTATION");
  subject.implementation = subject.target.implementations.front();
  std::istringstream words(text);
  subject.configuration = read_configuration(
      "--config", {std::istream_iterator<std::string>(words), {}}, *subject.implementation);
  subject.origin = "given by --config";
  check_configuration("--config", *subject.implementation, subject.configuration,
                      subject.request.problem, subject.request.device);
}

ShowSubject named_subject(const SubjectGiven& given) {
  ShowSubject subject;
  subject.target = read_target(given.words, given.places);
  const Operation& operation = subject.target.operation();
  given_values(operation, subject.target.assignments);  // bad input first
  TargetAnswers answers(subject.target, given.places);
  const bool is_planned = !given.arch.empty() && given.device.empty();
  set_device(given.arch, is_planned ? planned_device(given.arch) : answers.device({given.device}),
             subject.request);
  subject.request.operation = &operation;
  subject.request.implementations = subject.target.implementations;
  subject.request.problem =
      make_problem(operation, subject.target.assignments, subject.request.device);
  if (given.config.empty())
    take_best(given, answers, subject);
  else
    take_given(given.config, subject);
  return subject;
}

struct StoredTrial {
  SweepRecord sweep;
  Trial trial;
  std::string name;  // for messages
};

// "1f3a/17": the number is as `results --sweep` lists it.
StoredTrial find_trial(const SubjectGiven& given) {
  const std::string& text = given.trial;
  const std::size_t slash = text.rfind('/');
  const auto number =
      number_in<std::size_t>(slash == std::string::npos ? "" : text.substr(slash + 1));
  if (!number || slash == 0)
    throw InputError(fmt::format(
        "--trial '{}': give SWEEP/NUMBER, the number as `tilewright results --sweep` lists it",
        text));
  const std::unique_ptr<Store> store = open_for_reading(given.places);
  if (!store) throw bad_input("--trial '{}': {}", text, no_database_text(given.places));
  const std::string uuid = text.substr(0, slash);
  const std::vector<SweepRecord> sweeps = store->sweeps({.uuid = uuid});
  StoredTrial found{find_sweep(*store, sweeps, "trial", uuid), {}, "trial " + text};
  const std::vector<Trial> trials = store->trials(found.sweep.id);
  if (*number < 1 || *number > trials.size())
    throw InputError(
        fmt::format("--trial '{}': the sweep has trials 1 to {}", text, trials.size()));
  found.trial = trials[*number - 1];
  return found;
}

// The definitions, with the snippets that the trial's problem names.
Target target_of(const SubjectGiven& given, const StoredTrial& stored) {
  const std::string& operation = stored.sweep.key.operation;
  Target target =
      read_target(given.words.empty() ? std::vector{operation} : given.words, given.places);
  if (target.operation().name != operation)
    throw bad_input("{} is of {}, not of {}", stored.name, operation, target.operation().name);
  for (const std::string& assignment : target.assignments) {
    const std::string name = assignment.substr(0, assignment.find('='));
    if (find_named(target.operation().hooks, name) == nullptr)
      throw bad_input("{} fixes the problem; leave {} out", stored.name, assignment);
  }
  target.family = family_with(target.family, stored.sweep.key.problem.values, target.snippets);
  return target;
}

// The sweep's implementations that are still defined. Their compiled-in names decide what was
// verified.
std::vector<const Implementation*> implementations_of(const Family& family,
                                                      const SweepRecord& sweep) {
  std::vector<const Implementation*> implementations;
  for (const ImplementationKey& key : sweep.key.implementations)
    for (const Implementation& implementation : family.implementations)
      if (implementation.full_name() == key.name) implementations.push_back(&implementation);
  return implementations;
}

void warn_of_changes(const StoredTrial& stored, ShowSubject& subject) {
  const ImplementationKey* const then =
      find_named(stored.sweep.key.implementations, subject.implementation->full_name());
  if (then == nullptr) return;
  const ImplementationKey now = key_of(*subject.implementation, *subject.request.operation);
  if (now.epoch != then->epoch || now.source_hash != then->source_hash)
    subject.warnings.push_back(
        fmt::format("the source of {} has changed since {} was measured", now.name, stored.name));
}

ShowSubject stored_subject(const SubjectGiven& given) {
  for (const auto& [option, text] : {std::pair("config", given.config), {"device", given.device}})
    if (!text.empty())
      throw bad_input("--trial fixes what --{} would choose; give one of them", option);
  const StoredTrial stored = find_trial(given);
  ShowSubject subject;
  subject.target = target_of(given, stored);
  const Family& family = *subject.target.family;
  SweepRequest& request = subject.request;
  set_device(given.arch, stored.sweep.key.device, request);
  request.operation = &family.operation;
  request.implementations = implementations_of(family, stored.sweep);
  request.problem = make_problem(family.operation, stored.sweep.key.problem.values, request.device);
  request.seed = stored.sweep.key.seed;
  const std::size_t slash = stored.trial.implementation.find('/');
  subject.implementation = &family.implementation(stored.trial.implementation.substr(slash + 1));
  subject.configuration = stored.trial.configuration;
  const std::string& message = stored.trial.message;
  subject.origin = fmt::format("{}: {}{}{}", stored.name, to_text(stored.trial.outcome),
                               message.empty() ? "" : ": ", cause_of(stored.trial));
  check_configuration(stored.name, *subject.implementation, subject.configuration, request.problem,
                      request.device);
  warn_of_changes(stored, subject);
  return subject;
}

}  // namespace

void SubjectGiven::declare(Options& all) {
  all.text(unit, {"unit", "NAME",
                  "The source of this source unit; by default of the implementation's own."});
  all.text(config,
           {"config", "'A=1 B=2'",
            "This configuration, with other parameters at their defaults; by default what `best` "
            "answers."});
  all.text(trial, {"trial", "SWEEP/N", "This stored trial, as `results --sweep` numbers them."});
  all.text(arch, {"arch", "ARCH", "Architecture to compile for; by default the device's."});
  all.text(device, {"device", "DEVICE",
                    "cuda:N, host, or a part of a stored device's name; by default as for best."});
  all.number(seed, kSeedOption);
  places.declare(all, {kDatabase, kKernels, kLibraries, kShipped});
}

ShowSubject read_subject(const SubjectGiven& given) {
  ShowSubject subject = given.trial.empty() ? named_subject(given) : stored_subject(given);
  check_architecture(given.arch, subject);
  if (given.seed) subject.request.seed = *given.seed;
  subject.unit = given.unit;
  return subject;
}

Configuration read_configuration(const std::string& what, const std::vector<std::string>& words,
                                 const Implementation& implementation) {
  Configuration configuration = default_configuration(implementation);
  std::set<std::string> given;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw bad_input("{}: '{}' is not NAME=VALUE", what, word);
    const std::string name = word.substr(0, equals);
    const Parameter& parameter = parameter_named(what, implementation, name);
    if (!given.insert(name).second) throw bad_input("{}: {} is given twice", what, name);
    set(configuration, parameter, value_of(what, parameter, word.substr(equals + 1)));
  }
  return configuration;
}

std::vector<BrokenRule> broken_rules(const std::string& what, const Implementation& implementation,
                                     const Configuration& configuration, const Problem& problem,
                                     const Device& device) {
  check_values(what, implementation, configuration);
  Bindings bindings(implementation, problem, device);
  for (std::size_t i = 0; i < implementation.parameters.size(); ++i)
    bindings.bind(i, *find_value(configuration, implementation.parameters[i]));
  std::vector<BrokenRule> broken;
  for (const Rule& rule : make_rules(implementation, {}, bindings)) {
    try {
      if (accepts(rule, implementation, bindings)) continue;
    } catch (const ExpressionError& error) {
      throw bad_input("{}: {}: {}", what, rule.what, error.what());
    }
    const std::string& formula = rule.condition.text();
    const std::string why = rule.inactive
                                ? fmt::format("{} is inactive and must have its default",
                                              implementation.parameters[*rule.inactive].name)
                                : rule.name;
    broken.push_back({why, why == formula ? "" : formula,
                      rejected_values(rule, implementation, bindings),
                      fmt::format("{}: {}", describe_broken(rule, implementation, bindings), why)});
  }
  return broken;
}

void check_configuration(const std::string& what, const Implementation& implementation,
                         const Configuration& configuration, const Problem& problem,
                         const Device& device) {
  const auto broken = broken_rules(what, implementation, configuration, problem, device);
  if (!broken.empty()) throw InputError(what + ": " + broken.front().text);
}

}  // namespace tilewright::tools
