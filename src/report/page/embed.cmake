# Makes OUT, htmlpage_head and htmlpage_tail of htmlpage_impl.h, from page.html in the folder HERE:
# what stands before and after the data, with a line of its own that names a file in place of the
# file.
file(READ ${HERE}/page.html page)
string(REPLACE "," ";" PARTS "${PARTS}")
foreach(name ${PARTS})
  file(READ ${HERE}/${name} part)
  string(REPLACE "/*${name}*/\n" "${part}" page "${page}")
endforeach()
string(FIND "${page}" "/*DATA*/" at)
string(SUBSTRING "${page}" 0 ${at} head)
math(EXPR at "${at} + 8")
string(SUBSTRING "${page}" ${at} -1 tail)
foreach(name head tail)
  file(WRITE ${OUT}.${name} "${${name}}")
  file(READ ${OUT}.${name} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," ${name} "${bytes}")
  file(REMOVE ${OUT}.${name})
endforeach()
file(WRITE ${OUT} "/* Made by embed.cmake. */\n#include \"report/page/htmlpage_impl.h\"\n\n"
  "const char htmlpage_head[] = {${head}0};\nconst char htmlpage_tail[] = {${tail}0};\n")
