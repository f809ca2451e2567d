# Components:
#   program    tilewright and its worker, their manual pages and completion for shells
#   templates  the definitions and results that come with it
#   catalog    looking up: the library, its headers and find_package files; needs no CUDA
#   runtime    launching; needs catalog
#   c          libtilewright.so.VERSION; needs no other component
#   c_development  the headers of C and what compilers and linkers need; needs c
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tilewright tilewright-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        COMPONENT program)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/bash-completion ${CMAKE_BINARY_DIR}/share/zsh ${CMAKE_BINARY_DIR}/share/fish
        DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
set(TILEWRIGHT_TEMPLATE_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/kernel_templates)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernel_templates/
        DESTINATION ${TILEWRIGHT_TEMPLATE_FOLDER} COMPONENT templates)
set(TILEWRIGHT_SHIPPED_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/shipped_results)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shipped_results/
        DESTINATION ${TILEWRIGHT_SHIPPED_FOLDER} COMPONENT templates)
# The charts of `tilewright report`, if tools/setup.sh fetched them.
install(FILES ${PROJECT_SOURCE_DIR}/build/plotly/plotly.min.js ${PROJECT_SOURCE_DIR}/build/plotly/LICENSE.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/plotly COMPONENT program OPTIONAL)
set(TILEWRIGHT_BUNDLE_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/bundles)

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

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
# tilewright_install_libraries(component target …) installs static libraries with their public headers,
# and the file that find_package reads.
function(tilewright_install_libraries component)
  foreach(target IN LISTS ARGN)
    string(REPLACE "tilewright_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  install(TARGETS ${ARGN} EXPORT tilewright-${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  install(EXPORT tilewright-${component} FILE tilewright-${component}-targets.cmake
          NAMESPACE tilewright:: DESTINATION ${package_folder} COMPONENT ${component})
endfunction()

# tilewright_install_pkgconfig(name component) installs a pkg-config file, for projects without CMake.
function(tilewright_install_pkgconfig name component)
  file(RELATIVE_PATH TILEWRIGHT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tilewright-${name}.pc.in
                 ${CMAKE_CURRENT_BINARY_DIR}/tilewright-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilewright-${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

# Applications use only tilewright::catalog, tilewright::runtime and tilewright::bundle. The others are
# their parts.
tilewright_install_libraries(catalog tilewright_core tilewright_fmt tilewright_json
                             tilewright_definition tilewright_db tilewright_ladder tilewright_catalog)
set(runtime_parts tilewright_plan tilewright_backend tilewright_toolchain tilewright_measure tilewright_verify tilewright_host
                  tilewright_machine tilewright_worker_lib tilewright_bundle tilewright_runtime)
set(TILEWRIGHT_CUDA_LIBS "")
set(TILEWRIGHT_CUDART "")
if(TARGET tilewright_cuda)
  list(APPEND runtime_parts tilewright_cuda)
  get_target_property(TILEWRIGHT_CUDART CUDA::cudart_static IMPORTED_LOCATION)
  set(TILEWRIGHT_CUDA_LIBS "-ltilewright_cuda ${TILEWRIGHT_CUDART}")
endif()
tilewright_install_libraries(runtime ${runtime_parts})

tilewright_install_pkgconfig(catalog catalog)
tilewright_install_pkgconfig(runtime runtime)

install(TARGETS tilewright_c
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c_development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c_development)
tilewright_install_pkgconfig(c c_development)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tilewrightConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS TILEWRIGHT_TEMPLATE_FOLDER TILEWRIGHT_SHIPPED_FOLDER
  TILEWRIGHT_BUNDLE_FOLDER)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindTomlPlusPlus.cmake
        DESTINATION ${package_folder} COMPONENT catalog)

# Debian packages, which tools/package.sh makes with CPack:
#   libtilewright0.3  libtilewright.so, with the definitions and results that come with it
#   tilewright        the program
#   libtilewright-dev headers, static libraries, find_package and pkg-config
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR tilewright)
set(CPACK_PACKAGE_CONTACT "The tilewright authors <tilewright@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL program templates c c_development catalog runtime)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# NVIDIA's compiler and driver are outside Debian; the program says what is missing.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtilewright${soname})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tilewright)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libtilewright${soname} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS g++)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtilewright-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtilewright${soname} (= ${PROJECT_VERSION}), libboost-context-dev, \
libfmt-dev, libsqlite3-dev, libtomlplusplus-dev")

include(CPack)
cpack_add_component_group(library DESCRIPTION "Finds, keeps and serves the fastest configuration of a CUDA kernel (library)")
cpack_add_component_group(program DESCRIPTION "Finds, keeps and serves the fastest configuration of a CUDA kernel")
cpack_add_component_group(development DESCRIPTION "Looks up and launches tuned CUDA kernels (development files)")
cpack_add_component(c GROUP library)
cpack_add_component(templates GROUP library)
cpack_add_component(program GROUP program)
foreach(component c_development catalog runtime)
  cpack_add_component(${component} GROUP development)
endforeach()
