# Fails where LOG, what Doxygen complained of, holds more than fields and short members of structs without a docstring.
file(STRINGS ${LOG} complaints)
list(FILTER complaints EXCLUDE REGEX "Member .* of (struct|class) .* is not documented")
list(LENGTH complaints count)
if(count)
  list(JOIN complaints "\n" text)
  message(FATAL_ERROR "Doxygen has ${count} complaints:\n${text}")
endif()
message(STATUS "Doxygen has no complaints")
