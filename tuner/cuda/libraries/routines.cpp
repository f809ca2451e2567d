#include "tuner/cuda/libraries/routines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "tuner/cuda/libraries/cublas.hpp"
#include "tuner/cuda/libraries/cublas_lt.hpp"
#include "tuner/cuda/libraries/cudnn.hpp"

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

[[noreturn]] void refuse(const char* library, const LibraryError& error) {
  refuse_launch(fmt::format("{}: {}", library, error.what()));
}

void check_workspace(std::size_t needed, std::size_t given) {
  if (needed > given)
    throw LibraryError(fmt::format("it needs {} bytes of workspace, and gets {}", needed, given));
}

// Where a call has its operands: two inputs and an output, which arguments of these names are.
class Operands {
 public:
  Operands(const Values& values, const std::array<const char*, 3>& names)
      : a_(values.place(names[0])),
        b_(values.place(names[1])),
        c_(values.place(names[2])),
        alpha_(values.place("alpha")),
        beta_(values.place("beta")),
        accumulates_(values.label("accumulate") == "yes") {}

  LtOperands of(const CallOperands& operands) const {
    static constexpr std::array<std::uint64_t, 1> kZero = {};  // 0 in every type
    const auto& all = operands.arguments;
    return {all[a_].memory, all[b_].memory, all[c_].memory, all[alpha_].values.data(),
            accumulates_ ? static_cast<const void*>(all[beta_].values.data()) : &kZero};
  }

 private:
  std::size_t a_, b_, c_, alpha_, beta_;
  bool accumulates_;
};

constexpr std::array kProductOperands = {"a", "b", "c"};
constexpr std::array kLayerOperands = {"image", "filter", "output"};
constexpr const char* kCublasLt = "cublasLt";
constexpr const char* kCublas = "cuBLAS";
constexpr const char* kCudnn = "cuDNN";

class LtRoutine final : public Routine {
 public:
  LtRoutine(const LaunchPlan& plan, const Folders& folders)
      : LtRoutine(Values(plan.routine), plan.workspace_bytes, folders) {}

  void call(const LaunchPlan& /*plan*/, const CallOperands& operands,
            cudaStream_t stream) const override try {
    product_.call(operands_.of(operands), algorithm_, operands.memory.workspace, workspace_bytes_,
                  stream);
  } catch (const LibraryError& error) {
    refuse(kCublasLt, error);
  }

 private:
  LtRoutine(const Values& values, std::int64_t workspace_bytes, const Folders& folders)
      : product_(cublas_lt(folders), product_of(values)),
        algorithm_(product_.make(values.numbers())),
        workspace_bytes_(static_cast<std::size_t>(workspace_bytes)),
        operands_(values, kProductOperands) {
    check_workspace(product_.check(algorithm_), workspace_bytes_);
  }

  LtProduct product_;
  LtAlgorithm algorithm_;
  std::size_t workspace_bytes_;
  Operands operands_;
};

class CublasRoutine final : public Routine {
 public:
  CublasRoutine(const LaunchPlan& plan, const Folders& folders)
      : product_(cublas(folders), product_of(Values(plan.routine))),
        workspace_bytes_(static_cast<std::size_t>(plan.workspace_bytes)),
        operands_(Values(plan.routine), kProductOperands) {}

  void call(const LaunchPlan& /*plan*/, const CallOperands& operands,
            cudaStream_t stream) const override try {
    product_.call(operands_.of(operands), operands.memory.workspace, workspace_bytes_, stream);
  } catch (const LibraryError& error) {
    refuse(kCublas, error);
  }

 private:
  CublasProduct product_;
  std::size_t workspace_bytes_;
  Operands operands_;
};

// A problem of an operation that has the names of conv_layer. Throws LibraryError for what cuDNN
// does not compute.
ConvolutionProblem convolution_of(const Values& values) {
  const auto number = [&](const std::string& name) {
    const std::int64_t value = values.number(name);
    if (value > std::numeric_limits<int>::max())
      throw LibraryError(fmt::format("a {} of {} does not fit 32 bits", name, value));
    return static_cast<int>(value);
  };
  const auto axes = [&](const std::string& before, const std::array<const char*, 3>& names,
                        const char* after = "") {
    return ConvolutionProblem::Axes{number(before + names[0] + after),
                                    number(before + names[1] + after),
                                    number(before + names[2] + after)};
  };
  constexpr std::array kSizes = {"depth", "height", "width"};
  constexpr std::array kAxes = {"z", "y", "x"};
  using Layout = ConvolutionProblem::Layout;
  const auto layout = [&](const char* name, const char* last) {
    return values.label(name) == last ? Layout::channels_last : Layout::channels_first;
  };
  const ConvolutionProblem problem = {.batch = number("batch"),
                                      .channels_in = number("channels_in"),
                                      .channels_out = number("channels_out"),
                                      .groups = number("groups"),
                                      .image = axes("", kSizes),
                                      .output = axes("", kSizes, "_out"),
                                      .filter = axes("filter_", kSizes),
                                      .stride = axes("stride_", kAxes),
                                      .dilation = axes("dilation_", kAxes),
                                      .padding = axes("padding_", kAxes),
                                      .layout = layout("layout", "nhwc"),
                                      .filter_layout = layout("filter_layout", "krsc"),
                                      .type = values.type("image"),
                                      .precision = values.label("precision")};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const std::int64_t reach = std::int64_t{problem.dilation.at(i)} * (problem.filter.at(i) - 1);
    const std::int64_t room =
        problem.image.at(i) + 2 * std::int64_t{problem.padding.at(i)} - reach - 1;
    if (room < 0 || room / problem.stride.at(i) + 1 != problem.output.at(i))
      throw LibraryError(fmt::format("pads both sides alike, which gives another {} than {}",
                                     kSizes.at(i), problem.output.at(i)));
  }
  return problem;
}

