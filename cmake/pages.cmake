# The pages: npm installs what web/package-lock.json names, Vite builds web/, and the result goes into allot_server.
enable_language(ASM)
find_program(NPM npm)
if(NOT NPM)
  message(FATAL_ERROR "npm is needed for the pages; -DALLOT_WEB=OFF leaves them out")
endif()
set(web ${PROJECT_SOURCE_DIR}/web)
set(pages ${PROJECT_BINARY_DIR}/pages)
set(node ${PROJECT_SOURCE_DIR}/scripts/node)

# In the source folder, where editors look for it; all builds share it. No script of a package is run.
add_custom_command(OUTPUT ${web}/node_modules/.installed
  COMMAND ${node} npm ci --loglevel=error --ignore-scripts
  COMMAND ${CMAKE_COMMAND} -E touch node_modules/.installed
  DEPENDS ${web}/package.json ${web}/package-lock.json ${web}/.npmrc
  WORKING_DIRECTORY ${web} VERBATIM COMMENT "Installing what the pages are built with")
add_custom_command(OUTPUT ${pages}/pages.S ${pages}/pages.cpp
  COMMAND ${CMAKE_COMMAND} -E env ALLOT_WEB_OUT=${pages}/files ${node} node_modules/vite/bin/vite.js build --logLevel warn
  COMMAND ${node} embed.js ${pages}
  DEPENDS ${web}/node_modules/.installed ${web}/embed.js ${web}/index.html ${web}/label.html ${web}/review.html ${web}/join.html ${web}/work.html
          ${web}/vite.config.ts ${web}/svelte.config.js ${web}/tsconfig.json
  DEPFILE ${pages}/pages.d
  WORKING_DIRECTORY ${web} VERBATIM COMMENT "Building the pages")
add_custom_target(web DEPENDS ${pages}/pages.S)
target_sources(allot_server PRIVATE ${pages}/pages.S ${pages}/pages.cpp)
add_dependencies(allot_server web)
