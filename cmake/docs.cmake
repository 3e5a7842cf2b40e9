# cmake --build build/PRESET --target docs: the API reference from the docstrings, build/PRESET/docs/html.
# Warnings fail it. Needs Doxygen (experiments/scripts/setup docs); nothing else does.
find_package(Doxygen 1.9)
if(NOT DOXYGEN_FOUND)
  return()
endif()
configure_file(docs/Doxyfile.in docs/Doxyfile @ONLY)
add_custom_target(docs
  COMMAND Doxygen::doxygen ${PROJECT_BINARY_DIR}/docs/Doxyfile
  COMMAND ${CMAKE_COMMAND} -DLOG=${PROJECT_BINARY_DIR}/docs/warnings.log -P ${PROJECT_SOURCE_DIR}/cmake/docs_check.cmake
  COMMENT "Reading the docstrings" VERBATIM)
