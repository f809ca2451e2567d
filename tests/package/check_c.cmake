# Installs the C interface, moves the installed folder, compiles examples/c against it without CMake
# and looks at what they print.
include(${CMAKE_CURRENT_LIST_DIR}/outside.cmake)

install_and_move(c c_development templates)

set(flags -I${WORK}/prefix/include -L${WORK}/prefix/${LIBDIR} -ltilewright)
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/${LIBDIR}/pkgconfig)
  run(0 "-ltilewright" ${pkg_config} --cflags --libs tilewright-c)
  string(STRIP "${text}" text)
  separate_arguments(flags UNIX_COMMAND "${text}")
  run(0 "kernel_templates" ${pkg_config} --variable=kernel_templates tilewright-c)
endif()
separate_arguments(own_flags UNIX_COMMAND "${FLAGS}")
foreach(program tuned_gemm layer_and_filter)
  run(0 "" ${C_COMPILER} -std=c11 -Wall -Wextra -Werror ${own_flags} ${SOURCE}/examples/c/${program}.c
      -o ${WORK}/${program} ${flags} -Wl,-rpath,${WORK}/prefix/${LIBDIR})
endforeach()

set(templates ${WORK}/prefix/share/tilewright/kernel_templates)
run(0 "rung default.*C = 8, expected 8" ${WORK}/tuned_gemm ${templates})
run(2 "tuned_gemm: gemm: .=-1 is outside 1 to" ${WORK}/tuned_gemm ${templates} ${WORK}/none.db -1)
run(0 "layer: 4100 0, expected 4100 0.*filter: 424 642, expected 424 642 .[1-9][0-9]* bytes"
    ${WORK}/layer_and_filter ${templates})

# Nothing of ours is exported but the C interface.
find_program(nm nm)
if(nm)
  run(0 "tw_best" ${nm} -D --defined-only ${WORK}/prefix/${LIBDIR}/libtilewright.so)
  string(REGEX REPLACE "[^\n]* tw_[a-z0-9_]+\n" "" others "${text}")
  if(others MATCHES "[a-z]")
    message(FATAL_ERROR "libtilewright.so exports more than the C interface:\n${others}")
  endif()
endif()

# The headers are C++ as well.
run(0 "" ${C_COMPILER} -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only
    -I${WORK}/prefix/include -include tilewright/evaluator.h /dev/null)
