# The study of the teaching texts compares a sequential loop with the templates on a GPU.
#   cmake --build --preset release --target tilewright_study
#   build/release/bin/tilewright_study --db FILE --benchmark_out=study.json --benchmark_out_format=json
#   bench/plot_study.py study.json
find_package(benchmark)
if(NOT benchmark_FOUND)
  message(WARNING "Google Benchmark was not found: building without tilewright_study.")
  return()
endif()

add_executable(tilewright_study
  ${CMAKE_CURRENT_LIST_DIR}/study.cpp ${CMAKE_CURRENT_LIST_DIR}/study_device.cpp
  ${CMAKE_CURRENT_LIST_DIR}/study_multiply.cpp ${CMAKE_CURRENT_LIST_DIR}/study_sequential.cpp)
target_include_directories(tilewright_study PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(tilewright_study PRIVATE
  tilewright_tools tilewright_verify tilewright_measure tilewright_settings tilewright_fmt
  benchmark::benchmark)
add_dependencies(tilewright_study tilewright-worker)

# The sequential loop is optimised in every build type, and reports its compiler flags.
string(TOUPPER "${CMAKE_BUILD_TYPE}" study_build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${study_build_type}} -O3" study_flags)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/study_multiply.cpp PROPERTIES
  COMPILE_OPTIONS "-O3" COMPILE_DEFINITIONS "TILEWRIGHT_STUDY_FLAGS=\"${study_flags}\"")

target_compile_definitions(tilewright_study PRIVATE
  TILEWRIGHT_STUDY_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

# A portable build copies the library beside the program.
if(TILEWRIGHT_PORTABLE)
  get_target_property(study_benchmark_type benchmark::benchmark TYPE)
  if(study_benchmark_type STREQUAL "SHARED_LIBRARY")
    add_custom_command(TARGET tilewright_study POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:benchmark::benchmark>
              $<TARGET_FILE_DIR:tilewright_study>/$<TARGET_SONAME_FILE_NAME:benchmark::benchmark>)
  endif()
endif()
