# Finds every foreign library once. Targets: Boost::context, Boost::program_options, SQLite::SQLite3,
# fmt, ZLIB::ZLIB, nlohmann_json::nlohmann_json, TomlPlusPlus::TomlPlusPlus, tilewright_xxhash, Threads::Threads.
find_package(Threads REQUIRED)

if(TILEWRIGHT_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS context program_options)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)

add_library(tilewright_fmt INTERFACE)
target_link_libraries(tilewright_fmt INTERFACE
                      $<IF:$<BOOL:${TILEWRIGHT_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

# A portable build uses only toml++'s headers, because there is no static library of it. Our find module
# is installed, too.
set(TomlPlusPlus_HEADER_ONLY ${TILEWRIGHT_PORTABLE})
find_package(TomlPlusPlus MODULE REQUIRED)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(tilewright_xxhash INTERFACE)
target_include_directories(tilewright_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(tilewright_xxhash INTERFACE XXH_INLINE_ALL)
# GCC at -Og refuses what this library forces it to inline.
target_compile_definitions(tilewright_xxhash INTERFACE $<$<CONFIG:Debug>:XXH_NO_INLINE_HINTS=1>)

include(TilewrightCuda)
