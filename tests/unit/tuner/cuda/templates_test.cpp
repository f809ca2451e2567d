// Every template, every proof definition and the examples' kernels compile for sm_90, in their
// default and in some other legal configurations.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "db/ladder/question.hpp"
#include "definition/architecture.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/workload_problems.hpp"
#include "tilewright/error.hpp"
#include "tuner/cuda/compile/architectures.hpp"
#include "tuner/cuda/compile/nvrtc.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/space/space.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kOthers = 2;

class Templates : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      compiler_ = std::make_unique<cuda::Nvrtc>();
    } catch (const MachineError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  void compile_family(const Family& family, const std::vector<std::string>& assignments = {}) {
    if (!family.operation.reference.source.empty())
      compile_reference(family.operation, make_problem(family.operation, assignments, device_));
    for (const Implementation& implementation : family.implementations) {
      if (implementation.is_routine()) continue;
      SCOPED_TRACE(implementation.full_name());
      Problem problem = make_problem(family.operation, assignments, device_);
      Space space = build_space(family.operation, implementation, problem, device_);
      std::vector<Settings> problems = {Settings{}};
      if (!family.operation.checks.empty()) problems.push_back(family.operation.checks.back());
      std::ranges::copy(test::largest_of_workloads(family.operation), std::back_inserter(problems));
      for (const std::string& type : types_of(family.operation))
        for (Settings values : problems) {
          if (!space.legal.empty()) break;  // else it is for other shapes or types
          set_type(values, family.operation, type);
          problem = make_problem(family.operation, values, device_);
          space = build_space(family.operation, implementation, problem, device_);
        }
      ASSERT_FALSE(space.legal.empty());
      const KernelSource source = read_source(implementation);
      for (const Configuration& configuration : some_of(implementation, space))
        compile_configuration(family.operation, implementation, source, problem, configuration);
    }
  }

  // The types that the first choice of types of an operation offers; "" if it has none.
  static std::vector<std::string> types_of(const Operation& operation) {
    const auto typed = std::ranges::find_if(operation.choices, holds_types);
    return typed == operation.choices.end() ? std::vector<std::string>{""} : typed->labels;
  }

  static void set_type(Settings& values, const Operation& operation, const std::string& type) {
    const auto typed = std::ranges::find_if(operation.choices, holds_types);
    if (typed != operation.choices.end()) values[typed->name] = type;
  }

  // The legal configurations for which `where` holds, of which there must be some.
  Configurations legal_where(const Operation& operation, const Implementation& implementation,
                             const Problem& problem, const std::string& where) const {
    Space space =
        build_space(operation, implementation, problem, device_, Expression::parse(where));
    EXPECT_FALSE(space.legal.empty()) << to_text(problem.values) << " where " << where;
    return std::move(space.legal);
  }

  void compile_configuration(const Operation& operation, const Implementation& implementation,
                             const KernelSource& source, const Problem& problem,
                             const Configuration& configuration) {
    const Scope scope = full_scope(problem, configuration, device_);
    const CompileRequest request =
        make_compile_request(source, implementation, operation, problem, configuration, scope,
                             architecture_for(implementation, "sm_90").value());
    const CompileResult result = compiler_->compile(request);
    expect_good(result, request, configuration);
    if (!result.ok()) return;
    int most = 0;  // of the entries: the estimate is for the one that needs most
    for (const std::string& entry : request.entries)
      most = std::max(most, result.entries.at(entry_key(entry, request.unit)).resources.registers);
    EXPECT_GE(most, evaluate(implementation.estimate.registers, scope, "estimate"))
        << to_text(configuration.values);
  }

  const Device& device() const { return device_; }

  CompileResult compile(const CompileRequest& request) { return compiler_->compile(request); }

 private:
  void compile_reference(const Operation& operation, const Problem& problem) {
    const KernelSource source = read_source(operation.reference);
    CompileRequest request{
        source.text,    source.name,
        source.headers, reference_options(operation, operation.reference, problem),
        "sm_90",        {}};
    for (const Launch& launch : operation.reference.launches)
      request.entries.push_back(entry_of(launch.entry, operation, scope_over({&problem.values})));
    expect_good(compiler_->compile(request), request, {});
  }

  static std::vector<Configuration> some_of(const Implementation& implementation,
                                            const Space& space) {
    std::vector<Configuration> chosen = {default_configuration(implementation)};
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < kOthers; ++i)
      chosen.push_back(space.legal[random() % space.legal.size()]);
    return chosen;
  }

  static void expect_good(const CompileResult& result, const CompileRequest& request,
                          const Configuration& configuration) {
    SCOPED_TRACE(to_text(configuration.values));
    ASSERT_TRUE(result.ok()) << result.log;
    std::vector<std::string> entries;
    for (const std::string& entry : request.entries)
      entries.push_back(entry_key(entry, request.unit));
    for (const CompileRequest& unit : request.units)
      for (const std::string& entry : unit.entries) entries.push_back(entry_key(entry, unit.unit));
    for (const std::string& entry : entries) {
      ASSERT_TRUE(result.entries.contains(entry)) << entry;
      EXPECT_GT(result.entries.at(entry).resources.registers, 0) << entry;
    }
  }

  std::unique_ptr<cuda::Nvrtc> compiler_;
  Device device_ = cuda::planned_device(90);
};

TEST_F(Templates, BuiltInsCompile) {
  const std::filesystem::path folder = TILEWRIGHT_SOURCE_DIR;
  const Library library = Library::load({folder / "kernel_templates"});
  ASSERT_GE(library.families().size(), 2U);
  for (const auto& [name, family] : library.families()) compile_family(family);
}

