#include "tuner/cuda/libraries/routines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "tuner/cuda/libraries/cublas_lt.hpp"

namespace tilewright::cuda {
namespace {

// What a plan tells a routine. Throws LibraryError for what it does not tell.
class Values {
 public:
  explicit Values(const PlannedRoutine& routine) : routine_(routine) {}

  std::int64_t number(const std::string& name) const {
    const auto* const number = std::get_if<std::int64_t>(&find(name));
    if (number == nullptr) throw LibraryError(fmt::format("'{}' is not a number", name));
    return *number;
  }
  std::string label(const std::string& name) const { return to_text(find(name)); }
  ElementType type(const std::string& argument) const {
    const auto type = type_named(label(argument));
    if (!type) throw LibraryError(fmt::format("'{}' has no type", argument));
    return *type;
  }
  std::size_t place(const std::string& argument) const {
    const auto found = std::ranges::find(routine_.arguments, argument);
    if (found == routine_.arguments.end())
      throw LibraryError(fmt::format("there is no argument '{}'", argument));
    return static_cast<std::size_t>(found - routine_.arguments.begin());
  }
  LtNumbers numbers() const {
    LtNumbers all;
    for (const auto& [name, value] : routine_.values)
      if (const auto* const number = std::get_if<std::int64_t>(&value)) all.emplace(name, *number);
    return all;
  }

 private:
  const Value& find(const std::string& name) const {
    const auto found = routine_.values.find(name);
    if (found == routine_.values.end())
      throw LibraryError(fmt::format("the problem has no '{}'", name));
    return found->second;
  }

  const PlannedRoutine& routine_;
};

// A problem of an operation that has the names of gemm.
LtProblem product_of(const Values& values) {
  LtProblem problem;
  for (const auto& [name, member] : {std::pair("M", &LtProblem::m),
                                     {"N", &LtProblem::n},
                                     {"K", &LtProblem::k},
                                     {"batch", &LtProblem::batch},
                                     {"lda", &LtProblem::lda},
                                     {"ldb", &LtProblem::ldb},
                                     {"ldc", &LtProblem::ldc},
                                     {"stride_a", &LtProblem::stride_a},
                                     {"stride_b", &LtProblem::stride_b},
                                     {"stride_c", &LtProblem::stride_c}})
    problem.*member = values.number(name);
  problem.transpose_a = values.label("transpose_a") == "yes";
  problem.transpose_b = values.label("transpose_b") == "yes";
  problem.types = {values.type("a"), values.type("b"), values.type("c"), values.type("alpha"),
                   values.label("precision")};
  return problem;
}

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr const char* kWorkspace = "WORKSPACE";

[[noreturn]] void refuse(const LibraryError& error) {
  refuse_launch(std::string("cublasLt: ") + error.what());
}

class Product final : public Routine {
 public:
  Product(const LaunchPlan& plan, const Folders& folders)
      : Product(Values(plan.routine), plan.workspace_bytes, folders) {}

  void call(const LaunchPlan& /*plan*/, const CallOperands& operands,
            cudaStream_t stream) const override try {
    static constexpr std::array<std::uint64_t, 1> kZero = {};  // 0 in every type
    const auto& all = operands.arguments;
    product_.call({all[a_].memory, all[b_].memory, all[c_].memory, all[alpha_].values.data(),
                   accumulates_ ? static_cast<const void*>(all[beta_].values.data()) : &kZero},
                  algorithm_, operands.memory.workspace, workspace_bytes_, stream);
  } catch (const LibraryError& error) {
    refuse(error);
  }

 private:
  Product(const Values& values, std::int64_t workspace_bytes, const Folders& folders)
      : product_(cublas_lt(folders), product_of(values)),
        algorithm_(product_.make(values.numbers())),
        workspace_bytes_(static_cast<std::size_t>(workspace_bytes)),
        a_(values.place("a")),
        b_(values.place("b")),
        c_(values.place("c")),
        alpha_(values.place("alpha")),
        beta_(values.place("beta")),
        accumulates_(values.label("accumulate") == "yes") {
    const std::size_t needed = product_.check(algorithm_);
    if (needed > workspace_bytes_)
      throw LibraryError(
          fmt::format("it needs {} bytes of workspace, and gets {}", needed, workspace_bytes_));
  }

