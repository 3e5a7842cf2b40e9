# The Python module needs nanobind 3, which Debian 12 does not have: pip installs it as a build requirement of the
# package (python/pyproject.toml). Another build has the module only where it is asked for, and compiles as it does without.
set(python_module_missing "build with -DOPTINC_PYTHON_MODULE=ON, without sanitizers")
if(NOT OPTINC_PYTHON_MODULE OR OPTINC_SANITIZE OR OPTINC_FUZZ)  # Python would have to be sanitized too
  return()
endif()
find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(Python_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET)
  find_package(nanobind 3 CONFIG QUIET)
endif()
if(nanobind_FOUND)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the libraries become part of a module
  return()
endif()
if(Python_FOUND)
  set(python_module_missing "${Python_EXECUTABLE} has no nanobind 3 (pip install 'nanobind>=3,<4')")
elseif(Python_Interpreter_FOUND)
  set(python_module_missing "${Python_EXECUTABLE} has no headers (Debian: python3-dev)")
else()
  set(python_module_missing "there is no Python 3.10 or newer (Debian: python3-dev)")
endif()
if(SKBUILD)
  message(FATAL_ERROR "The Python package cannot be built: ${python_module_missing}.")
endif()
message(STATUS "No Python module: ${python_module_missing}")
