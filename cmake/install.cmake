# What cmake --install lays down: the tool with its man page and completion, the studies, networks and Python package it
# works with (component runtime), and the libraries for find_package(optinc) (component development).
include(CMakePackageConfigHelpers)

set(share ${CMAKE_INSTALL_DATADIR}/optinc)
install(TARGETS optinc RUNTIME COMPONENT runtime)
install(DIRECTORY experiments/data/studies experiments/data/networks experiments/data/lists experiments/data/mappings DESTINATION ${share} COMPONENT runtime
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.h5")
install(DIRECTORY python/src DESTINATION ${share}/python COMPONENT runtime
        PATTERN "__pycache__" EXCLUDE)
install(PROGRAMS cmake/optinc-results DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES LICENSE README.md CITATION.cff experiments/files/hdf5/FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# Man page and completions say what the tool itself says: they are asked of it, once it is compiled
set(texts ${PROJECT_BINARY_DIR}/texts)
add_custom_command(OUTPUT ${texts}/optinc.1 ${texts}/optinc.bash ${texts}/optinc.zsh ${texts}/optinc.fish
  COMMAND ${CMAKE_COMMAND} -DOPTINC=$<TARGET_FILE:optinc> -DVERSION=${OPTINC_VERSION} -DOUTPUT=${texts}
          -P ${PROJECT_SOURCE_DIR}/cmake/texts.cmake
  DEPENDS optinc ${PROJECT_SOURCE_DIR}/cmake/texts.cmake
  COMMENT "Asking optinc for its man page and completions" VERBATIM)
add_custom_target(optinc_texts ALL DEPENDS ${texts}/optinc.1)
install(FILES ${texts}/optinc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${texts}/optinc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME optinc
        COMPONENT runtime)
install(FILES ${texts}/optinc.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _optinc
        COMPONENT runtime)
install(FILES ${texts}/optinc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)

# How matrices of fixed size lie in the library, which was compiled with the flags of this build (physics/CMakeLists.txt)
include(CheckCXXSourceCompiles)
if(OPTINC_NATIVE)
  set(CMAKE_REQUIRED_FLAGS -march=native)
else()
  set(CMAKE_REQUIRED_FLAGS "")
endif()
set(CMAKE_REQUIRED_LIBRARIES Eigen3::Eigen)
set(CMAKE_REQUIRED_DEFINITIONS -DEIGEN_MAX_ALIGN_BYTES=64)
foreach(bytes 64 32 16)
  check_cxx_source_compiles("#include <Eigen/Core>
static_assert(EIGEN_MAX_STATIC_ALIGN_BYTES == ${bytes}); int main() {}" OPTINC_ALIGNS_${bytes}_NATIVE_${OPTINC_NATIVE})
  if(OPTINC_ALIGNS_${bytes}_NATIVE_${OPTINC_NATIVE})
    target_compile_definitions(optinc_physics PUBLIC $<INSTALL_INTERFACE:EIGEN_MAX_STATIC_ALIGN_BYTES=${bytes}>)
    break()
  endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_DEFINITIONS)

# One export set a library, so that who wants light and meshes alone needs neither HDF5 nor MPI
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/optinc)
foreach(room physics onn readers experiments)
  set_target_properties(optinc_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS optinc_${room} EXPORT optinc-${room} ARCHIVE COMPONENT development)
  install(EXPORT optinc-${room} NAMESPACE optinc:: DESTINATION ${package} COMPONENT development)
endforeach()
foreach(room physics onn experiments)
  # <optinc/physics/mesh/decomposition.hpp>; what lies in detail/ belongs to the library alone. Folders without public
  # headers are named, or they would be installed empty.
  install(DIRECTORY ${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/optinc COMPONENT development
          FILES_MATCHING PATTERN "*.hpp" PATTERN "detail" EXCLUDE PATTERN "simd" EXCLUDE PATTERN "data" EXCLUDE
          PATTERN "gpu" EXCLUDE PATTERN "scripts" EXCLUDE)
endforeach()
get_target_property(linked optinc_experiments LINK_LIBRARIES)
set(OPTINC_LINKS_MPI OFF)
if("MPI::MPI_C" IN_LIST linked)
  set(OPTINC_LINKS_MPI ON)
endif()
configure_package_config_file(cmake/optinc-config.cmake.in ${PROJECT_BINARY_DIR}/optinc-config.cmake
                              INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/optinc-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/optinc-config.cmake ${PROJECT_BINARY_DIR}/optinc-config-version.cmake
        DESTINATION ${package} COMPONENT development)
