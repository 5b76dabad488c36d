# Makes OUT, a TABLE of HEADER (rows: name, text, length), from the files PROGRAMS.
set(texts "")
set(rows "")
set(n 0)
foreach(program ${PROGRAMS})
  get_filename_component(name ${program} NAME)
  file(READ ${program} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND texts "static const char text${n}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", text${n}, sizeof text${n} - 1},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by embed.cmake. */\n#include \"${HEADER}\"\n\n${texts}\n"
  "const ${TABLE}[] = {\n${rows}    {NULL, NULL, 0},\n};\n")
