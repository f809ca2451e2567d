// cuDNN's forward convolution with the fastest of its algorithms, with FP32 multiply-adds and no
// TF32.
#include "tuner/cuda/libraries/cudnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>

#include "bench/peers/cases/filter_shape.hpp"
#include "bench/peers/rivals/rivals.hpp"

namespace tilewright::bench {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{8} << 30;

// The order in which they are tried. Those that are never very slow are first.
constexpr std::array<int, cuda::kConvolutionAlgorithms> kTried = {2, 0, 1, 3, 6, 7, 4, 5};

// An algorithm that takes this many times as long as another in one call is not measured. It is not
// called again if its first call took so long that loading its code cannot be the reason.
constexpr double kHopeless = 1.5;
constexpr double kLoading_us = 50e3;

// Each channel with a filter of its own.
cuda::ConvolutionProblem problem_of(const FilterShape& shape) {
  const cuda::ConvolutionProblem::Axes size = {shape.depth, shape.height, shape.width};
  return {.batch = shape.batch,
          .channels_in = shape.channels,
          .channels_out = shape.channels,
          .groups = shape.channels,
          .image = size,
          .output = size,
          .filter = {shape.filter_depth, shape.filter_height, shape.filter_width},
          .padding = {shape.anchor_z, shape.anchor_y, shape.anchor_x}};
}

class CudnnConvolution final : public Entrant {
 public:
  CudnnConvolution(const std::vector<std::filesystem::path>& folders, const FilterShape& shape)
      : library_(cuda::loaded<cuda::Cudnn>(folders)), convolution_(library_, problem_of(shape)) {}

  // Throws CannotCompete if that algorithm cannot compute this problem.
  void choose(int algorithm) {
    const std::size_t bytes = convolution_.workspace_bytes(algorithm);
    if (bytes > kMostWorkspace) throw CannotCompete("no algorithm of cuDNN computes this");
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
    convolution_.call({image, filter, output, &kOne, &kZero}, algorithm_, workspace_.get(), bytes_,
                      stream);
  }

  std::string how() const override {
    return library_.version() + ' ' + cuda::convolution_algorithm(algorithm_);
  }

 private:
  const cuda::Cudnn& library_;
  cuda::CudnnConvolution convolution_;
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
