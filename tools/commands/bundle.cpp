#include <algorithm>

#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "definition/text/text_file.hpp"
#include "runtime/bundle_maker.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/results/portfolio.hpp"

namespace tilewright::tools {
namespace {

// More take minutes and gigabytes, and add hardly a kernel.
constexpr std::size_t kMostGeneral = 10'000;

struct BundleGiven : GivenWords {
  std::string output;
  std::vector<std::string> architectures;
  bool has_portfolio = false;
  std::size_t general = 0;  // --general; 0: not given
  Places places;

  void declare(Options& all) {
    all.text(output, {"output", "FILE", "Write the bundle here.", OptionSpec::Times::once, 'o'});
    all.texts(architectures,
              {"arch", "ARCH",
               "sm_90, or host; may be repeated. By default that of the device present."});
    all.add(
        {"device", "DEVICE", "cuda:N or host: --arch for this device.", OptionSpec::Times::many},
        [this](const std::string& name) {
          architectures.push_back(architecture_of(find_device(name).device));
        });
    all.flag(has_portfolio,
             {"portfolio", "",
              "Also add code for sizes that nobody tuned: the default, and a few configurations "
              "that do well for all tuned problems, compiled for any size."});
    all.number(general, {.least = 1, .most = kMostGeneral},
               {"general", "N",
                "Also add code for problems that nobody tuned: few kernels, so that for N problems "
                "of each of the operation's workloads one is expected to be within 10 % of the "
                "best. 1000 is a good number, 10000 the most."});
    places.declare(all, {kDatabase, kKernels, kLibraries, kShipped, kCache});
  }
};

// The devices to compile for: all of one architecture, such as "sm_90", or the host.
struct BundleDevices {
  std::string architecture;
  Device device;  // stands for them if there is no stored device

