//
// NPP's general filter, and its filters of rows and of columns. Prototypes and constants are from
// nppi_filtering_functions.h and nppdefs.h of CUDA 13.0. What a kernel in reverse order and its
// anchor mean was found by trying odd and even filters. Every run is compared with float64.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/peers/cases/filter_shape.hpp"
#include "bench/peers/rivals/rivals.hpp"

namespace tilewright::bench {
namespace {

struct Extent {  // NppiSize, NppiPoint
  int x = 0;
  int y = 0;
};

struct StreamContext {  // NppStreamContext
  cudaStream_t stream = nullptr;
  int device = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int threads_per_block = 0;
  std::size_t shared_bytes_per_block = 0;
  int major = 0;
  int minor = 0;
  unsigned int stream_flags = 0;
  int reserved = 0;
};

struct LibraryVersion {  // NppLibraryVersion
  int major = 0;
  int minor = 0;
  int build = 0;
};

constexpr int kReplicate = 2;  // NPP_BORDER_REPLICATE

using GetVersion = const LibraryVersion*();
using FilterBorder = int(const float* source, int source_step, Extent source_size,
                         Extent source_offset, float* target, int target_step, Extent size,
                         const float* kernel, Extent kernel_size, Extent anchor, int border,
                         StreamContext context);

using FilterLineBorder = int(const float* source, int source_step, Extent source_size,
                             Extent source_offset, float* target, int target_step, Extent size,
                             const float* kernel, int taps, int anchor, int border,
                             StreamContext context);

int attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, name, device), "ask for the device's limits");
  return value;
}

StreamContext context_of(int device, cudaStream_t stream) {
  StreamContext context;
  context.stream = stream;
  context.device = device;
  context.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
  context.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device);
  context.threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock, device);
  context.shared_bytes_per_block =
      static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock, device));
  context.major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  context.minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
  cuda::check(cudaStreamGetFlags(stream, &context.stream_flags), "ask for the stream's flags");
  return context;
}

// The libraries, and what every call takes.
struct Npp {
  explicit Npp(const RivalTask& task)
      : core({"libnppc.so.13", "libnppc.so.12"}, task.libraries),
        filters({"libnppif.so.13", "libnppif.so.12"}, task.libraries),
        context(context_of(task.arena.report().index, task.arena.stream())) {}

  std::string how(const char* functions) const {
    const LibraryVersion* version = core.find<GetVersion>("nppGetLibVersion")();
    return fmt::format("NPP {}.{}.{} {}", version->major, version->minor, version->build,
                       functions);
  }

  cuda::SharedLibrary core;
  cuda::SharedLibrary filters;
  StreamContext context;
};

// A filter's taps on the GPU in reverse order.
cuda::DeviceMemory reversed(const RivalTask& task, std::size_t argument) {
  const std::vector<std::uint8_t>& taps = task.field->operands().before()[argument];
  std::vector<float> values(taps.size() / sizeof(float));
  std::memcpy(values.data(), taps.data(), taps.size());
  std::ranges::reverse(values);
  cuda::DeviceMemory memory = cuda::allocate(static_cast<std::int64_t>(taps.size()));
  cuda::check(cudaMemcpy(memory.get(), values.data(), taps.size(), cudaMemcpyHostToDevice),
              "upload the filter");
  return memory;
}

int step_of(const FilterShape& shape) {
  return static_cast<int>(sizeof(float)) * shape.pitch;
}

class NppFilter final : public Entrant {
 public:
  NppFilter(const RivalTask& task, const FilterShape& shape)
      : shape_(shape),
        npp_(task),
        filter_(npp_.filters.find<FilterBorder>("nppiFilterBorder_32f_C1R_Ctx")),
        reversed_(reversed(task, kFilter)) {}

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    npp_.context.stream = stream;
    const Extent size = {shape_.width, shape_.height};
    const int step = step_of(shape_);
    require_success(
        filter_(
            static_cast<const float*>(operands[kImage]), step, size, {},
            static_cast<float*>(operands[kOutput]), step, size,
            static_cast<const float*>(reversed_.get()), {shape_.filter_width, shape_.filter_height},
            {shape_.filter_width - 1 - shape_.anchor_x, shape_.filter_height - 1 - shape_.anchor_y},
            kReplicate, npp_.context),
        "nppiFilterBorder_32f_C1R_Ctx");
  }
  std::string how() const override { return npp_.how("nppiFilterBorder_32f_C1R"); }

 private:
  FilterShape shape_;
  Npp npp_;
  FilterBorder* filter_;
  cuda::DeviceMemory reversed_;
};

// Rows into an image of its own, columns out of it.
class NppSeparable final : public Entrant {
 public:
  NppSeparable(const RivalTask& task, const FilterShape& shape)
      : shape_(shape),
        npp_(task),
        filter_rows_(npp_.filters.find<FilterLineBorder>("nppiFilterRowBorder_32f_C1R_Ctx")),
        filter_columns_(npp_.filters.find<FilterLineBorder>("nppiFilterColumnBorder_32f_C1R_Ctx")),
        row_(reversed(task, kRowFilter)),
        column_(reversed(task, kColumnFilter)),
        between_(cuda::allocate(std::int64_t{step_of(shape)} * shape.height)) {}

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    npp_.context.stream = stream;
    filter(filter_rows_, operands[kImage], between_.get(), row_, shape_.filter_width,
           shape_.anchor_x, "nppiFilterRowBorder_32f_C1R_Ctx");
    filter(filter_columns_, between_.get(), operands[kFilteredOutput], column_,
           shape_.filter_height, shape_.anchor_y, "nppiFilterColumnBorder_32f_C1R_Ctx");
  }
  std::string how() const override {
    return npp_.how("nppiFilterRowBorder_32f_C1R, nppiFilterColumnBorder_32f_C1R");
  }

 private:
  void filter(FilterLineBorder* function, const void* from, void* to,
              const cuda::DeviceMemory& taps, int count, int anchor, const char* name) const {
    const Extent size = {shape_.width, shape_.height};
    require_success(function(static_cast<const float*>(from), step_of(shape_), size, {},
                             static_cast<float*>(to), step_of(shape_), size,
                             static_cast<const float*>(taps.get()), count, count - 1 - anchor,
                             kReplicate, npp_.context),
                    name);
  }

  FilterShape shape_;
  Npp npp_;
  FilterLineBorder* filter_rows_;
  FilterLineBorder* filter_columns_;
  cuda::DeviceMemory row_, column_, between_;
};

}  // namespace

Corner make_npp(const RivalTask& task) {
  const FilterShape shape = filter_shape(task.request.problem);
  if (shape.planes() > 1) throw CannotCompete("filters one image a call");
  return {task.field, std::make_unique<NppFilter>(task, shape)};
}

Corner make_npp_separable(const RivalTask& task) {
  const FilterShape shape = filter_shape(task.request.problem);
  if (shape.planes() > 1) throw CannotCompete("filters one image a call");
  return {task.field, std::make_unique<NppSeparable>(task, shape)};
}

}  // namespace tilewright::bench
