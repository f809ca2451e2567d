# What a sweep's times and winners are worth (docs/benchmarks/trust.md).
#   cmake --build --preset release --target tilewright-trust && build/release/bin/tilewright-trust
add_executable(tilewright-trust
  ${CMAKE_CURRENT_LIST_DIR}/naive_timer_host.cpp ${CMAKE_CURRENT_LIST_DIR}/trust.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trust_isolation.cpp ${CMAKE_CURRENT_LIST_DIR}/trust_naive.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trust_spin.cpp ${CMAKE_CURRENT_LIST_DIR}/trust_winners.cpp)
target_include_directories(tilewright-trust PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(tilewright-trust PRIVATE
  tilewright_tools tilewright_host tilewright_verify tilewright_settings tilewright_fmt)
target_compile_definitions(tilewright-trust PRIVATE
  TILEWRIGHT_SPIN_MANIFEST="${CMAKE_CURRENT_LIST_DIR}/spin/spin.toml")
if(TARGET tilewright_cuda)
  # Includes CUDA's header, because it times without a session.
  target_sources(tilewright-trust PRIVATE ${CMAKE_CURRENT_LIST_DIR}/naive_timer_cuda.cpp)
  target_include_directories(tilewright-trust SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(tilewright-trust PRIVATE tilewright_cuda CUDA::cudart_static)
  target_compile_definitions(tilewright-trust PRIVATE TILEWRIGHT_NAIVE_CUDA)
endif()
add_dependencies(tilewright-trust tilewright-worker)
