# Makes OUT, page_html of heapreport_impl.h, from the file PAGE.
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "/* Made by embed.cmake. */\n#include \"report/heap/heapreport_impl.h\"\n\n"
  "const char page_html[] = {${bytes}0};\n")
