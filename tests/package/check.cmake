# Installs the catalog, moves the installed folder, builds examples/best_tile against it and looks
# at what that prints.
include(${CMAKE_CURRENT_LIST_DIR}/outside.cmake)

install_and_move(catalog templates)

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE} "-DCMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror"
    -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
run(0 "" ${configure} -S ${SOURCE}/examples/best_tile -B ${WORK}/build)
run(0 "" ${CMAKE_COMMAND} --build ${WORK}/build)
run(1 "'teleport' is not installed" ${configure} -S ${SOURCE}/tests/package/other_component -B ${WORK}/other)

set(best_tile ${WORK}/build/best_tile)
set(size M=512 N=512 K=512)
run(0 "rung 7, default: there is no database" ${best_tile} ${WORK}/results.db gemm ${size})
run(0 "" ${SAMPLE_DATABASE} ${WORK}/results.db)
run(0 "gemm/naive.*BLOCK_X=128 BLOCK_Y=4.*rung 2, exact: 100 us" ${best_tile} ${WORK}/results.db gemm ${size})
run(0 "TILE_WIDTH=.*rung 7, default: no finished sweep" ${best_tile} ${WORK}/results.db gemm/tiled M=513)
run(2 "did you mean 'gemm'" ${best_tile} ${WORK}/results.db gem)
