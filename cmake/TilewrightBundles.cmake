# Bundles of general kernels that are installed with the definitions, so that applications need no compiler for most new
# problems (docs/shipping.md). None by default: those of one architecture take some ten minutes of one core.
set(TILEWRIGHT_BUNDLES "" CACHE STRING "Architectures to make general bundles for, as in sm_80;sm_90")
set(TILEWRIGHT_BUNDLE_PROBLEMS 200 CACHE STRING "Problems of each workload that a general bundle is made for")

foreach(architecture IN LISTS TILEWRIGHT_BUNDLES)
  foreach(operation gemm conv1d conv2d)
    set(bundle ${CMAKE_BINARY_DIR}/bundles/${operation}-${architecture}.bundle)
    # Not with results that are in the home of whoever builds.
    add_custom_command(OUTPUT ${bundle}
      COMMAND ${CMAKE_COMMAND} -E env XDG_DATA_HOME=${CMAKE_BINARY_DIR}/no-results
              $<TARGET_FILE:tilewright> bundle ${operation} --general ${TILEWRIGHT_BUNDLE_PROBLEMS} --arch ${architecture}
              --output ${bundle}
      DEPENDS tilewright VERBATIM)
    list(APPEND bundles ${bundle})
  endforeach()
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bundles)
add_custom_target(tilewright_bundles ALL DEPENDS ${bundles})
if(bundles)
  install(FILES ${bundles} DESTINATION ${TILEWRIGHT_BUNDLE_FOLDER} COMPONENT templates)
endif()
