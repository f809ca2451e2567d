# Every foreign library, found once. Targets: Boost::context, Boost::program_options, SQLite::SQLite3, fmt,
# nlohmann_json::nlohmann_json, tilewright_toml, tilewright_xxhash, Threads::Threads.
find_package(Threads REQUIRED)

if(TILEWRIGHT_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS context program_options)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)

add_library(tilewright_fmt INTERFACE)
target_link_libraries(tilewright_fmt INTERFACE
                      $<IF:$<BOOL:${TILEWRIGHT_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(tilewright_toml INTERFACE)
target_include_directories(tilewright_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
if(NOT TILEWRIGHT_PORTABLE)
  find_library(TOMLPLUSPLUS_LIBRARY tomlplusplus)
endif()
if(TOMLPLUSPLUS_LIBRARY)
  target_compile_definitions(tilewright_toml INTERFACE TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)
  target_link_libraries(tilewright_toml INTERFACE ${TOMLPLUSPLUS_LIBRARY})
endif()

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(tilewright_xxhash INTERFACE)
target_include_directories(tilewright_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(tilewright_xxhash INTERFACE XXH_INLINE_ALL)

# The toolkit gives headers and the static runtime; NVRTC and NVML are loaded at run time.
if(TILEWRIGHT_CUDA)
  if(NOT CUDAToolkit_ROOT)
    if(DEFINED ENV{CUDAToolkit_ROOT})
      set(CUDAToolkit_ROOT $ENV{CUDAToolkit_ROOT})
    elseif(DEFINED ENV{CUDA_HOME})
      set(CUDAToolkit_ROOT $ENV{CUDA_HOME})
    elseif(EXISTS /usr/local/cuda)
      set(CUDAToolkit_ROOT /usr/local/cuda)
    endif()
  endif()
  find_package(CUDAToolkit 12.8)
  if(NOT CUDAToolkit_FOUND)
    message(WARNING "No CUDA toolkit 12.8 or newer (looked at CUDAToolkit_ROOT, CUDA_HOME, "
                    "/usr/local/cuda): building without the CUDA backend.")
  endif()
endif()
