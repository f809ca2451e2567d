# Language level and warnings, as one INTERFACE target that all our targets link.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(tilewright_settings INTERFACE)
target_compile_features(tilewright_settings INTERFACE cxx_std_20)
target_compile_options(tilewright_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                       -Wsign-conversion -Wshadow -Wnon-virtual-dtor)
# GCC 12 warns about overlapping copies in std::string that do not exist (its bug 105651).
target_compile_options(tilewright_settings INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)
# In a unity build GCC takes a source file for a header, whose types others might see.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tilewright_settings INTERFACE -Wno-subobject-linkage)
endif()
if(TILEWRIGHT_PORTABLE)
  # Not libgcc, which every system has: a static one of GCC 12 needs glibc 2.35.
  target_link_options(tilewright_settings INTERFACE -static-libstdc++)
  set(CMAKE_BUILD_RPATH "$ORIGIN")
  set(CMAKE_INSTALL_RPATH "$ORIGIN")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# tilewright_compile_fast(): what follows in this folder is compiled with -Og in a release, in 0.6 of the time that -Os takes
# (docs/benchmarks/house.md). For what nobody waits for.
macro(tilewright_compile_fast)
  add_compile_options($<$<CONFIG:Release>:-Og>)
  add_compile_definitions($<$<CONFIG:Release>:XXH_NO_INLINE_HINTS=1>)  # as in TilewrightPackages.cmake
endmacro()

# tilewright_add_library(name [SOURCES …] [HOT …] [LINK …] [PRIVATE_LINK …]) adds a static library with our
# settings. HOT are sources that a look-up, a launch or a search waits for: -O3 pays there, and the size of the rest
# is what takes time to compile (docs/benchmarks/house.md). Includes are relative to the repository root. The library may
# become part of a shared library, ours or an application's.
function(tilewright_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HOT;LINK;PRIVATE_LINK" ${ARGN})
  set(parts ${name})
  if(ARG_HOT)
    add_library(${name}_hot OBJECT ${ARG_HOT})
    target_compile_options(${name}_hot PRIVATE $<$<CONFIG:Release>:-O3>)
    list(APPEND parts ${name}_hot)
    list(APPEND ARG_SOURCES $<TARGET_OBJECTS:${name}_hot>)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  foreach(part IN LISTS parts)
    set_target_properties(${part} PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON
                          CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_include_directories(${part} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_link_libraries(${part} PUBLIC tilewright_core ${ARG_LINK}
                          PRIVATE $<BUILD_INTERFACE:tilewright_settings> ${ARG_PRIVATE_LINK})
  endforeach()
endfunction()

# The public headers that include nothing but the standard library.
add_library(tilewright_core INTERFACE)
target_sources(tilewright_core INTERFACE FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include
  FILES include/tilewright/argument.hpp include/tilewright/boundary.hpp include/tilewright/device.hpp include/tilewright/element_type.hpp include/tilewright/error.hpp
        include/tilewright/narrow_float.hpp include/tilewright/policy.hpp include/tilewright/settings.hpp include/tilewright/statistics.hpp
        include/tilewright/trial.hpp include/tilewright/version.hpp)
target_compile_features(tilewright_core INTERFACE cxx_std_20)
