# Installs catalog and runtime, moves the installed folder, builds examples/tuned_gemm and
# examples/from_bundle against it and looks at what they print.
include(${CMAKE_CURRENT_LIST_DIR}/outside.cmake)

install_and_move(catalog runtime templates)

foreach(example tuned_gemm from_bundle)
  run(0 "" ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
      -DCMAKE_BUILD_TYPE=${BUILD_TYPE} "-DCMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror"
      -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON -S ${SOURCE}/examples/${example} -B ${WORK}/${example})
  run(0 "" ${CMAKE_COMMAND} --build ${WORK}/${example})
endforeach()

run(0 "rung default.*C = 7, expected 7" ${WORK}/tuned_gemm/tuned_gemm)
set(bundle ${WORK}/gemm.bundle)
run(0 "1 kernel in" ${TILEWRIGHT} bundle gemm/naive M=N=K=64 --arch host --output ${bundle}
    --db ${WORK}/none.db --cache ${WORK}/cache --kernels ${SOURCE}/kernel_templates)
run(0 "host gemm/naive.*C = 8, expected 8" ${WORK}/from_bundle/from_bundle ${bundle} 64)
run(0 "C = 8.125, expected 8.125" ${WORK}/from_bundle/from_bundle ${bundle} 65)
run(2 "the bundle has no gemm" ${WORK}/from_bundle/from_bundle ${bundle} 0)
run(1 "nothing is written" ${TILEWRIGHT} bundle gemm --arch host --output ${WORK}/other.bundle
    --db ${WORK}/none.db --cache ${WORK}/cache --kernels ${SOURCE}/kernel_templates)

# A bundle needs neither of these.
find_program(readelf readelf)
if(readelf)
  run(0 "NEEDED" ${readelf} -d ${WORK}/from_bundle/from_bundle)
  if(text MATCHES "sqlite|nvrtc")
    message(FATAL_ERROR "from_bundle is linked with what a bundle does not need:\n${text}")
  endif()
endif()
