# ALLOT_BUILD_VERSION: the version of this build. A release, and a build without git, has that of the project, 0.1.0. Any
# other commit has its time in UTC and its hash behind it: 0.1.0+git20261119.204201.513140d9. For dpkg, that is above 0.1.0,
# below 0.1.1, and in the order of commits. Changes that are not committed do not show.
set(ALLOT_BUILD_VERSION ${PROJECT_VERSION})
find_package(Git QUIET)
# Text of a git command; empty if it fails.
function(allot_git result)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${GIT_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE text ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  allot_git(commit log -1 --date=format-local:%Y%m%d.%H%M%S --format=%cd.%h --abbrev=8)
  allot_git(release tag --points-at HEAD --list v${PROJECT_VERSION})
  if(commit AND NOT release)
    string(APPEND ALLOT_BUILD_VERSION +git${commit})
  endif()
  # Every commit and checkout adds a line to this file.
  allot_git(log rev-parse --git-path logs/HEAD)
  cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(EXISTS ${log})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
endif()
