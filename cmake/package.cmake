# Debian packages by cpack -G DEB: optinc (the tool) and optinc-dev (the libraries). Only from a portable build: a package
# goes to machines that this one knows nothing of.
if(OPTINC_NATIVE)
  message(STATUS "No packages from this build: it is for this processor (the preset portable makes packages)")
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME optinc)
set(CPACK_PACKAGE_CONTACT "The maintainers of the OptINC simulator <optinc@optinc.invalid>")  # Debian wants an address; this one reaches nobody
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
string(REPLACE "-" "~" CPACK_DEBIAN_PACKAGE_VERSION ${OPTINC_VERSION})  # a candidate comes before its release
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME optinc)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)  # asks dpkg-shlibdeps which packages hold the libraries it is linked to
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib, python3-scipy, python3-xarray")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "dataset-fashion-mnist")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME optinc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4), libboost-dev (>= 1.74), libfmt-dev (>= 9), libhwy-dev (>= 1.0.3), libhdf5-dev (>= 1.10), libnlopt-cxx-dev (>= 2.7), libtomlplusplus-dev, nlohmann-json3-dev, libprotobuf-dev, libyaml-cpp-dev, zlib1g-dev, g++, cmake (>= 3.24)")
if(OPTINC_LINKS_MPI)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libopenmpi-dev")
endif()
include(CPack)
