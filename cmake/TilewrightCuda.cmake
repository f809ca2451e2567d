# Finds the CUDA toolkit's headers and static runtime; NVRTC and NVML are loaded at run time. They come
# from an installed toolkit, or from NVIDIA's Python wheels, which tools/setup.sh fetches.
# find_package(CUDAToolkit) does not recognise the wheels, because they do not contain nvcc.
# Afterwards the target CUDA::cudart_static, CUDAToolkit_INCLUDE_DIRS and TILEWRIGHT_NVRTC_FOLDER exist,
# or the build has no CUDA backend.
if(NOT TILEWRIGHT_CUDA)
  message(STATUS "TILEWRIGHT_CUDA is OFF: building without the CUDA backend")
  return()
endif()

set(TILEWRIGHT_CUDA_MINIMUM 12.8)
set(TILEWRIGHT_CUDA_WHEELS ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/nvidia/cu13)

# tilewright_cuda_from_wheels(root) defines the target from root/{include,lib}, if they exist.
function(tilewright_cuda_from_wheels root)
  set(header ${root}/include/cuda_runtime_api.h)
  set(runtime ${root}/lib/libcudart_static.a)
  foreach(file ${header} ${root}/include/nvrtc.h ${root}/include/crt/host_defines.h ${runtime})
    if(NOT EXISTS ${file})
      return()
    endif()
  endforeach()
  file(STRINGS ${header} line REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX REPLACE ".* ([0-9]+)([0-9][0-9])[0-9].*" "\\1.\\2" version "${line}")
  string(REPLACE ".0" "." version "${version}")
  if(version VERSION_LESS TILEWRIGHT_CUDA_MINIMUM)
    return()
  endif()
  add_library(CUDA::cudart_static STATIC IMPORTED GLOBAL)
  set_target_properties(CUDA::cudart_static PROPERTIES
    IMPORTED_LOCATION ${runtime}
    INTERFACE_INCLUDE_DIRECTORIES ${root}/include
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};rt")
  set(CUDAToolkit_INCLUDE_DIRS ${root}/include PARENT_SCOPE)
  set(TILEWRIGHT_NVRTC_FOLDER ${root}/lib PARENT_SCOPE)
  message(STATUS "CUDA runtime ${version} from NVIDIA's Python wheels: ${root}")
endfunction()

if(NOT CUDAToolkit_ROOT)
  foreach(root "$ENV{CUDAToolkit_ROOT}" "$ENV{CUDA_HOME}" /usr/local/cuda)
    if(EXISTS "${root}/include/cuda_runtime_api.h")
      set(CUDAToolkit_ROOT ${root})
      break()
    endif()
  endforeach()
endif()
# A root without nvcc has parts of a toolkit. find_package would take another toolkit instead, whose nvcc is on PATH.
if(CUDAToolkit_ROOT AND NOT EXISTS ${CUDAToolkit_ROOT}/bin/nvcc)
  tilewright_cuda_from_wheels(${CUDAToolkit_ROOT})
endif()
if(NOT TARGET CUDA::cudart_static)
  find_package(CUDAToolkit ${TILEWRIGHT_CUDA_MINIMUM} QUIET)
endif()
if(TARGET CUDA::cudart_static AND CUDAToolkit_FOUND)
  set(TILEWRIGHT_NVRTC_FOLDER ${CUDAToolkit_LIBRARY_DIR})
  message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: ${CUDAToolkit_TARGET_DIR}")
elseif(NOT TARGET CUDA::cudart_static)
  tilewright_cuda_from_wheels(${TILEWRIGHT_CUDA_WHEELS})
endif()
if(NOT TARGET CUDA::cudart_static)
  message(WARNING "No CUDA toolkit ${TILEWRIGHT_CUDA_MINIMUM} or newer (looked at CUDAToolkit_ROOT, "
                  "CUDA_HOME, /usr/local/cuda, nvcc on PATH, ${TILEWRIGHT_CUDA_WHEELS}): building "
                  "without the CUDA backend. tools/setup.sh fetches what it needs.")
endif()
