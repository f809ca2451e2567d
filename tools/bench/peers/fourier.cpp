// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
//
// A filter by Fourier transforms: cuFFT at a size with small factors, and kernels of our own to
// pad, multiply and crop, all of it in each call; the filter's transform is taken once before.
// Prototypes and numbers after cufft.h of CUDA 13.0.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tools/bench/peers/device_code.hpp"
#include "tools/bench/peers/filter_shape.hpp"
#include "tools/bench/peers/kernel_texts.hpp"
#include "tools/bench/peers/rivals.hpp"
#include "tools/bench/peers/shared_library.hpp"

namespace tilewright::bench {
namespace {

constexpr int kRealToComplex = 0x2a;  // CUFFT_R2C
constexpr int kComplexToReal = 0x2c;  // CUFFT_C2R
constexpr unsigned int kThreads = 256;
constexpr unsigned int kMostRows = 65535;  // of a grid

// Filters with fewer taps along their longer side are not for transforms.
constexpr int kFewestTaps = 15;

using Plan = int;  // cufftHandle

struct Cufft {
  explicit Cufft(const std::vector<std::filesystem::path>& folders)
      : library({"libcufft.so.12", "libcufft.so.11"}, folders) {}
  SharedLibrary library;
};

class Transform {
 public:
  Transform(const Cufft& cufft, int width, int height, int batch, int type)
      : destroy_(cufft.library.find<int(Plan)>("cufftDestroy")),
        set_stream_(cufft.library.find<int(Plan, cudaStream_t)>("cufftSetStream")),
        execute_(cufft.library.find<int(Plan, void*, void*)>(
            type == kRealToComplex ? "cufftExecR2C" : "cufftExecC2R")) {
    int sizes[] = {height, width};
    const bool is_signal = height == 1;
    require_success(
        cufft.library.find<int(Plan*, int, int*, int*, int, int, int*, int, int, int, int)>(
            "cufftPlanMany")(&plan_, is_signal ? 1 : 2, is_signal ? sizes + 1 : sizes, nullptr, 1,
                             0, nullptr, 1, 0, type, batch),
        "cufftPlanMany");
  }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  ~Transform() { destroy_(plan_); }

  void run(void* from, void* to, cudaStream_t stream) const {
    require_success(set_stream_(plan_, stream), "cufftSetStream");
    require_success(execute_(plan_, from, to), "cufftExec");
  }

 private:
  int (*destroy_)(Plan);
  int (*set_stream_)(Plan, cudaStream_t);
  int (*execute_)(Plan, void*, void*);
  Plan plan_ = 0;
};

struct Padding {
  int width = 1;
  int height = 1;
  auto operator<=>(const Padding&) const = default;

  std::int64_t reals() const { return std::int64_t{width} * height; }
  std::int64_t complexes() const { return std::int64_t{width / 2 + 1} * height; }
};

cuda::DeviceMemory room_for(std::int64_t bytes) {
  auto memory = cuda::try_allocate(bytes);
  if (!memory) throw CannotCompete(fmt::format("no device memory for {} bytes", bytes));
  return std::move(*memory);
}

class FourierFilter final : public Entrant {
 public:
  FourierFilter(const RivalTask& task, const FilterShape& shape, const Padding& padding,
                const CompileResult& code)
      : shape_(shape),
        padding_(padding),
        cufft_(task.libraries),
        forward_(cufft_, padding.width, padding.height, shape.planes(), kRealToComplex),
        inverse_(cufft_, padding.width, padding.height, shape.planes(), kComplexToReal),
        code_(code),
        filters_(shape.own_filters ? shape.channels : 1),
        padded_(room_for(4 * padding.reals() * shape.planes())),
        spectrum_(room_for(8 * padding.complexes() * shape.planes())),
        filter_(room_for(8 * padding.complexes() * filters_)) {
    transform_filter(task.field->operands().pointers()[kFilter], task.arena.stream());
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    const std::int64_t count = padding_.complexes();
    code_.launch("fourier_pad", rows(padding_.width, padding_.height), dim3(kThreads), stream,
                 operands[kImage], padded_.get(), shape_.width, shape_.height, shape_.pitch,
                 padding_.width, padding_.height);
    forward_.run(padded_.get(), spectrum_.get(), stream);
    code_.launch("fourier_multiply",
                 dim3(static_cast<unsigned int>((count + kThreads - 1) / kThreads), 1, planes()),
                 dim3(kThreads), stream, spectrum_.get(), filter_.get(),
                 static_cast<long long>(count), filters_);
    inverse_.run(spectrum_.get(), padded_.get(), stream);
    code_.launch("fourier_crop", rows(shape_.width, shape_.height), dim3(kThreads), stream,
                 padded_.get(), operands[kOutput], shape_.width, shape_.height, shape_.pitch,
                 padding_.width, padding_.height);
  }

