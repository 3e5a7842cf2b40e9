# Fails where LOG, what Doxygen complained of, holds more than fields without a docstring of their own, and operators and
# moves, of which there is nothing to say.
file(STRINGS ${LOG} complaints)
list(FILTER complaints EXCLUDE REGEX "Member .* \\((variable|enumeration|enumvalue|typedef)\\) of (struct|class) .* is not documented")
list(FILTER complaints EXCLUDE REGEX "Member (operator|[A-Za-z]*\\([A-Za-z]* &&[a-z]*\\)).* of (struct|class) .* is not documented")
list(LENGTH complaints count)
if(count)
  list(JOIN complaints "\n" text)
  message(FATAL_ERROR "Doxygen has ${count} complaints:\n${text}")
endif()
message(STATUS "Doxygen has no complaints")
