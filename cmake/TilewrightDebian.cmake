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
