# Writes OUTPUT/optinc.1 and the completions of three shells, from what the program OPTINC says of itself.
cmake_minimum_required(VERSION 3.24)

function(ask answer)  # ask(VARIABLE ARGUMENT...): what optinc ARGUMENT... prints
  execute_process(COMMAND ${OPTINC} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "optinc ${ARGN} ended with exit status ${status}")
  endif()
  string(REPLACE "${OPTINC}" "optinc" text "${text}")  # not where it was compiled
  set(${answer} "${text}" PARENT_SCOPE)
endfunction()

function(roff answer text)  # as it stands on the terminal: no filling, and no character that troff would act on
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REPLACE "\n." "\n\\&." text "\n${text}")
  string(REPLACE "\n'" "\n\\&'" text "${text}")
  string(STRIP "${text}" text)
  set(${answer} ".nf\n${text}\n.fi\n" PARENT_SCOPE)
endfunction()

foreach(shell bash zsh fish)
  ask(script completion ${shell})
  if(shell STREQUAL "zsh")
    set(script "#compdef optinc\n${script}")  # zsh loads _optinc when optinc is first completed
  endif()
  file(WRITE ${OUTPUT}/optinc.${shell} "${script}")
endforeach()

ask(help --help)
roff(text "${help}")
set(page ".TH OPTINC 1 \"\" \"OptINC ${VERSION}\" \"User commands\"
.SH NAME
optinc \\- physics\\-level simulator of optical in\\-network computing
.SH DESCRIPTION
${text}")
string(REGEX MATCH "Subcommands:\n(.*)\n\n" list "${help}")
string(REGEX REPLACE "Subcommands:\n" "" list "${list}")
string(REGEX MATCHALL "(^|\n)  ?[a-z]+ " names "${list}")
if(NOT names)
  message(FATAL_ERROR "optinc --help lists no subcommands where cmake/texts.cmake looks for them")
endif()
foreach(name ${names})
  string(STRIP "${name}" name)
  ask(help ${name} --help)
  roff(text "${help}")
  string(TOUPPER "optinc ${name}" title)
  string(APPEND page ".SH ${title}\n${text}")
endforeach()
string(APPEND page ".SH SEE ALSO
.BR optinc\\-results ,
optinc explain KEY for the meaning of a parameter, ${VERSION}
")
file(WRITE ${OUTPUT}/optinc.1 "${page}")
