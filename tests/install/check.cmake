# Installs the build into an empty folder, then configures, builds and runs a project that knows nothing but that folder.
set(work ${BUILD}/install-check)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
# Neither SQLite nor TLS may be needed for the core.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G Ninja -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/ask)
run(${work}/prefix/bin/allot policies)