  std::string how() const override {
    int version = 0;
    cufft_.library.find<int(int*)>("cufftGetVersion")(&version);
    return fmt::format("cuFFT {}.{}.{} at {} × {}", version / 1000, version / 100 % 10,
                       version % 100, padding_.width, padding_.height);
  }

 private:
  unsigned int planes() const { return static_cast<unsigned int>(shape_.planes()); }

  dim3 rows(int width, int height) const {
    const auto blocks = (static_cast<unsigned int>(width) + kThreads - 1) / kThreads;
    return {blocks, std::min(static_cast<unsigned int>(height), kMostRows), planes()};
  }

  void transform_filter(void* filter, cudaStream_t stream) const {
    const std::int64_t bytes = 4 * padding_.reals() * filters_;
    const cuda::DeviceMemory padded = room_for(bytes);
    const Transform forward(cufft_, padding_.width, padding_.height, filters_, kRealToComplex);
    cuda::check_trial(cudaMemsetAsync(padded.get(), 0, static_cast<std::size_t>(bytes), stream),
                      "padding");
    code_.launch("fourier_place", dim3(1, 1, static_cast<unsigned int>(filters_)), dim3(kThreads),
                 stream, filter, padded.get(), shape_.filter_width, shape_.filter_height,
                 shape_.anchor_x, shape_.anchor_y, padding_.width, padding_.height,
                 1.0F / static_cast<float>(padding_.reals()));
    forward.run(padded.get(), filter_.get(), stream);
    cuda::check_trial(cudaStreamSynchronize(stream), "transforming the filter");
  }

  FilterShape shape_;
  Padding padding_;
  Cufft cufft_;
  Transform forward_;
  Transform inverse_;
  DeviceCode code_;
  int filters_ = 1;
  cuda::DeviceMemory padded_;
  cuda::DeviceMemory spectrum_;
  cuda::DeviceMemory filter_;
};

// The least even number from `least` on that has no prime factor above `largest`; 1 for 1.
int smooth(int least, int largest) {
  if (least <= 1) return 1;
  for (int size = least + least % 2;; size += 2) {
    int rest = size;
    for (const int factor : {2, 3, 5, 7})
      while (factor <= largest && rest % factor == 0) rest /= factor;
    if (rest == 1) return size;
  }
}

// Sizes that hold the image and its halo, so that what wraps around falls on zeros.
std::set<Padding> paddings(const FilterShape& shape) {
  std::set<Padding> all;
  for (const int largest : {2, 3, 5, 7}) {
    const Padding padding = {smooth(shape.width + shape.filter_width - 1, largest),
                             smooth(shape.height + shape.filter_height - 1, largest)};
    if (padding.reals() < std::int64_t{2} * shape.width * shape.height) all.insert(padding);
  }
  return all;
}

}  // namespace

Corner make_fourier(const RivalTask& task) {
  const FilterShape shape = filter_shape(task.request.problem);
  if (shape.boundary != "zero") throw CannotCompete("pads with zeros here");
  if (std::max(shape.filter_width, shape.filter_height) < kFewestTaps)
    throw CannotCompete(fmt::format("from {} taps along a side on", kFewestTaps));
  const CompileResult code = task.arena.compile_own(
      kFourierKernels, {"fourier_pad", "fourier_place", "fourier_multiply", "fourier_crop"});
  std::unique_ptr<FourierFilter> best;
  double best_us = std::numeric_limits<double>::infinity();
  for (const Padding& padding : paddings(shape)) {
    auto filter = std::make_unique<FourierFilter>(task, shape, padding, code);
    const Timing timing = task.arena.time(*task.field, *filter, trying());
    if (timing.median_us >= best_us) continue;
    best_us = timing.median_us;
    best = std::move(filter);
  }
  if (!best) throw CannotCompete("no padded size is below twice the image's");
  return {task.field, std::move(best)};
}

}  // namespace tilewright::bench
