//
// A filter by Fourier transforms: cuFFT on the padded image at sizes with small factors, or on
// tiles of it (overlap-save), whichever is fastest. Our own kernels gather, multiply and scatter.
// Each call does all of this, except the filter's transform, which is computed once before.
// Prototypes and constants are from cufft.h of CUDA 13.0.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bench/peers/cases/filter_shape.hpp"
#include "bench/peers/rivals/device_code.hpp"
#include "bench/peers/rivals/kernel_texts.hpp"
#include "bench/peers/rivals/rivals.hpp"

namespace tilewright::bench {
namespace {

constexpr int kRealToComplex = 0x2a;  // CUFFT_R2C
constexpr int kComplexToReal = 0x2c;  // CUFFT_C2R
constexpr unsigned int kFourierThreads = 256;
constexpr unsigned int kMostRows = 65535;    // of a grid, along y
constexpr std::int64_t kMostBlocks = 65535;  // along z

// Filters with fewer taps along their longer side are not computed by transforms.
constexpr int kFewestTaps = 15;

using Plan = int;  // cufftHandle

struct Cufft {
  explicit Cufft(const std::vector<std::filesystem::path>& folders)
      : library({"libcufft.so.12", "libcufft.so.11"}, folders) {}
  cuda::SharedLibrary library;
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

// The same struct as in fourier.cu.
struct Tiling {
  int width, height, pitch;
  int left, above;
  int tile_width, tile_height, tiles_x, tiles_y;
  int transform_width, transform_height;

  int tiles() const { return tiles_x * tiles_y; }
  std::int64_t reals() const { return std::int64_t{transform_width} * transform_height; }
  std::int64_t complexes() const {
    return std::int64_t{transform_width / 2 + 1} * transform_height;
  }
};

cuda::DeviceMemory room_for(std::int64_t bytes) {
  auto memory = cuda::try_allocate(bytes);
  if (!memory) throw CannotCompete(fmt::format("no device memory for {} bytes", bytes));
  return std::move(*memory);
}

unsigned int as_unsigned(std::int64_t number) {
  return static_cast<unsigned int>(number);
}

class FourierFilter final : public Entrant {
 public:
  FourierFilter(const RivalTask& task, const FilterShape& shape, const Tiling& tiling,
                const CompileResult& code)
      : tiling_(tiling),
        filters_(shape.own_filters ? shape.channels : 1),
        blocks_(shape.planes() * tiling.tiles()),
        cufft_(task.libraries),
        forward_(cufft_, tiling.transform_width, tiling.transform_height, blocks_, kRealToComplex),
        inverse_(cufft_, tiling.transform_width, tiling.transform_height, blocks_, kComplexToReal),
        code_(code),
        samples_(room_for(4 * tiling.reals() * blocks_)),
        spectrum_(room_for(8 * tiling.complexes() * blocks_)),
        filter_(room_for(8 * tiling.complexes() * filters_)) {
    transform_filter(shape, task.field->pointers()[kFilter], task.arena.stream());
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    const std::int64_t count = tiling_.complexes();
    code_.launch("fourier_gather", rows(tiling_.transform_width, tiling_.transform_height),
                 dim3(kFourierThreads), stream, operands[kImage], samples_.get(), tiling_);
    forward_.run(samples_.get(), spectrum_.get(), stream);
    code_.launch(
        "fourier_multiply",
        dim3(as_unsigned((count + kFourierThreads - 1) / kFourierThreads), 1, as_unsigned(blocks_)),
        dim3(kFourierThreads), stream, spectrum_.get(), filter_.get(),
        static_cast<long long>(count), tiling_.tiles(), filters_);
    inverse_.run(spectrum_.get(), samples_.get(), stream);
    code_.launch("fourier_scatter", rows(tiling_.tile_width, tiling_.tile_height),
                 dim3(kFourierThreads), stream, samples_.get(), operands[kOutput], tiling_);
  }

  std::string how() const override {
    int version = 0;
    cufft_.library.find<int(int*)>("cufftGetVersion")(&version);
    return fmt::format("cuFFT {}.{}.{} at {} × {}{}", version / 1000, version / 100 % 10,
                       version % 100, tiling_.transform_width, tiling_.transform_height,
                       tiling_.tiles() > 1 ? fmt::format(", {} tiles", tiling_.tiles()) : "");
  }

