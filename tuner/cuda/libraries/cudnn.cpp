// Prototypes and constants are from cudnn_graph.h, cudnn_ops.h and cudnn_cnn.h of cuDNN 9. The
// functions that name an algorithm take the factors in each call. Its graphs hold them.
#include "tuner/cuda/libraries/cudnn.hpp"

#include <fmt/format.h>

#include <limits>

namespace tilewright::cuda {
namespace {

constexpr int kTensorOpMath = 1;  // CUDNN_TENSOR_OP_MATH
constexpr int kFmaMath = 3;       // CUDNN_FMA_MATH: no TF32

constexpr std::array<const char*, kConvolutionAlgorithms> kAlgorithmNames = {
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
    "WINOGRAD",      "WINOGRAD_NONFUSED"};

// cudnnDataType_t.
int cudnn_type(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return 0;
    case ElementType::float64:
      return 1;
    case ElementType::float16:
      return 2;
    case ElementType::bfloat16:
      return 9;
    default:
      throw LibraryError("has no convolutions of " + to_text(type) + " here");
  }
}

bool is_volume(const ConvolutionProblem& problem) {
  return problem.image[0] > 1 || problem.filter[0] > 1 || problem.output[0] > 1;
}

// Without the depth, where images have none.
std::vector<int> axes_of(const ConvolutionProblem& problem, const ConvolutionProblem::Axes& all) {
  return {all.begin() + (is_volume(problem) ? 0 : 1), all.end()};
}

}  // namespace

const char* convolution_algorithm(int number) {
  return kAlgorithmNames.at(static_cast<std::size_t>(number));
}

Cudnn::Cudnn(const std::vector<std::filesystem::path>& folders)
    : StatusLibrary({{"libcudnn.so.9"}, "cudnnGetErrorString", "cudnnCreate"}, folders) {}

std::string Cudnn::version() const {
  const std::size_t version = get_version();
  return fmt::format("cuDNN {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

CudnnConvolution::CudnnConvolution(const Cudnn& library, const ConvolutionProblem& problem)
    : library_(library),
      handle_(library.handle()),
      image_(library.end_tensor),
      output_(library.end_tensor),
      filter_(library.end_filter),
      convolution_(library.end_convolution) {
  lay_out(image_, problem, problem.channels_in, problem.image);
  lay_out(output_, problem, problem.channels_out, problem.output);
  const int type = cudnn_type(problem.type);
  library_.check(library_.make_filter(filter_.out()), "cudnnCreateFilterDescriptor");
  std::vector<int> filter = {problem.channels_out, problem.channels_in / problem.groups};
  for (const int size : axes_of(problem, problem.filter)) filter.push_back(size);
  library_.check(library_.set_filter(filter_.get(), type, static_cast<int>(problem.filter_layout),
                                     static_cast<int>(filter.size()), filter.data()),
                 "cudnnSetFilterNdDescriptor");
  library_.check(library_.make_convolution(convolution_.out()), "cudnnCreateConvolutionDescriptor");
  const std::vector<int> padding = axes_of(problem, problem.padding);
  const int sums =
      cudnn_type(problem.type == ElementType::float64 ? problem.type : ElementType::float32);
  library_.check(library_.set_convolution(convolution_.get(), static_cast<int>(padding.size()),
                                          padding.data(), axes_of(problem, problem.stride).data(),
                                          axes_of(problem, problem.dilation).data(),
                                          static_cast<int>(problem.taps), sums),
                 "cudnnSetConvolutionNdDescriptor");
  library_.check(library_.set_groups(convolution_.get(), problem.groups),
                 "cudnnSetConvolutionGroupCount");
  const bool is_plain = size_of(problem.type) >= 4 && problem.precision != "tf32";
  library_.check(library_.set_math(convolution_.get(), is_plain ? kFmaMath : kTensorOpMath),
                 "cudnnSetConvolutionMathType");
}

void CudnnConvolution::lay_out(LibraryDescriptor& tensor, const ConvolutionProblem& problem,
                               int channels, const ConvolutionProblem::Axes& size) const {
  const bool is_last = problem.layout == ConvolutionProblem::Layout::channels_last;
  const std::vector<int> axes = axes_of(problem, size);
  std::vector<int> sizes = {problem.batch, channels};
  sizes.insert(sizes.end(), axes.begin(), axes.end());
  std::vector<int> strides(sizes.size());
  int step = 1;
  const auto next_step = [&](int count) {
    const std::int64_t next = std::int64_t{step} * count;
    if (next > std::numeric_limits<int>::max())
      throw LibraryError("has no images of more than 2147483647 elements here");
    step = static_cast<int>(next);
  };
  if (is_last) next_step(channels);
  for (std::size_t i = sizes.size() - 1; i >= 2; --i) {
    strides[i] = step;
    next_step(i + 1 == sizes.size() && problem.pitch > 0 ? problem.pitch : sizes[i]);
  }
  strides[1] = is_last ? 1 : step;
  if (!is_last) next_step(channels);
  strides[0] = step;
  library_.check(library_.make_tensor(tensor.out()), "cudnnCreateTensorDescriptor");
  library_.check(library_.set_tensor(tensor.get(), cudnn_type(problem.type),
                                     static_cast<int>(sizes.size()), sizes.data(), strides.data()),
                 "cudnnSetTensorNdDescriptor");
}

std::size_t CudnnConvolution::workspace_bytes(int algorithm) const {
  std::size_t bytes = 0;
  const std::lock_guard lock(handle_.mutex);
  library_.check(library_.workspace_size(handle_.it, image_.get(), filter_.get(),
                                         convolution_.get(), output_.get(), algorithm, &bytes),
                 "cudnnGetConvolutionForwardWorkspaceSize");
  return bytes;
}

void CudnnConvolution::call(const Operands& operands, int algorithm, void* workspace,
                            std::size_t workspace_bytes, cudaStream_t stream) const {
  const std::lock_guard lock(handle_.mutex);
  library_.check(library_.set_stream(handle_.it, stream), "cudnnSetStream");
  library_.check(
      library_.forward(handle_.it, operands.alpha, image_.get(), operands.image, filter_.get(),
                       operands.filter, convolution_.get(), algorithm, workspace, workspace_bytes,
                       operands.beta, output_.get(), operands.output),
      "cudnnConvolutionForward");
}

}  // namespace tilewright::cuda
