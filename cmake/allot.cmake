# Headers that most sources include, compiled once; a third less time per file.
set(allot_common_headers <fmt/format.h> <tl/expected.hpp> <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map>
                         <memory> <mutex> <numeric> <optional> <span> <string> <string_view> <thread> <utility> <variant>
                         <vector>)

# allot_precompile(TARGET FIRST HEADER...): precompiles the headers for FIRST, whose result the other targets use.
function(allot_precompile target first)
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
  if(CCACHE)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

# allot_for_modules(TARGET): code that can become part of the Python module, which is a shared library. Hidden symbols keep
# calls as cheap as in a program. All targets that share precompiled headers need the same.
function(allot_for_modules target)
  if(ALLOT_PYTHON)
    target_compile_options(${target} PRIVATE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
  endif()
endfunction()

# allot_seldom_runs(TARGET): code that reads options, prints, or waits for others. It compiles a fifth faster with less
# optimisation, and nobody notices when it runs.
function(allot_seldom_runs target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# allot_sources(RESULT LAYER...): every source of these folders under src. A new file is found by the next build.
function(allot_sources result)
  set(found)
  foreach(layer ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
    list(APPEND found ${sources})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# allot_library(NAME LAYER...): a static library allot_NAME, also called allot::NAME, of these layers.
function(allot_library name)
  allot_sources(sources ${ARGN})
  add_library(allot_${name} STATIC ${sources})
  add_library(allot::${name} ALIAS allot_${name})
  set_target_properties(allot_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME allot-${name})
  allot_for_modules(allot_${name})
  target_include_directories(allot_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(allot_${name} PRIVATE $<BUILD_INTERFACE:allot_options> $<BUILD_INTERFACE:Boost::headers> fmt::fmt)
  allot_precompile(allot_${name} allot_core ${allot_common_headers})
endfunction()

# allot_test(LABEL FOLDER... [NUMERIC] [HEADERS HEADER...]): the test program LABEL_tests of every source in tests/FOLDER and
# below, its cases known to ctest under LABEL. NUMERIC tests compute much by themselves and are compiled with optimisation.
# HEADERS are precompiled beside those that all tests share.
function(allot_test label)
  cmake_parse_arguments(PARSE_ARGV 1 test "NUMERIC" "" "HEADERS")
  set(found)
  foreach(folder ${test_UNPARSED_ARGUMENTS})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp)
    list(APPEND found ${sources})
  endforeach()
  add_executable(${label}_tests ${found})
  target_link_libraries(${label}_tests PRIVATE allot_tested GTest::gtest_main rapidcheck)
  # Most tests spend their time in the library: compiling them without optimisation saves more than it costs.
  set(level $<IF:$<BOOL:${test_NUMERIC}>,-O1,-O0>)
  target_compile_options(${label}_tests PRIVATE $<$<CONFIG:Release>:${level}>)
  set(first unit_tests)
  if(test_NUMERIC OR test_HEADERS)
    set(first ${label}_tests)
  endif()
  allot_precompile(${label}_tests ${first} ${allot_common_headers} <gtest/gtest.h> <rapidcheck.h> ${test_HEADERS})
  # Sanitizers make tests ten times slower, so that properties are tried 20 times there instead of 100.
  set(environment)
  if(ALLOT_SANITIZE)
    set(environment ENVIRONMENT RC_PARAMS=max_success=20)
  endif()
  gtest_discover_tests(${label}_tests TEST_FILTER -*Postgres* PROPERTIES LABELS ${label} ${environment} DISCOVERY_TIMEOUT 60)
endfunction()

# allot_postgres_test(LABEL): the cases of LABEL_tests that need PostgreSQL, as one run with one server.
function(allot_postgres_test label)
  add_test(NAME ${label}.OnPostgres COMMAND ${label}_tests --gtest_filter=*Postgres*)
  set_tests_properties(${label}.OnPostgres PROPERTIES LABELS ${label} TIMEOUT 300
                       SKIP_REGULAR_EXPRESSION "PostgreSQL is not installed")
endfunction()
