// A libcudnn.so.9 that convolves images of float32 in host memory, if it has a stream. Algorithms 0
// and 1 compute everything; 1 needs 3 MiB of workspace. Other types have no algorithm.
#include <cstddef>
#include <vector>

namespace {

constexpr int kBadParam = 2000;
constexpr int kNotSupported = 3000;
constexpr std::size_t kThreeMebibytes = std::size_t{3} << 20;

struct Handle {
  bool has_stream = false;
};

struct Tensor {
  int type = 0;
  std::vector<int> sizes, strides;
};

struct Filter {
  bool is_channels_last = false;
  std::vector<int> sizes;
};

struct Convolution {
  std::vector<int> padding, stride, dilation;
  int mode = 1;  // 0: the filter is reversed
  int groups = 1;
};

std::vector<int> list(int count, const int* numbers) {
  return {numbers, numbers + count};
}

int product(const std::vector<int>& sizes, std::size_t from) {
  int all = 1;
  for (std::size_t i = from; i < sizes.size(); ++i) all *= sizes[i];
  return all;
}

// The coordinates of a number, the last axis fastest.
std::vector<int> coordinates(int number, const std::vector<int>& sizes, std::size_t from) {
  std::vector<int> all(sizes.size() - from);
  for (std::size_t i = sizes.size(); i-- > from; number /= sizes[i])
    all[i - from] = number % sizes[i];
  return all;
}

float at(const Filter& filter, const float* elements, int out, int in, int tap) {
  const int taps = product(filter.sizes, 2);
  const int channels = filter.sizes[1];
  return elements[filter.is_channels_last ? (out * taps + tap) * channels + in
                                          : (out * channels + in) * taps + tap];
}

// The sum for one output.
float sum_of(const Tensor& image, const float* x, const Filter& filter, const float* w,
             const Convolution& convolution, int one, int out, const std::vector<int>& place,
             int channels_out) {
  const int group = out / (channels_out / convolution.groups);
  float sum = 0;
  const int taps = product(filter.sizes, 2);
  for (int tap = 0; tap < taps; ++tap) {
    const std::vector<int> offsets = coordinates(tap, filter.sizes, 2);
    int at_image = one * image.strides[0];
    bool is_inside = true;
    for (std::size_t i = 0; i < place.size(); ++i) {
      const int where = place[i] * convolution.stride[i] - convolution.padding[i] +
                        offsets[i] * convolution.dilation[i];
      is_inside = is_inside && where >= 0 && where < image.sizes[i + 2];
      at_image += where * image.strides[i + 2];
    }
    if (!is_inside) continue;
    for (int in = 0; in < filter.sizes[1]; ++in)
      sum += x[at_image + (group * filter.sizes[1] + in) * image.strides[1]] *
             at(filter, w, out, in, convolution.mode == 0 ? taps - 1 - tap : tap);
  }
  return sum;
}

}  // namespace

extern "C" {

std::size_t cudnnGetVersion() {
  return 90807;
}
const char* cudnnGetErrorString(int status) {
  return status == kNotSupported ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_BAD_PARAM";
}
int cudnnCreate(Handle** handle) {
  *handle = new Handle;
  return 0;
}
int cudnnSetStream(Handle* handle, void*) {
  handle->has_stream = true;
  return 0;
}
int cudnnCreateTensorDescriptor(Tensor** tensor) {
  *tensor = new Tensor;
  return 0;
}
int cudnnDestroyTensorDescriptor(Tensor* tensor) {
  delete tensor;
  return 0;
}
int cudnnSetTensorNdDescriptor(Tensor* tensor, int type, int count, const int* sizes,
                               const int* strides) {
  *tensor = {type, list(count, sizes), list(count, strides)};
  return 0;
}
int cudnnCreateFilterDescriptor(Filter** filter) {
  *filter = new Filter;
  return 0;
}
int cudnnDestroyFilterDescriptor(Filter* filter) {
  delete filter;
  return 0;
}
int cudnnSetFilterNdDescriptor(Filter* filter, int, int format, int count, const int* sizes) {
  *filter = {format == 1, list(count, sizes)};
  return 0;
}
int cudnnCreateConvolutionDescriptor(Convolution** convolution) {
  *convolution = new Convolution;
  return 0;
}
int cudnnDestroyConvolutionDescriptor(Convolution* convolution) {
  delete convolution;
  return 0;
}
int cudnnSetConvolutionNdDescriptor(Convolution* convolution, int count, const int* padding,
                                    const int* stride, const int* dilation, int mode, int) {
  *convolution = {list(count, padding), list(count, stride), list(count, dilation), mode};
  return 0;
}
int cudnnSetConvolutionGroupCount(Convolution* convolution, int groups) {
  convolution->groups = groups;
  return 0;
}
int cudnnSetConvolutionMathType(Convolution*, int) {
  return 0;
}
int cudnnGetConvolutionForwardWorkspaceSize(Handle*, const Tensor* image, const Filter*,
                                            const Convolution*, const Tensor*, int algorithm,
                                            std::size_t* bytes) {
  if (algorithm > 1 || image->type != 0) return kNotSupported;
  *bytes = algorithm == 1 ? kThreeMebibytes : 0;
  return 0;
}
int cudnnConvolutionForward(Handle* handle, const float* alpha, const Tensor* image, const float* x,
                            const Filter* filter, const float* w, const Convolution* convolution,
                            int algorithm, void*, std::size_t workspace, const float* beta,
                            const Tensor* output, float* y) {
  if (!handle->has_stream || (algorithm == 1 && workspace < kThreeMebibytes)) return kBadParam;
  for (int one = 0; one < output->sizes[0]; ++one)
    for (int out = 0; out < output->sizes[1]; ++out)
      for (int number = 0; number < product(output->sizes, 2); ++number) {
        const std::vector<int> place = coordinates(number, output->sizes, 2);
        int at = one * output->strides[0] + out * output->strides[1];
        for (std::size_t i = 0; i < place.size(); ++i) at += place[i] * output->strides[i + 2];
        const float sum =
            sum_of(*image, x, *filter, w, *convolution, one, out, place, output->sizes[1]);
        y[at] = *alpha * sum + (*beta == 0 ? 0 : *beta * y[at]);
      }
  return 0;
}

}  // extern "C"