constexpr std::array kLayerWorkspaces = {0, 1, 4, 16, 64, 256, 1024, 4096};  // MiB

class CudnnRoutine final : public Routine {
 public:
  CudnnRoutine(const LaunchPlan& plan, const Folders& folders)
      : convolution_(cudnn(folders), convolution_of(Values(plan.routine))),
        algorithm_(static_cast<int>(Values(plan.routine).number("ALGORITHM"))),
        workspace_bytes_(static_cast<std::size_t>(plan.workspace_bytes)),
        operands_(Values(plan.routine), kLayerOperands) {
    check_workspace(convolution_.workspace_bytes(algorithm_), workspace_bytes_);
  }

  void call(const LaunchPlan& /*plan*/, const CallOperands& operands,
            cudaStream_t stream) const override try {
    const LtOperands all = operands_.of(operands);
    convolution_.call({all.a, all.b, all.c, all.alpha, all.beta}, algorithm_,
                      operands.memory.workspace, workspace_bytes_, stream);
  } catch (const LibraryError& error) {
    refuse(kCudnn, error);
  }

 private:
  CudnnConvolution convolution_;
  int algorithm_;
  std::size_t workspace_bytes_;
  Operands operands_;
};

// Each algorithm that the library says computes the layer, those first that are seldom very slow.
RoutineList list_convolutions(const PlannedRoutine& problem, const Folders& folders) try {
  const CudnnConvolution convolution(cudnn(folders), convolution_of(Values(problem)));
  RoutineList all;
  for (const int algorithm : {1, 0, 6, 7, 2, 3, 4, 5}) try {
      const auto bytes = static_cast<std::int64_t>(convolution.workspace_bytes(algorithm));
      const auto* const enough = std::ranges::find_if(
          kLayerWorkspaces, [&](std::int64_t some) { return some * kMebibyte >= bytes; });
      if (enough != kLayerWorkspaces.end())
        all.configurations.push_back({{"ALGORITHM", algorithm}, {kWorkspace, *enough}});
    } catch (const LibraryError& error) {
      all.why = fmt::format("{}: {}", kCudnn, error.what());
    }
  return all;
} catch (const LibraryError& error) {
  return {{}, fmt::format("{}: {}", kCudnn, error.what())};
}

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

// cuBLAS chooses by itself, and does not say whether it can before it is called. This is the
// workspace that it takes of its own on GPUs of compute capability 9.0.
RoutineList list_cublas(const PlannedRoutine& /*problem*/, const Folders& /*folders*/) {
  return {{{{kWorkspace, 32}}}, ""};
}

template <class Made>
std::unique_ptr<const Routine> make(const LaunchPlan& plan, const Folders& folders) {
  return std::make_unique<const Made>(plan, folders);
}

// A routine that manifests may name.
struct Known {
  const char* name;
  const char* library;
  std::unique_ptr<const Routine> (*make)(const LaunchPlan& plan, const Folders& folders);
  RoutineList (*list)(const PlannedRoutine& problem, const Folders& folders);
  std::string (*version)(const Folders& folders);  // throws LibraryError
};

constexpr auto kRoutines = std::to_array<Known>({
    {"cublas", kCublas, make<CublasRoutine>, list_cublas,
     [](const Folders& folders) { return cublas(folders).version(); }},
    {"cublaslt", kCublasLt, make<LtRoutine>, list_products,
     [](const Folders& folders) { return cublas_lt(folders).version(); }},
    {"cudnn", kCudnn, make<CudnnRoutine>, list_convolutions,
     [](const Folders& folders) { return cudnn(folders).version(); }},
});

const Known* find_routine(const std::string& name) {
  const auto* const found = std::ranges::find(kRoutines, std::string_view(name), &Known::name);
  return found == kRoutines.end() ? nullptr : found;
}

}  // namespace

std::unique_ptr<const Routine> make_routine(const LaunchPlan& plan, const Folders& folders) {
  const Known* const known = find_routine(plan.routine.name);
  if (known == nullptr) refuse_launch("there is no routine " + plan.routine.name);
  try {
    return known->make(plan, folders);
  } catch (const LibraryError& error) {
    refuse(known->library, error);
  }
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
