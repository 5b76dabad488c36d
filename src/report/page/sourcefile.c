/* sourcefile.c - reads a regular file whole, if its name or text is a program's (linetext.h), and
 * notes where each line begins. */
#include "report/page/sourcefile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/format/linetext.h"

/* The file's bytes; NULL: it is no regular file, or too large, or there is no memory. Waits for no
 * pipe. */
static char *read_whole(const char *name, size_t *size) {
    struct stat st;
    char *text = NULL;
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return NULL;
    *size = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        st.st_size <= SOURCEFILE_BYTES)
        text = malloc((size_t)st.st_size);
    while (text && *size < (size_t)st.st_size) {
        ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);
        if (n <= 0) break;
        *size += (size_t)n;
    }
    close(fd);
    return text;
}

static bool find_lines(SourceFile *s) {
    uint32_t n = 1;
    for (size_t i = 0; i < s->size; i++)
        n += s->text[i] == '\n';
    s->line = malloc(((size_t)n + 1) * sizeof *s->line);
    if (!s->line) return false;
    s->lines = 0;
    s->line[s->lines++] = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->text[i] == '\n') s->line[s->lines++] = i + 1;
    s->line[s->lines] = s->size;
    return true;
}

bool sourcefile_open(SourceFile *s, const char *name) {
    memset(s, 0, sizeof *s);
    s->text = read_whole(name, &s->size);
    return s->text && linetext_is_program(name, s->text, s->size) && find_lines(s);
}

bool sourcefile_of(SourceFile *s, const char *text, size_t size) {
    *s = (SourceFile){.text = malloc(size + 1), .size = size};
    if (!s->text) return false;
    memcpy(s->text, text, size);
    return find_lines(s);
}

void sourcefile_close(SourceFile *s) {
    free(s->text);
    free(s->line);
    memset(s, 0, sizeof *s);
}
