# What pip puts into the wheel beside the Python sources: the module with its stub; the tool; and the data of both, in
# optinc/share/optinc, where the tool in optinc/bin looks for them. They come from this build, or from OPTINC_BUILT.
set(data ${PROJECT_SOURCE_DIR}/experiments/data)
install(DIRECTORY ${data}/studies ${data}/networks ${data}/lists ${data}/mappings DESTINATION optinc/share/optinc
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.h5")
install(FILES python/src/results_command.py DESTINATION optinc/share/optinc/python/src)  # optinc report starts it
install(PROGRAMS python/optinc DESTINATION ${SKBUILD_SCRIPTS_DIR})
install(FILES LICENSE DESTINATION ${SKBUILD_METADATA_DIR}/licenses)
# and what Debian says of the licences of the libraries that it holds or brings (docs/dependencies.md)
foreach(library "eigen libeigen3-dev" "boost libboost1.*-dev" "random123 librandom123-dev" "libhdf5 libhdf5-dev" "zlib zlib1g-dev"
                "cli11 libcli11-dev" "nlohmann_json nlohmann-json3-dev" "libgomp libgomp1" "libfmt libfmt-dev" "libhwy libhwy-dev"
                "libnlopt libnlopt-cxx-dev" "libtomlplusplus libtomlplusplus-dev" "libyaml-cpp libyaml-cpp-dev"
                "libprotobuf-lite libprotobuf-dev" "libaec libaec-dev")
  separate_arguments(library)
  list(GET library 0 name)
  list(GET library 1 package)
  file(GLOB told /usr/share/doc/${package}/copyright)
  if(told)
    install(FILES ${told} DESTINATION ${SKBUILD_METADATA_DIR}/licenses RENAME ${name}.txt)
  endif()
endforeach()
add_custom_target(optinc_wheel)

if(OPTINC_BUILT)
  install(DIRECTORY ${OPTINC_BUILT}/python/optinc/ DESTINATION optinc FILES_MATCHING PATTERN "_core*" PATTERN bin EXCLUDE PATTERN results EXCLUDE PATTERN share EXCLUDE)
  install(PROGRAMS ${OPTINC_BUILT}/bin/optinc DESTINATION optinc/bin)
  return()
endif()

# The tool is compiled where the libraries are there that it needs beyond those of the module
set(missing "")
foreach(library "HDF5 libhdf5-dev" "ZLIB zlib1g-dev" "NLopt libnlopt-cxx-dev" "CLI11 libcli11-dev"
                "nlohmann_json nlohmann-json3-dev" "Protobuf libprotobuf-dev protobuf-compiler")
  separate_arguments(library)
  list(POP_FRONT library name)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND missing ${library})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  set(sentence "The package was compiled without the tool, because these Debian packages were missing: ${missing}. Install them, and run pip install --force-reinstall ./python")
  message(WARNING "${sentence}")
  file(WRITE ${PROJECT_BINARY_DIR}/without_tool.txt "${sentence}\n")
  install(FILES ${PROJECT_BINARY_DIR}/without_tool.txt DESTINATION optinc)
  set(OPTINC_EXPERIMENTS OFF)
endif()