  LtProduct product_;
  LtAlgorithm algorithm_;
  std::size_t workspace_bytes_;
  std::size_t a_, b_, c_, alpha_, beta_;
  bool accumulates_;
};

constexpr int kAsked = 200;  // algorithms, under each limit of the workspace
constexpr std::array kWorkspaceLimits = {0, 1, 4, 32, 128};  // MiB

// As a trial will make it: what its numbers do not describe is not among the answers. Nothing if
// the library refuses that, or if it needs more workspace than the limits.
std::optional<LtNumbers> numbers_of(const LtProduct& product, const LtAlgorithm& algorithm) try {
  LtNumbers numbers = product.describe(algorithm);
  const auto bytes = static_cast<std::int64_t>(product.check(product.make(numbers)));
  const auto* const enough = std::ranges::find_if(
      kWorkspaceLimits, [&](std::int64_t some) { return some * kMebibyte >= bytes; });
  if (enough == kWorkspaceLimits.end()) return std::nullopt;
  numbers[kWorkspace] = *enough;
  return numbers;
} catch (const LibraryError&) {
  return std::nullopt;
}

// Each algorithm once, with the least of these limits that its workspace keeps: the library's first
// under each limit, then its second ones.
RoutineList list_products(const PlannedRoutine& problem, const Folders& folders) try {
  const LtProduct product(cublas_lt(folders), product_of(Values(problem)));
  std::vector<std::vector<LtHeuristicResult>> lists;
  std::string why = "cublasLt lists no algorithm";
  for (const std::int64_t limit : kWorkspaceLimits) try {
      lists.push_back(product.algorithms(kAsked, static_cast<std::size_t>(limit * kMebibyte)));
    } catch (const LibraryError& error) {
      why = std::string("cublasLt: ") + error.what();
    }
  RoutineList all;
  std::set<LtNumbers> known;
  for (std::size_t place = 0; place < static_cast<std::size_t>(kAsked); ++place)
    for (const auto& list : lists)
      if (const auto numbers =
              place < list.size() ? numbers_of(product, list[place].algorithm) : std::nullopt;
          numbers && known.insert(*numbers).second)
        all.configurations.push_back(*numbers);
  if (all.configurations.empty()) all.why = why;
  return all;
} catch (const LibraryError& error) {
  return {{}, std::string("cublasLt: ") + error.what()};
}

// A routine that manifests may name.
struct Known {
  const char* name;
  std::unique_ptr<const Routine> (*make)(const LaunchPlan& plan, const Folders& folders);
  RoutineList (*list)(const PlannedRoutine& problem, const Folders& folders);
  std::string (*version)(const Folders& folders);  // throws LibraryError
};

constexpr auto kRoutines = std::to_array<Known>({
    {"cublaslt",
     [](const LaunchPlan& plan, const Folders& folders) -> std::unique_ptr<const Routine> {
       return std::make_unique<const Product>(plan, folders);
     },
     list_products, [](const Folders& folders) { return cublas_lt(folders).version(); }},
});

const Known* find_routine(const std::string& name) {
  const auto* const found = std::ranges::find(kRoutines, std::string_view(name), &Known::name);
  return found == kRoutines.end() ? nullptr : found;
}

}  // namespace

std::unique_ptr<const Routine> make_routine(const LaunchPlan& plan, const Folders& folders) try {
  const Known* const known = find_routine(plan.routine.name);
  if (known == nullptr) throw LibraryError("there is no routine " + plan.routine.name);
  return known->make(plan, folders);
} catch (const LibraryError& error) {
  refuse(error);
}

RoutineList list_routine(const PlannedRoutine& problem, const Folders& folders) {
  const Known* const known = find_routine(problem.name);
  if (known == nullptr) return {{}, "there is no routine " + problem.name};
  return known->list(problem, folders);
}

std::vector<RoutineLibrary> routine_libraries(const Folders& folders) {
  std::vector<RoutineLibrary> all;
  for (const Known& known : kRoutines) try {
      all.push_back({known.name, known.version(folders)});
    } catch (const LibraryError& error) {
      all.push_back({known.name, "", error.what()});
    }
  return all;
}

}  // namespace tilewright::cuda