  bool holds(const Device& other) const {
    return other.kind == device.kind && other.compute_capability == device.compute_capability;
  }
};

std::vector<BundleDevices> read_devices(const BundleGiven& given) {
  std::vector<BundleDevices> all;
  for (const std::string& name : given.architectures) {
    if (name == "host") {
      all.push_back({name, local_device(DeviceSelector::host()).device});
      continue;
    }
    const Device planned = planned_device(name);
    if (name.find_first_of("af") != std::string::npos)
      throw bad_input(
          "--arch {}: name the architecture without a suffix; kernels that need one get it", name);
    all.push_back({name, planned});
  }
  if (!all.empty()) return all;
  const Device device = local_device({}).device;
  return {{architecture_of(device), device}};
}

RuntimeOptions read_options(const BundleGiven& given) {
  RuntimeOptions options;
  if (has_database(given.places)) options.catalog.database = database_file(given.places);
  options.catalog.kernels = kernel_folders(given.places);
  options.catalog.libraries = libraries_of(given.places);
  options.catalog.shipped = shipped_places(given.places);
  const std::string& word = given.words.front();
  if (const auto named = file_in(word)) {
    options.catalog.manifests = {named->file};
  } else {
    const auto files = stored_manifests(given.places, {word});
    options.catalog.manifests = {files.begin(), files.end()};
  }
  options.cache = cache_folder(given.places);
  options.toolkits = toolkit_folders();
  options.host_compiler = host_compiler();
  options.scratch = temporary_folder();
  return options;
}

void add_once(std::vector<Question>& questions, Question question) {
  const bool is_known = std::any_of(questions.begin(), questions.end(), [&](const Question& known) {
    return known.problem == question.problem && known.device == question.device &&
           known.environment == question.environment;
  });
  if (!is_known) questions.push_back(std::move(question));
}

// What is asked of look-ups: an operation or one implementation of it.
std::string asked_of(const BundleGiven& given, const Target& target) {
  const std::string& word = given.words.front();
  const auto named = file_in(word);
  if (!named) return word;
  const std::string& operation = target.operation().name;
  const bool is_whole =
      named->operation.empty() || (named->operation == operation && named->implementation.empty());
  return is_whole ? operation : target.implementations.front()->full_name();
}

// The problem of the command line, on each stored device of the architecture or on a planned one.
// If the command line has no problem: all problems with a stored or shipped result there. Each is
// asked without a power limit first, and then for each limit of its results.
std::vector<Question> read_questions(const BundleGiven& given, const Target& target,
                                     TargetAnswers& answers, const BundleDevices& devices) {
  const std::string name = asked_of(given, target);
  std::vector<Question> questions;
  std::vector<BestRow> rows = answers.rows();
  std::erase_if(rows, [&](const BestRow& row) {
    return !devices.holds(row.device) ||
           (name.find('/') != std::string::npos && row.implementation != name);
  });
  const bool has_problem = !target.assignments.empty();
  for (const BestRow& row : rows) {
    const Settings problem =
        has_problem ? make_problem(target.operation(), target.assignments, row.device).values
                    : row.problem.values;
    Question question{.operation = name, .problem = problem, .device = row.device};
    add_once(questions, question);
    if (!row.environment.power_limit_w) continue;
    question.environment.emplace().power_limit_w = row.environment.power_limit_w;
    add_once(questions, std::move(question));
  }
  if (has_problem && questions.empty())
    questions.push_back(
        {.operation = name,
         .problem = make_problem(target.operation(), target.assignments, devices.device).values,
         .device = devices.device});
  return questions;
}

void report(const Answer& answer, const Operation& operation, const BundleDevices& devices) {
  std::cout << fmt::format("{:<8} {:<14} {}  {}{}\n", devices.architecture, to_text(answer.rung),
                           answer.implementation, problem_text(operation, answer.problem),
                           answer.stale ? "  stale: " + answer.why_stale : "");
  if (answer.rung == Rung::other_policy && !answer.reason.empty())
    warn(fmt::format("{} {}: {}", answer.implementation, problem_text(operation, answer.problem),
                     answer.reason));
}

// For each device of the questions.
void add_spares(BundleMaker& maker, const Target& target, const Store* store,
                const std::vector<Question>& questions) {
  std::vector<BundleSpares> all;
  for (const Question& question : questions) {
    auto known = std::ranges::find(all, question.device.value(), &BundleSpares::device);
    if (known == all.end())
      known = all.insert(all.end(), {question.operation, question.device.value(), {}, {}, {}});
    if (const Problem problem{target.operation().name, question.problem};
        std::ranges::find(known->problems, problem) == known->problems.end())
      known->problems.push_back(problem);
  }
  for (BundleSpares& spares : all) {
    choose_spares(spares, target, store, std::cout);
    maker.add_spares(spares);
  }
}

// Code for problems that nobody tuned: so many of each workload, and others like them.
std::size_t add_general(BundleMaker& maker, const BundleGiven& given, const Target& target,
                        const BundleDevices& devices) {
  const Operation& operation = target.operation();
  std::vector<Problem> problems;
  for (const Workload& workload : workloads_of(operation))
    for (std::size_t i = 0; i < given.general; ++i) try {
        problems.push_back(make_problem(
            operation, drawn(operation, workload, i, devices.device.kind), devices.device));
      } catch (const InputError& error) {
        warn(error.what());
      }
  const std::size_t builds = maker.add_general(asked_of(given, target), devices.device, problems);
  std::cout << fmt::format("{:<8} {:<14} {} for {} problems that nobody tuned\n",
                           devices.architecture, "general", counted(builds, "kernel"),
                           problems.size());
  return builds;
}

int run_bundle(const BundleGiven& given) {
  const Target target = read_target(given.words, given.places);
  if (given.output.empty()) throw InputError("--output FILE is missing: where to write the bundle");
  check_output(given.output, given.places, files_of(target));
  const std::vector<BundleDevices> all = read_devices(given);
  BundleMaker maker(read_options(given));
  TargetAnswers answers(target, given.places);
  std::size_t general = 0;
  bool has_left_out = false;
  for (const BundleDevices& devices : all) {
    const std::vector<Question> questions = read_questions(given, target, answers, devices);
    for (const Question& question : questions) try {
        const std::size_t before = maker.size();
        const Answer answer = maker.add(question);
        if (maker.size() > before) report(answer, target.operation(), devices);
      } catch (const NothingFound& known_wrong) {
        has_left_out = true;
        warn(std::string("left out: ") + known_wrong.what());
      }
    if (given.has_portfolio) add_spares(maker, target, answers.store(), questions);
    if (given.general > 0) general += add_general(maker, given, target, devices);
  }
  if (maker.size() + general == 0)
    return tell_nothing(
        has_left_out ? "nothing is left that is not known to be wrong; nothing is written"
                     : "no stored result matches, and no problem was named; nothing is written");
  write_file(given.output, maker.bytes());
  std::cerr << fmt::format("{} in {}\n", counted(maker.size() + general, "kernel"), given.output);
  return kDone;
}

}  // namespace

Command bundle_command() {
  return make_command(
      {"bundle", Purpose::ship,
       "Compile the best kernels into one file that launches without a compiler or a database.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml [DIM=VALUE…] --output FILE [options]",
       "  tilewright bundle gemm --arch sm_90 --output gemm.bundle\n"
       "  tilewright bundle gemm --portfolio --arch sm_90 --output gemm.bundle\n"
       "  tilewright bundle gemm M=N=K=1024 --arch sm_90 --arch sm_100 --output gemm.bundle\n"},
      run_bundle);
}

}  // namespace tilewright::tools
