# Makes OUT, the table term_entries of term_impl.h, of the terminals NAMES, as the system's infocmp knows them.
set(rows "")
foreach(name ${NAMES})
  execute_process(COMMAND infocmp -x -0 -Q2 -q ${name} OUTPUT_VARIABLE entry RESULT_VARIABLE status)
  string(STRIP "${entry}" entry)
  if(status EQUAL 0 AND entry MATCHES "^b64:")
    string(APPEND rows "    {\"${name}\", \"${entry}\"},\n")
  else()
    message(FATAL_ERROR "infocmp knows no ${name}: install ncurses-bin and ncurses-base")
  endif()
endforeach()
file(WRITE ${OUT} "/* Made by entries.cmake. */\n#include \"terminal/term_impl.h\"\n\n"
  "const TermEntry term_entries[] = {\n${rows}    {NULL, NULL},\n};\n")
