//
// cuDNN's forward convolution by the functions that name an algorithm, with FP32 multiply-adds and
// no TF32. Prototypes and constants are from cudnn_ops.h, cudnn_cnn.h and cudnn_graph.h of cuDNN 9.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>

#include "bench/peers/cases/filter_shape.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "bench/peers/rivals/shared_library.hpp"

namespace tilewright::bench {
namespace {

constexpr int kFloat = 0;             // CUDNN_DATA_FLOAT
constexpr int kNchw = 0;              // CUDNN_TENSOR_NCHW
constexpr int kCrossCorrelation = 1;  // CUDNN_CROSS_CORRELATION
constexpr int kFmaMath = 3;           // CUDNN_FMA_MATH
constexpr std::size_t kMostWorkspace = std::size_t{8} << 30;

// The names after CUDNN_CONVOLUTION_FWD_ALGO_, indexed by their number.
constexpr std::array<const char*, 8> kAlgorithms = {
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
    "WINOGRAD",      "WINOGRAD_NONFUSED"};

// The order in which they are tried. Those that are never very slow are first.
constexpr std::array<int, kAlgorithms.size()> kTried = {2, 0, 1, 3, 6, 7, 4, 5};

// An algorithm that takes this many times as long as another in one call is not measured. It is not
// called again if its first call took so long that loading its code cannot be the reason.
constexpr double kHopeless = 1.5;
constexpr double kLoading_us = 50e3;

using Descriptor = void*;

struct Cudnn {
  explicit Cudnn(const std::vector<std::filesystem::path>& folders)
      : library({"libcudnn.so.9"}, folders) {}

  int set_tensor(Descriptor tensor, const FilterShape& shape) const {
    if (!shape.is_volume())
      return library.find<int(Descriptor, int, int, int, int, int, int)>(
          "cudnnSetTensor4dDescriptor")(tensor, kNchw, kFloat, shape.batch, shape.channels,
                                        shape.height, shape.width);
    const int plane = shape.height * shape.width;
    const std::array sizes = {shape.batch, shape.channels, shape.depth, shape.height, shape.width};
    const std::array strides = {shape.channels * shape.depth * plane, shape.depth * plane, plane,
                                shape.width, 1};
    return library.find<int(Descriptor, int, int, const int*, const int*)>(
        "cudnnSetTensorNdDescriptor")(tensor, kFloat, static_cast<int>(sizes.size()), sizes.data(),
                                      strides.data());
  }

  int set_filter(Descriptor filter, const FilterShape& shape) const {
    if (!shape.is_volume())
      return library.find<int(Descriptor, int, int, int, int, int, int)>(
          "cudnnSetFilter4dDescriptor")(filter, kFloat, kNchw, shape.channels, 1,
                                        shape.filter_height, shape.filter_width);
    const std::array sizes = {shape.channels, 1, shape.filter_depth, shape.filter_height,
                              shape.filter_width};
    return library.find<int(Descriptor, int, int, int, const int*)>("cudnnSetFilterNdDescriptor")(
        filter, kFloat, kNchw, static_cast<int>(sizes.size()), sizes.data());
  }

  int set_convolution(Descriptor convolution, const FilterShape& shape) const {
    if (!shape.is_volume())
      return library.find<int(Descriptor, int, int, int, int, int, int, int, int)>(
          "cudnnSetConvolution2dDescriptor")(convolution, shape.anchor_y, shape.anchor_x, 1, 1, 1,
                                             1, kCrossCorrelation, kFloat);
    const std::array padding = {shape.anchor_z, shape.anchor_y, shape.anchor_x};
    const std::array ones = {1, 1, 1};
    return library.find<int(Descriptor, int, const int*, const int*, const int*, int, int)>(
        "cudnnSetConvolutionNdDescriptor")(convolution, static_cast<int>(padding.size()),
                                           padding.data(), ones.data(), ones.data(),
                                           kCrossCorrelation, kFloat);
  }

  SharedLibrary library;
};

// Owns a handle or descriptor, which the functions of these names create and destroy.
class Owned {
 public:
  Owned(const SharedLibrary& library, const char* create, const char* destroy)
      : destroy_(library.find<int(Descriptor)>(destroy)) {
    require_success(library.find<int(Descriptor*)>(create)(&it_), create);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy_(it_); }
  Descriptor get() const { return it_; }

