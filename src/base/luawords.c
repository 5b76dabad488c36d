/* luawords.c - the list of names in the standard libraries, and a scan of a text word by word
 * against it. */
#include "base/luawords.h"

#include <string.h>

bool luawords_in(const char *list, const char *word, size_t n) {
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, word, n) == 0) return true;
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

/* The standard libraries' names, and those under which lmp is known. */
static const char standard[] =
    "_G assert collectgarbage dofile error getmetatable ipairs load loadfile next pairs pcall "
    "print "
    "rawequal rawget rawlen rawset require select setmetatable tonumber tostring type warn xpcall "
    "coroutine close create isyieldable resume running status wrap yield "
    "debug gethook getinfo getlocal getregistry getupvalue getuservalue sethook setlocal "
    "setupvalue setuservalue traceback upvalueid upvaluejoin setcstacklimit "
    "io flush input lines open output popen read seek setvbuf stderr stdin stdout tmpfile write "
    "math abs acos asin atan ceil cos deg exp floor fmod log max min modf rad random randomseed "
    "sin sqrt tan tointeger ult os clock date difftime execute exit getenv remove rename setlocale "
    "time tmpname package loadlib searchpath string byte char dump find format gmatch gsub len "
    "lower match pack packsize rep reverse sub unpack upper table concat insert move sort utf8 "
    "codepoint codes offset for iterator index newindex add mul mod pow div idiv band bor bxor shl "
    "shr unm bnot lt le eq call gc mode luamemprofiler lmp";

static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(unsigned char c) {
    return c >= '0' && c <= '9';
}

bool luawords_only(const char *text, size_t n, const char *more) {
    for (size_t i = 0; i < n;) {
        size_t word = i;
        while (word < n &&
               (is_letter((unsigned char)text[word]) || is_digit((unsigned char)text[word])))
            word++;
        if (is_digit((unsigned char)text[i]))
            for (size_t k = i; k < word; k++)
                if (!is_digit((unsigned char)text[k])) return false;
        if (is_letter((unsigned char)text[i]) && !luawords_in(standard, text + i, word - i) &&
            !luawords_in(more, text + i, word - i))
            return false;
        if (word == i && !memchr(" .:,()[]{}=*<>", text[i], 14)) return false;
        i = word + (word == i);
    }
    return true;
}