// Of what the tests on a GPU prove, one configuration of each case, another way each time.
TEST_F(Templates, GemmByBoxesCompiles) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Operation& operation = library.family("gemm").operation;
  const Implementation blocked = test::with_boxes(library.family("gemm").implementation("blocked"));
  const KernelSource source = read_source(blocked.source, blocked.include_directories);
  std::size_t turn = 0;
  for (const test::GemmCase& boxed : test::boxed_cases()) {
    const Problem problem = make_problem(operation, boxed.problem, device());
    const std::string compiled = boxed.wheres[turn++ % boxed.wheres.size()];
    for (const std::string& where : boxed.wheres) {
      const Configurations legal = legal_where(operation, blocked, problem, where);
      if (where == compiled && !legal.empty())
        compile_configuration(operation, blocked, source, problem, legal[legal.size() / 2]);
    }
  }
}

TEST_F(Templates, ProofDefinitionsCompile) {
  const std::filesystem::path folder = TILEWRIGHT_SOURCE_DIR "/tests/definitions";
  std::size_t count = 0;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    if (item.path().extension() != ".toml") continue;
    compile_family(load_manifest(item.path(), Library{}));
    ++count;
  }
  EXPECT_GE(count, 4U);
}

TEST_F(Templates, TheExamplesCompile) {
  const std::filesystem::path examples = TILEWRIGHT_SOURCE_DIR "/examples";
  compile_family(load_manifest(examples / "stencil5" / "stencil5.toml", Library{}));
  compile_family(
      load_manifest(examples / "kernel_tuner_convolution" / "kernel_tuner_convolution.toml",
                    Library{}),
      {"filter_width=3"});
}

// A capability, 10 · major + minor, and the shared memory that a block can have there.
struct SharedLimit {
  int capability;
  std::int64_t kib;
};

class Defaults : public Templates, public testing::WithParamInterface<SharedLimit> {
 protected:
  // The usual problem of this type, else one of the operation's checks, that the default fits.
  std::optional<Problem> problem_for(const Operation& operation,
                                     const Implementation& implementation,
                                     const std::string& type) const {
    if (implementation.is_routine()) return std::nullopt;
    std::vector<Settings> candidates = {{}};
    candidates.insert(candidates.end(), operation.checks.begin(), operation.checks.end());
    for (Settings& values : candidates) {
      set_type(values, operation, type);
      Problem problem = make_problem(operation, values, target_);
      if (fits(implementation, default_configuration(implementation), problem, target_))
        return problem;
    }
    return std::nullopt;
  }

  void compile_default(const Operation& operation, const Implementation& implementation,
                       const Problem& problem) {
    const Configuration configuration = default_configuration(implementation);
    const Scope scope = full_scope(problem, configuration, target_);
    const CompileResult result = compile(make_compile_request(
        read_source(implementation), implementation, operation, problem, configuration, scope,
        architecture_for(implementation, architecture_of(target_)).value()));
    ASSERT_TRUE(result.ok()) << result.log;
    const LaunchPlan plan = plan_launches(operation, implementation, scope);
    for (const PlannedLaunch& launch : plan.launches)
      EXPECT_LE(result.entries.at(launch.entry).resources.shared_bytes + launch.shared_bytes,
                GetParam().kib * 1024)
          << launch.entry;
  }

  const Device target_ = cuda::planned_device(GetParam().capability);
};

// In each type that the implementation serves on the device.
TEST_P(Defaults, CompileWithinTheSharedMemory) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  std::size_t compiled = 0;
  for (const auto& [name, family] : library.families())
    for (const Implementation& implementation : family.implementations)
      for (const std::string& type : types_of(family.operation)) {
        SCOPED_TRACE(implementation.full_name() + ' ' + type);
        const auto problem = problem_for(family.operation, implementation, type);
        if (!problem) continue;
        compile_default(family.operation, implementation, *problem);
        ++compiled;
      }
  EXPECT_GE(compiled, 30U);  // 7 implementations in four types, and gemm/mma in those of 16 bits
}

// Every set of types and a precision that the operation has, as settings.
std::vector<Settings> product_types(const Operation& operation) {
  std::vector<Settings> sets = {{}};
  for (const char* const name : {"type_a", "type_b", "precision", "type_c"}) {
    std::vector<Settings> longer;
    const auto choice = std::ranges::find(operation.choices, name, &Choice::name);
    for (const Settings& set : sets)
      for (const std::string& label : choice->labels) {
        longer.push_back(set);
        longer.back().emplace(name, label);
      }
    sets = std::move(longer);
  }
  std::erase_if(sets, [&](const Settings& set) {
    try {
      make_problem(operation, set, {});
      return false;
    } catch (const InputError&) {
      return true;
    }
  });
  return sets;
}

// A part of the sets on each architecture, of which another one begins elsewhere.
TEST_P(Defaults, NaiveProductsCompileInAllTypes) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Family& family = library.family("gemm");
  const std::vector<Settings> sets = product_types(family.operation);
  EXPECT_EQ(sets.size(), 2U * 36 * 7 + 2 * 4 * 7 + 2 * 7 + 8);
  constexpr std::size_t kStep = 23;
  for (auto i = static_cast<std::size_t>(GetParam().capability) % kStep; i < sets.size();
       i += kStep) {
    SCOPED_TRACE(to_text(sets[i]));
    compile_default(family.operation, family.implementation("naive"),
                    make_problem(family.operation, sets[i], target_));
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Defaults,
                         testing::Values(SharedLimit{80, 163}, SharedLimit{86, 99},
                                         SharedLimit{90, 227}, SharedLimit{120, 99}),
                         [](const auto& one) {
                           return "sm_" + std::to_string(one.param.capability);
                         });

}  // namespace
}  // namespace tilewright
