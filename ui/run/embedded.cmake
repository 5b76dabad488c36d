# Makes OUT, the table of embedded.h, of FILES, each as NAME=PATH: their bytes by the assembler, since a compiler takes
# long for them.
set(blocks "")
set(rows "")
foreach(row ${FILES})
  string(REGEX MATCH "^([^=]*)=(.*)$" all "${row}")
  set(name ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  string(MAKE_C_IDENTIFIER "${name}" word)
  string(REPLACE "/" "-" kept "${name}")
  file(SHA256 ${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND blocks "__asm__(\".section .rodata\\n.balign 16\\n.globl embedded_${word}, embedded_${word}_past\\n\"
    \"embedded_${word}:\\n.incbin \\\"${file}\\\"\\nembedded_${word}_past:\\n.previous\\n\");
extern const unsigned char embedded_${word}[], embedded_${word}_past[];\n")
  string(APPEND rows "    {\"${name}\", \"${hash}-${kept}\", embedded_${word}, embedded_${word}_past},\n")
endforeach()
file(WRITE ${OUT} "/* Made by embedded.cmake. */\n#include \"run/embedded.h\"\n\n${blocks}\n"
  "const Embedded embedded_files[] = {\n${rows}    {NULL, NULL, NULL, NULL},\n};\n")
