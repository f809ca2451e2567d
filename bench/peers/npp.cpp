//
// NPP's general filter. Prototypes and constants are from nppi_filtering_functions.h and nppdefs.h
// of CUDA 13.0. What a kernel in reverse order and its anchor mean was found by trying odd and even
// filters. Every run is compared with float64.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/peers/filter_shape.hpp"
#include "bench/peers/rivals.hpp"
#include "bench/peers/shared_library.hpp"

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

class NppFilter final : public Entrant {
 public:
  NppFilter(const RivalTask& task, const FilterShape& shape)
      : shape_(shape),
        core_({"libnppc.so.13", "libnppc.so.12"}, task.libraries),
        filters_({"libnppif.so.13", "libnppif.so.12"}, task.libraries),
        filter_(filters_.find<FilterBorder>("nppiFilterBorder_32f_C1R_Ctx")),
        context_(context_of(task.arena.report().index, task.arena.stream())) {
    const LibraryVersion* version = core_.find<GetVersion>("nppGetLibVersion")();
    how_ = fmt::format("NPP {}.{}.{} nppiFilterBorder_32f_C1R", version->major, version->minor,
                       version->build);
    const std::vector<std::uint8_t>& taps = task.field->operands().host()[kFilter];
    std::vector<float> reversed(taps.size() / sizeof(float));
    std::memcpy(reversed.data(), taps.data(), taps.size());
    std::ranges::reverse(reversed);
    reversed_ = cuda::allocate(static_cast<std::int64_t>(taps.size()));
    cuda::check(cudaMemcpy(reversed_.get(), reversed.data(), taps.size(), cudaMemcpyHostToDevice),
                "upload the filter");
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    context_.stream = stream;
    const Extent size = {shape_.width, shape_.height};
    const int step = static_cast<int>(sizeof(float)) * shape_.pitch;
    require_success(
        filter_(
            static_cast<const float*>(operands[kImage]), step, size, {},
            static_cast<float*>(operands[kOutput]), step, size,
            static_cast<const float*>(reversed_.get()), {shape_.filter_width, shape_.filter_height},
            {shape_.filter_width - 1 - shape_.anchor_x, shape_.filter_height - 1 - shape_.anchor_y},
            kReplicate, context_),
        "nppiFilterBorder_32f_C1R_Ctx");
  }
  std::string how() const override { return how_; }

 private:
  FilterShape shape_;
  SharedLibrary core_;
  SharedLibrary filters_;
  FilterBorder* filter_;
  StreamContext context_;
  cuda::DeviceMemory reversed_;
  std::string how_;
};

}  // namespace

Corner make_npp(const RivalTask& task) {
  const FilterShape shape = filter_shape(task.request.problem);
  if (shape.planes() > 1) throw CannotCompete("filters one image a call");
  return {task.field, std::make_unique<NppFilter>(task, shape)};
}

}  // namespace tilewright::bench