 private:
  dim3 rows(int width, int height) const {
    return {(as_unsigned(width) + kFourierThreads - 1) / kFourierThreads,
            std::min(as_unsigned(height), kMostRows), as_unsigned(blocks_)};
  }

  void transform_filter(const FilterShape& shape, void* filter, cudaStream_t stream) const {
    const std::int64_t bytes = 4 * tiling_.reals() * filters_;
    const cuda::DeviceMemory placed = room_for(bytes);
    const Transform forward(cufft_, tiling_.transform_width, tiling_.transform_height, filters_,
                            kRealToComplex);
    cuda::check_trial(cudaMemsetAsync(placed.get(), 0, static_cast<std::size_t>(bytes), stream),
                      "clearing the filter's block");
    code_.launch("fourier_place", dim3(1, 1, as_unsigned(filters_)), dim3(kFourierThreads), stream,
                 filter, placed.get(), shape.filter_width, shape.filter_height, tiling_,
                 1.0F / static_cast<float>(tiling_.reals()));
    forward.run(placed.get(), filter_.get(), stream);
    cuda::check_trial(cudaStreamSynchronize(stream), "transforming the filter");
  }

  Tiling tiling_;
  int filters_ = 1;
  int blocks_ = 1;
  Cufft cufft_;
  Transform forward_;
  Transform inverse_;
  DeviceCode code_;
  cuda::DeviceMemory samples_;
  cuda::DeviceMemory spectrum_;
  cuda::DeviceMemory filter_;
};

// The least multiple of `unit` that is at least `least` and has no prime factor above 7; 1 for 1.
int smooth(int least, int unit) {
  if (least <= 1) return 1;
  for (int size = (least + unit - 1) / unit * unit;; size += unit) {
    int rest = size;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return size;
  }
}

// The tiling with transforms of that size; nothing if one grid cannot hold that many tiles.
std::optional<Tiling> tiling_of(const FilterShape& shape, int width, int height) {
  Tiling tiling = {};
  tiling.width = shape.width;
  tiling.height = shape.height;
  tiling.pitch = shape.pitch;
  tiling.left = shape.anchor_x;
  tiling.above = shape.anchor_y;
  tiling.transform_width = width;
  tiling.transform_height = height;
  tiling.tile_width = std::min(width - shape.filter_width + 1, shape.width);
  tiling.tile_height = std::min(height - shape.filter_height + 1, shape.height);
  if (tiling.tile_width < 1 || tiling.tile_height < 1) return std::nullopt;
  tiling.tiles_x = (shape.width + tiling.tile_width - 1) / tiling.tile_width;
  tiling.tiles_y = (shape.height + tiling.tile_height - 1) / tiling.tile_height;
  if (std::int64_t{tiling.tiles()} * shape.planes() > kMostBlocks) return std::nullopt;
  return tiling;
}

// The whole image at five sizes, from the smallest to one with many factors of 2, and tiles.
std::vector<Tiling> tilings(const FilterShape& shape) {
  std::vector<Tiling> all;
  const auto add = [&](int width, int height) {
    if (const auto tiling = tiling_of(shape, width, height)) all.push_back(*tiling);
  };
  const int width = shape.width + shape.filter_width - 1;
  const int height = shape.height + shape.filter_height - 1;
  for (const int unit : {2, 8, 32, 128, 512}) add(smooth(width, unit), smooth(height, unit));
  if (shape.height == 1) {
    for (const int size : {1024, 2048, 4096, 8192, 16384}) add(size, 1);
  } else {
    for (const int size : {64, 128, 256, 512}) add(size, size);
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
      kFourierKernels, {"fourier_gather", "fourier_place", "fourier_multiply", "fourier_scatter"});
  const std::vector<Tiling> choices = tilings(shape);
  std::unique_ptr<FourierFilter> filter;
  const auto choose = [&](std::size_t i) {
    filter.reset();  // frees its memory first
    filter = std::make_unique<FourierFilter>(task, shape, choices[i], code);
  };
  choose(fastest_of(choices.size(), [&](std::size_t i) {
    choose(i);
    return task.arena.time(*task.field, *filter, trying()).median_us;
  }));
  return {task.field, std::move(filter)};
}

}  // namespace tilewright::bench
