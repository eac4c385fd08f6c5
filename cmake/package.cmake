# The Debian package: program, manual pages, completions, service and an example configuration.
# scripts/package builds it.
install(TARGETS allot-cli COMPONENT program)
# The program writes its own manual and completions, so they always fit its options.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  function(allot_write file)
    execute_process(COMMAND $<TARGET_FILE:allot-cli> completions \${ARGN} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  file(MAKE_DIRECTORY \"\${share}/man/man1\" \"\${share}/bash-completion/completions\" \"\${share}/zsh/vendor-completions\"
       \"\${share}/fish/vendor_completions.d\")
  execute_process(COMMAND $<TARGET_FILE:allot-cli> help --man-pages \"\${share}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)
  allot_write(\"\${share}/bash-completion/completions/allot\" bash)
  allot_write(\"\${share}/zsh/vendor-completions/_allot\" zsh)
  allot_write(\"\${share}/fish/vendor_completions.d/allot.fish\" fish)
" COMPONENT program)
# Only the package has these: their paths are those of a system.
install(FILES packaging/allot.service DESTINATION lib/systemd/system COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES packaging/serve.toml DESTINATION /etc/allot COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES packaging/logrotate DESTINATION /etc/logrotate.d RENAME allot COMPONENT debian EXCLUDE_FROM_ALL)
# Guide and reference side by side, as their links expect.
install(DIRECTORY docs/guide docs/reference DESTINATION /usr/share/doc/allot COMPONENT debian EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN *.md)
install(FILES CHANGELOG.md DESTINATION /usr/share/doc/allot COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES packaging/grafana-dashboard.json packaging/alerts.yml DESTINATION /usr/share/allot COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME allot)
set(CPACK_PACKAGE_VERSION ${ALLOT_BUILD_VERSION})
set(CPACK_PACKAGE_CONTACT "allot developers <allot@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
# To trust sign-in providers, endpoints of language models and webhooks by https.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS logrotate)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/conffiles ${PROJECT_SOURCE_DIR}/packaging/postinst
    ${PROJECT_SOURCE_DIR}/packaging/prerm ${PROJECT_SOURCE_DIR}/packaging/postrm)
include(CPack)
