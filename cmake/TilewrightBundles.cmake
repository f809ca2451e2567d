# Bundles of general kernels that are installed with the definitions, so that applications need no compiler for most new
# problems (docs/shipping.md). None by default: those of one architecture take some ten minutes of processor time.
set(TILEWRIGHT_BUNDLES "" CACHE STRING "Architectures to make general bundles for, as in sm_80;sm_90")
set(TILEWRIGHT_BUNDLE_PROBLEMS 1000 CACHE STRING "Problems of each workload that a general bundle is made for")

set(bundles "")
if(TILEWRIGHT_BUNDLES)
  file(GLOB_RECURSE bundled_files CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/kernel_templates/* ${PROJECT_SOURCE_DIR}/shipped_results/*)
endif()
foreach(architecture IN LISTS TILEWRIGHT_BUNDLES)
  foreach(operation gemm conv1d conv2d)
    set(bundle ${CMAKE_BINARY_DIR}/bundles/${operation}-${architecture}.bundle)
    # Nothing of it comes from the home of whoever builds.
    add_custom_command(OUTPUT ${bundle}
      COMMAND ${CMAKE_COMMAND} -E env --unset=TILEWRIGHT_DB XDG_DATA_HOME=${CMAKE_BINARY_DIR}/no-results
              $<TARGET_FILE:tilewright> bundle ${operation} --general ${TILEWRIGHT_BUNDLE_PROBLEMS} --arch ${architecture}
              --kernels ${PROJECT_SOURCE_DIR}/kernel_templates --shipped ${PROJECT_SOURCE_DIR}/shipped_results
              --output ${bundle}
      DEPENDS tilewright ${bundled_files} VERBATIM)
    list(APPEND bundles ${bundle})
  endforeach()
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bundles)
file(GLOB old_bundles ${CMAKE_BINARY_DIR}/bundles/*.bundle)
list(REMOVE_ITEM old_bundles ${bundles})
if(old_bundles)
  file(REMOVE ${old_bundles})
endif()
add_custom_target(tilewright_bundles ALL DEPENDS ${bundles})
if(bundles)
  install(FILES ${bundles} DESTINATION ${TILEWRIGHT_BUNDLE_FOLDER} COMPONENT templates)
endif()
