#include "tuner/cuda/libraries/routines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "tuner/cuda/libraries/cublas.hpp"
#include "tuner/cuda/libraries/cublas_lt.hpp"
#include "tuner/cuda/libraries/cudnn.hpp"
#include "tuner/cuda/libraries/problems.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr const char* kWorkspace = "WORKSPACE";

[[noreturn]] void refuse(const char* library, const LibraryError& error) {
  refuse_launch(fmt::format("{}: {}", library, error.what()));
}

void check_workspace(std::size_t needed, std::size_t given) {
  if (needed > given)
    throw LibraryError(fmt::format("it needs {} bytes of workspace, and gets {}", needed, given));
}

constexpr std::array kProductOperands = {"a", "b", "c"};
constexpr std::array kLayerOperands = {"image", "filter", "output"};
constexpr const char* kCublasLt = "cublasLt";
constexpr const char* kCublas = "cuBLAS";
constexpr const char* kCudnn = "cuDNN";

// What all have: a workspace, two inputs and an output with these names, and factors or none.
class LibraryRoutine : public Routine {
 public:
  void call(const LaunchPlan& /*plan*/, const CallOperands& operands,
            cudaStream_t stream) const final try {
    enqueue(of(operands.arguments), operands.memory.workspace, stream);
  } catch (const LibraryError& error) {
    refuse(library_, error);
  }

 protected:
  LibraryRoutine(const char* library, const LaunchPlan& plan,
                 const std::array<const char*, 3>& names)
      : workspace_bytes_(static_cast<std::size_t>(plan.workspace_bytes)), library_(library) {
    const RoutineValues values(plan.routine);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto place = values.place(names.at(i));
      if (!place) throw LibraryError(fmt::format("there is no argument '{}'", names.at(i)));
      places_.at(i) = *place;
    }
    alpha_ = values.place("alpha");
    if (values.has("accumulate") && values.label("accumulate") == "yes")
      beta_ = values.place("beta");
    bias_ = values.place(kBiasArgument);
    is_double_ = values.type(names[0]) == ElementType::float64;
  }

  const std::size_t workspace_bytes_;

 private:
  virtual void enqueue(const LtOperands& operands, void* workspace, cudaStream_t stream) const = 0;

  LtOperands of(std::span<const CallArgument> all) const {
    static constexpr std::array<std::uint64_t, 1> kZero = {};  // 0 in every type
    static constexpr float kOne = 1;
    static constexpr double kDoubleOne = 1;
    const void* const one = is_double_ ? static_cast<const void*>(&kDoubleOne) : &kOne;
    return {all[places_[0]].memory,
            all[places_[1]].memory,
            all[places_[2]].memory,
            alpha_ ? all[*alpha_].values.data() : one,
            beta_ ? static_cast<const void*>(all[*beta_].values.data()) : &kZero,
            bias_ ? all[*bias_].memory : nullptr};
  }

  const char* library_;
  std::array<std::size_t, 3> places_ = {};
  std::optional<std::size_t> alpha_, beta_, bias_;  // nothing: 1, 0, none
  bool is_double_ = false;
};

// The one with these numbers, or the first that the library lists for the workspace.
LtAlgorithm algorithm_of(const LtProduct& product, const LtNumbers& numbers, std::size_t bytes) {
  if (numbers.at("ALGORITHM") >= 0) return product.make(numbers);
  const std::vector<LtHeuristicResult> listed = product.algorithms(1, bytes);
  if (listed.empty()) throw LibraryError("lists no algorithm");
  return listed.front().algorithm;
}

class LtRoutine final : public LibraryRoutine {
 public:
  LtRoutine(const LaunchPlan& plan, const Folders& folders)
      : LibraryRoutine(kCublasLt, plan, kProductOperands),
        product_(loaded<CublasLt>(folders), product_of(RoutineValues(plan.routine))),
        algorithm_(
            algorithm_of(product_, RoutineValues(plan.routine).numbers(), workspace_bytes_)) {
    check_workspace(product_.check(algorithm_), workspace_bytes_);
  }

 private:
  void enqueue(const LtOperands& operands, void* workspace, cudaStream_t stream) const override {
    product_.call(operands, algorithm_, workspace, workspace_bytes_, stream);
  }

  LtProduct product_;
  LtAlgorithm algorithm_;
};

class CublasRoutine final : public LibraryRoutine {
 public:
  CublasRoutine(const LaunchPlan& plan, const Folders& folders)
      : LibraryRoutine(kCublas, plan, kProductOperands),
        product_(loaded<Cublas>(folders), product_of(RoutineValues(plan.routine))) {}

 private:
  void enqueue(const LtOperands& operands, void* workspace, cudaStream_t stream) const override {
    product_.call(operands, workspace, workspace_bytes_, stream);
  }

  CublasProduct product_;
};

constexpr std::array kLayerWorkspaces = {0, 1, 4, 16, 64, 256, 1024, 4096};  // MiB

class CudnnRoutine final : public LibraryRoutine {
 public:
  CudnnRoutine(const LaunchPlan& plan, const Folders& folders)
      : LibraryRoutine(kCudnn, plan, kLayerOperands),
        convolution_(loaded<Cudnn>(folders), convolution_of(RoutineValues(plan.routine))),
        algorithm_(static_cast<int>(RoutineValues(plan.routine).number("ALGORITHM"))) {
    check_workspace(convolution_.workspace_bytes(algorithm_), workspace_bytes_);
  }

 private:
  void enqueue(const LtOperands& all, void* workspace, cudaStream_t stream) const override {
    convolution_.call({all.a, all.b, all.c, all.alpha, all.beta}, algorithm_, workspace,
                      workspace_bytes_, stream);
  }

  CudnnConvolution convolution_;
  int algorithm_;
};

// Each algorithm that the library says computes the layer, those first that are seldom very slow.
RoutineList list_convolutions(const PlannedRoutine& problem, const Folders& folders) try {
  const CudnnConvolution convolution(loaded<Cudnn>(folders),
                                     convolution_of(RoutineValues(problem)));
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
  const LtProduct product(loaded<CublasLt>(folders), product_of(RoutineValues(problem)));
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
     [](const Folders& folders) { return loaded<Cublas>(folders).version(); }},
    {"cublaslt", kCublasLt, make<LtRoutine>, list_products,
     [](const Folders& folders) { return loaded<CublasLt>(folders).version(); }},
    {"cudnn", kCudnn, make<CudnnRoutine>, list_convolutions,
     [](const Folders& folders) { return loaded<Cudnn>(folders).version(); }},
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
