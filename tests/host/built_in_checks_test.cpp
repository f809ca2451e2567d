// What built-in configurations are verified on besides the tuned problem.
#include <gtest/gtest.h>

#include <algorithm>

#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/host/host_support.hpp"
#include "tests/support/workload_problems.hpp"
#include "tests/unit/tuner/space/example.hpp"
#include "tilewright/error.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::test {
namespace {

bool is_ragged(const SessionProblem& problem) {
  return std::ranges::any_of(problem.buffers, [](const PlannedBuffer& buffer) {
    return buffer.count > 256 && buffer.count % 32 != 0;
  });
}

// But for a filter, which may be compiled in.
bool is_tiny(const SessionProblem& problem) {
  return std::ranges::all_of(problem.buffers, [](const PlannedBuffer& buffer) {
    return buffer.count <= 64 || buffer.name == "filter";
  });
}

// What a configuration is verified on besides the tuned problem.
struct Checks {
  bool ragged = false;
  bool tiny = false;
};

Checks checks_of(const KernelPlan& kernel, const SessionPlan& session) {
  Checks checks;
  for (std::size_t i = 1; i < session.problems.size(); ++i) {
    if (kernel.launches[i].launches.empty()) continue;
    checks.ragged |= is_ragged(session.problems[i]);
    checks.tiny |= is_tiny(session.problems[i]);
  }
  return checks;
}

// Whether its code is for the tuned problem alone, by the configuration's choice, and not for
// `other`.
bool has_own_code(const SweepRequest& request, const Implementation& implementation,
                  const Configuration& configuration, const Problem& other) {
  const Scope scope = full_scope(request.problem, configuration, request.device);
  const Scope others = full_scope(other, configuration, request.device);
  return std::ranges::any_of(implementation.compiled_in, [&](const CompiledIn& item) {
    if (item.term) return item.term->value(scope) != item.term->value(others);
    return !item.when.names().empty() && item.when.is_true(scope);
  });
}

// The default problem, or the first of the operation's checks and the largest of its workloads that
// the implementation can do, in the first type that it has. Returns its space, which takes longest
// to build.
Space choose_problem(SweepRequest& request, const Implementation& implementation) {
  const Operation& operation = *request.operation;
  const auto typed = std::ranges::find_if(operation.choices, holds_types);
  std::vector<Settings> problems = largest_of_workloads(operation);
  problems.insert(problems.begin(), Settings{});
  std::ranges::copy(operation.checks, std::back_inserter(problems));
  for (const std::string& type : typed->labels)
    for (Settings values : problems) {
      values[typed->name] = type;
      request.problem = make_problem(operation, values, request.device);
      Space space = build_space(operation, implementation, request.problem, request.device);
      if (!space.legal.empty()) return space;
    }
  return {};
}

void expect_checks(const SweepRequest& request, const Implementation& implementation,
                   const Space& space) {
  const auto problems = problems_to_verify(request);
  const SessionPlan session = plan_session(request, problems, {}, {});
  ASSERT_FALSE(space.legal.empty());
  constexpr std::size_t kMost = kSanitized ? 60 : 2000;  // of a space, evenly spread
  const std::size_t step = 1 + space.legal.size() / kMost;
  for (std::size_t i = 0; i < space.legal.size(); i += step) {
    const Configuration configuration = space.legal[i];
    if (has_own_code(request, implementation, configuration, problems[1])) continue;
    const Checks checks =
        checks_of(plan_kernel(request, implementation, configuration, problems, {}), session);
    ASSERT_TRUE(checks.ragged) << tilewright::to_text(configuration.values);
    ASSERT_TRUE(checks.tiny) << tilewright::to_text(configuration.values);
  }
}

TEST(BuiltInChecks, EachConfigurationHasARaggedAndATinyOne) {
  const Library library = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  for (const auto& [name, family] : library.families()) {
    SweepRequest request;
    request.operation = &family.operation;
    request.device = hopper();
    for (const Implementation& implementation : family.implementations)
      request.implementations.push_back(&implementation);
    for (const Implementation& implementation : family.implementations) {
      if (implementation.is_routine()) continue;  // is checked on the tuned problem alone
      SCOPED_TRACE(implementation.full_name());
      const Space space = choose_problem(request, implementation);
      expect_checks(request, implementation, space);
    }
  }
}

}  // namespace
}  // namespace tilewright::test