 private:
  int (*destroy_)(Descriptor);
  Descriptor it_ = nullptr;
};

class CudnnConvolution final : public Entrant {
 public:
  CudnnConvolution(const std::vector<std::filesystem::path>& folders, const FilterShape& shape)
      : cudnn_(folders) {
    describe(shape);
    workspace_bytes_ =
        cudnn_.library.find<WorkspaceSize>("cudnnGetConvolutionForwardWorkspaceSize");
    forward_ = cudnn_.library.find<Forward>("cudnnConvolutionForward");
    set_stream_ = cudnn_.library.find<int(Descriptor, cudaStream_t)>("cudnnSetStream");
  }

  // Throws CannotCompete if that algorithm cannot compute this problem.
  void choose(int algorithm) {
    std::size_t bytes = 0;
    if (workspace_bytes_(handle_.get(), image_.get(), filter_.get(), convolution_.get(),
                         output_.get(), algorithm, &bytes) != 0 ||
        bytes > kMostWorkspace)
      throw CannotCompete("no algorithm of cuDNN computes this");
    workspace_ = {};
    auto workspace = cuda::try_allocate(static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)));
    if (!workspace) throw CannotCompete("no device memory for cuDNN's workspace");
    workspace_ = std::move(*workspace);
    algorithm_ = algorithm;
    bytes_ = bytes;
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    run(operands[kImage], operands[kFilter], operands[kOutput], stream);
  }

  void run(const void* image, const void* filter, void* output, cudaStream_t stream) {
    constexpr float kOne = 1;
    constexpr float kZero = 0;
    require_success(set_stream_(handle_.get(), stream), "cudnnSetStream");
    require_success(forward_(handle_.get(), &kOne, image_.get(), image, filter_.get(), filter,
                             convolution_.get(), algorithm_, workspace_.get(), bytes_, &kZero,
                             output_.get(), output),
                    "cudnnConvolutionForward");
  }

  std::string how() const override {
    const std::size_t version = cudnn_.library.find<std::size_t()>("cudnnGetVersion")();
    return fmt::format("cuDNN {}.{}.{} {}", version / 10000, version / 100 % 100, version % 100,
                       kAlgorithms.at(static_cast<std::size_t>(algorithm_)));
  }

 private:
  using WorkspaceSize = int(Descriptor, Descriptor, Descriptor, Descriptor, Descriptor, int,
                            std::size_t*);
  using Forward = int(Descriptor, const void*, Descriptor, const void*, Descriptor, const void*,
                      Descriptor, int, void*, std::size_t, const void*, Descriptor, void*);

  void describe(const FilterShape& shape) {
    require_success(cudnn_.set_tensor(image_.get(), shape), "cudnnSetTensorDescriptor");
    require_success(cudnn_.set_tensor(output_.get(), shape), "cudnnSetTensorDescriptor");
    require_success(cudnn_.set_filter(filter_.get(), shape), "cudnnSetFilterDescriptor");
    require_success(cudnn_.set_convolution(convolution_.get(), shape),
                    "cudnnSetConvolutionDescriptor");
    const auto set = [&](const char* name, int value) {
      require_success(cudnn_.library.find<int(Descriptor, int)>(name)(convolution_.get(), value),
                      name);
    };
    set("cudnnSetConvolutionGroupCount", shape.channels);
    set("cudnnSetConvolutionMathType", kFmaMath);
  }

  Cudnn cudnn_;
  Owned handle_{cudnn_.library, "cudnnCreate", "cudnnDestroy"};
  Owned image_{cudnn_.library, "cudnnCreateTensorDescriptor", "cudnnDestroyTensorDescriptor"};
  Owned output_{cudnn_.library, "cudnnCreateTensorDescriptor", "cudnnDestroyTensorDescriptor"};
  Owned filter_{cudnn_.library, "cudnnCreateFilterDescriptor", "cudnnDestroyFilterDescriptor"};
  Owned convolution_{cudnn_.library, "cudnnCreateConvolutionDescriptor",
                     "cudnnDestroyConvolutionDescriptor"};
  WorkspaceSize* workspace_bytes_ = nullptr;
  Forward* forward_ = nullptr;
  int (*set_stream_)(Descriptor, cudaStream_t) = nullptr;
  int algorithm_ = 0;
  std::size_t bytes_ = 0;
  cuda::DeviceMemory workspace_;
};

