#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tilewright/element_type.hpp"
#include "tuner/cuda/libraries/handles.hpp"
#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::cuda {

// The functions of cuDNN that we use. Functions that return an int return a cudnnStatus_t.
struct Cudnn : StatusLibrary {
  explicit Cudnn(const std::vector<std::filesystem::path>& folders);

  // "cuDNN 9.19.0"
  std::string version() const;

  using Opaque = void*;
  using Make = int(Opaque*);
  using End = LibraryDescriptor::Destroy;
  using SetNumber = int(Opaque, int);
  std::size_t (*get_version)() = library.find<std::size_t()>("cudnnGetVersion");
  int (*set_stream)(Opaque,
                    cudaStream_t) = library.find<int(Opaque, cudaStream_t)>("cudnnSetStream");
  Make* make_tensor = library.find<Make>("cudnnCreateTensorDescriptor");
  End* end_tensor = library.find<End>("cudnnDestroyTensorDescriptor");
  using SetTensor = int(Opaque, int, int, const int*, const int*);
  SetTensor* set_tensor = library.find<SetTensor>("cudnnSetTensorNdDescriptor");
  Make* make_filter = library.find<Make>("cudnnCreateFilterDescriptor");
  End* end_filter = library.find<End>("cudnnDestroyFilterDescriptor");
  using SetFilter = int(Opaque, int, int, int, const int*);
  SetFilter* set_filter = library.find<SetFilter>("cudnnSetFilterNdDescriptor");
  Make* make_convolution = library.find<Make>("cudnnCreateConvolutionDescriptor");
  End* end_convolution = library.find<End>("cudnnDestroyConvolutionDescriptor");
  using SetConvolution = int(Opaque, int, const int*, const int*, const int*, int, int);
  SetConvolution* set_convolution = library.find<SetConvolution>("cudnnSetConvolutionNdDescriptor");
  SetNumber* set_groups = library.find<SetNumber>("cudnnSetConvolutionGroupCount");
  SetNumber* set_math = library.find<SetNumber>("cudnnSetConvolutionMathType");
  using WorkspaceSize = int(Opaque, Opaque, Opaque, Opaque, Opaque, int, std::size_t*);
  WorkspaceSize* workspace_size =
      library.find<WorkspaceSize>("cudnnGetConvolutionForwardWorkspaceSize");
  using Forward = int(Opaque, const void*, Opaque, const void*, Opaque, const void*, Opaque, int,
                      void*, std::size_t, const void*, Opaque, void*);
  Forward* forward = library.find<Forward>("cudnnConvolutionForward");
};

// A layer or filter as a problem of conv_layer or conv2d has it, with the padding before and after
// an image alike. The axes are depth, height and width.
struct ConvolutionProblem {
  using Axes = std::array<int, 3>;
  int batch = 1, channels_in = 1, channels_out = 1, groups = 1;
  Axes image = {1, 1, 1}, output = {1, 1, 1}, filter = {1, 1, 1};
  Axes stride = {1, 1, 1}, dilation = {1, 1, 1}, padding = {0, 0, 0};
  int pitch = 0;  // elements between the beginnings of two rows of image and output; 0: their width
  enum class Layout { channels_first, channels_last };
  Layout layout = Layout::channels_first;                        // of image and output
  Layout filter_layout = Layout::channels_first;                 // kcrs
  enum class Taps { reversed, in_order } taps = Taps::in_order;  // as the library numbers them
  ElementType type = ElementType::float32;                       // of all three
  std::string precision = "float32";                             // the problem's label
};

// The number of algorithms, by which the library names them from 0 on.
inline constexpr int kConvolutionAlgorithms = 8;
// The same without "CUDNN_CONVOLUTION_FWD_ALGO_".
const char* convolution_algorithm(int number);

// A convolution that is described to the library, on the device that is current. Every method
// throws LibraryError if the library refuses.
class CudnnConvolution {
 public:
  // `library` must outlive it.
  CudnnConvolution(const Cudnn& library, const ConvolutionProblem& problem);

  // The bytes of workspace that the algorithm needs.
  std::size_t workspace_bytes(int algorithm) const;

  // The operands of a call. The factors are in host memory, of float32, or of float64 for that
  // type.
  struct Operands {
    const void* image = nullptr;
    const void* filter = nullptr;
    void* output = nullptr;
    const void* alpha = nullptr;
    const void* beta = nullptr;
  };
  // Enqueues.
  void call(const Operands& operands, int algorithm, void* workspace, std::size_t workspace_bytes,
            cudaStream_t stream) const;

 private:
  void lay_out(LibraryDescriptor& tensor, const ConvolutionProblem& problem, int channels,
               const ConvolutionProblem::Axes& size) const;

  const Cudnn& library_;
  LibraryHandle& handle_;
  LibraryDescriptor image_, output_, filter_, convolution_;
};

}  // namespace tilewright::cuda
