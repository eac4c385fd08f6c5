# allot_layer(NAME FILE...): adds src/NAME/FILE.cpp to the library. Layers are listed from the bottom up.
function(allot_layer layer)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/src/${layer}/" OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND ".cpp")
  target_sources(allot PRIVATE ${sources})
endfunction()

# allot_test(LABEL PROGRAM FILE...): one test program from tests/FILE.cpp, its cases known to ctest under LABEL.
function(allot_test label program)
  list(TRANSFORM ARGN APPEND ".cpp" OUTPUT_VARIABLE sources)
  add_executable(${program} ${sources})
  target_link_libraries(${program} PRIVATE allot_tested GTest::gtest_main rapidcheck)
  gtest_discover_tests(${program} PROPERTIES LABELS ${label} DISCOVERY_TIMEOUT 60)
endfunction()