// A filter of rows, then one of columns, through an image of its own.
class CudnnSeparable final : public Entrant {
 public:
  CudnnSeparable(const std::vector<std::filesystem::path>& folders, const FilterShape& shape)
      : rows_(folders, rows_of(shape)),
        columns_(folders, columns_of(shape)),
        between_(cuda::allocate(std::int64_t{sizeof(float)} * shape.width * shape.height *
                                shape.planes())) {}

  // Which of both is computed by that algorithm. Throws CannotCompete.
  void choose_for_rows(int algorithm) { rows_.choose(algorithm); }
  void choose_for_columns(int algorithm) { columns_.choose(algorithm); }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    rows_.run(operands[kImage], operands[kRowFilter], between_.get(), stream);
    columns_.run(between_.get(), operands[kColumnFilter], operands[kFilteredOutput], stream);
  }
  std::string how() const override { return rows_.how() + "; " + columns_.how(); }

 private:
  CudnnConvolution rows_, columns_;
  cuda::DeviceMemory between_;
};

// The time of the second call by the host's clock. If the first call, which also loads code, is
// much too slow, its time.
double rough_us(const RivalTask& task, Entrant& convolution, double least_us) {
  const auto once_us = [&] {
    const auto start = std::chrono::steady_clock::now();
    convolution.call(task.field->pointers(), task.arena.stream());
    cuda::check_trial(cudaStreamSynchronize(task.arena.stream()), "running cuDNN");
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
  };
  const double first_us = once_us();
  return first_us > kLoading_us + kHopeless * least_us ? first_us : once_us();
}

// Chooses the fastest of cuDNN's algorithms, by the times of the entrant's calls with it.
void choose_fastest(const RivalTask& task, Entrant& entrant,
                    const std::function<void(int)>& choose) {
  double least_us = std::numeric_limits<double>::infinity();
  const std::size_t fastest = fastest_of(kTried.size(), [&](std::size_t i) {
    choose(kTried.at(i));
    const double us = rough_us(task, entrant, least_us);
    least_us = std::min(least_us, us);
    if (us > kHopeless * least_us) return us;
    return task.arena.time(*task.field, entrant, trying()).median_us;
  });
  choose(kTried.at(fastest));
}

// Throws CannotCompete for what cuDNN does not compute.
FilterShape padded_shape(const RivalTask& task) {
  FilterShape shape = filter_shape(task.request.problem);
  const auto type = task.request.problem.values.find("type");
  if (type != task.request.problem.values.end() && to_text(type->second) != "float32")
    throw CannotCompete("FP32 only here");
  if (shape.boundary != "zero") throw CannotCompete("pads with zeros only");
  if (shape.filter_width % 2 == 0 || shape.filter_height % 2 == 0 || shape.filter_depth % 2 == 0)
    throw CannotCompete("pads both sides alike, so an even filter's output has another size");
  if (shape.pitch != shape.width) throw CannotCompete("rows are not adjacent");
  if (shape.channels > 1 && !shape.own_filters) throw CannotCompete("one filter for all channels");
  return shape;
}

}  // namespace

Corner make_cudnn(const RivalTask& task) {
  auto convolution = std::make_unique<CudnnConvolution>(task.libraries, padded_shape(task));
  choose_fastest(task, *convolution, [&](int algorithm) { convolution->choose(algorithm); });
  return {task.field, std::move(convolution)};
}

Corner make_cudnn_separable(const RivalTask& task) {
  auto convolution = std::make_unique<CudnnSeparable>(task.libraries, padded_shape(task));
  convolution->choose_for_columns(kTried.front());
  choose_fastest(task, *convolution, [&](int one) { convolution->choose_for_rows(one); });
  choose_fastest(task, *convolution, [&](int one) { convolution->choose_for_columns(one); });
  return {task.field, std::move(convolution)};
}

}  // namespace tilewright::bench
