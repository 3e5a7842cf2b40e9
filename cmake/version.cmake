# Writes OUTPUT, a header with version and git revision; leaves it untouched when nothing changed.
if(EXISTS ${SOURCE}/revision.txt)  # of a source distribution
  file(STRINGS ${SOURCE}/revision.txt revision)
else()
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT revision)
  set(revision "unknown")
endif()
if(NATIVE)
  set(target "native")
else()
  set(target "portable")
endif()
set(text "#pragma once
#define OPTINC_VERSION \"${VERSION}\"
#define OPTINC_GIT_REVISION \"${revision}\"
#define OPTINC_BUILD_TARGET \"${target}\"
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
