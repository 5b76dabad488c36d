/* linetext.c - reads each source file once, below the program's directory, if it has not changed
 * since the start, and keeps a hash for each line; texts of small files wait to be taken. */
#include "recording/format/linetext.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

typedef struct TextFile {
    char *source;
    char *text; /* to be taken; NULL: it is not kept, or was taken */
    size_t size;
    uint32_t *hash; /* of each line; NULL: it cannot be read */
    uint32_t lines;
} TextFile;

struct LineTexts {
    int directory; /* the program's, which may be gone by the time that a file is read; -1: none */
    uint64_t start;
    size_t kept, most;    /* bytes of texts, all so far, taken ones included */
    uint32_t taken;       /* files before this one */
    uint32_t files, last; /* `last`: the one asked for last, most often the next one, too */
    TextFile file[LINETEXT_FILES];
};

bool linetexts_directory(uint32_t pid, char *out, size_t size) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/cwd", pid);
    ssize_t n = pid ? readlink(path, out, size) : -1;
    if (n < 0) return getcwd(out, size) != NULL;
    if ((size_t)n >= size) return false;
    out[n] = 0;
    return *out == '/';
}

LineTexts *linetexts_new(uint32_t pid, uint64_t start, const char *directory) {
    LineTexts *texts = calloc(1, sizeof *texts);
    if (!texts) return NULL;
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/cwd", pid);
    texts->directory = open(directory ? directory : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (texts->directory < 0) texts->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    texts->start = start;
    return texts;
}

void linetexts_free(LineTexts *texts) {
    for (uint32_t i = 0; texts && i < texts->files; i++) {
        free(texts->file[i].source);
        free(texts->file[i].text);
        free(texts->file[i].hash);
    }
    if (texts) io_close(&texts->directory);
    free(texts);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* FNV-1a. */
uint32_t linetext_hash(const char *text, size_t n) {
    uint32_t h = 2166136261u;
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    while (n > 0 && is_blank(*text))
        text++, n--;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ? h : 1;
}

/* Opens a regular file that has not changed since the start: a pipe would make us wait. */
static int open_file(const LineTexts *texts, const char *name, size_t *size) {
    struct stat st;
    int fd = openat(texts->directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return -1;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LINETEXT_BYTES;
    uint64_t changed = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    if (good && (texts->start == 0 || changed <= texts->start)) {
        *size = (size_t)st.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

static char *read_file(int fd, size_t size) {
    char *text = malloc(size + 1);
    if (text && io_read_at(fd, 0, text, size) == size) return text;
    free(text);
    return NULL;
}

static void split(TextFile *file, const char *text, size_t size) {
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    file->hash = malloc(lines * sizeof *file->hash);
    for (size_t at = 0; file->hash && file->lines < lines; file->lines++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) - at : size - at;
        file->hash[file->lines] = linetext_hash(text + at, n);
        at += n + (end != NULL);
    }
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool linetext_is_program(const char *name, const char *text, size_t size) {
    static const char *const ends[] = {".lua", ".tl", ".moon", ".fnl", ".lp"};
    if (memchr(text, 0, size)) return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i])) return true;
    return size > 2 && memcmp(text, "#!", 2) == 0;
}

static bool may_keep(const LineTexts *texts, const char *name, const char *text, size_t size) {
    return linetext_is_program(name, text, size) && size <= LINETEXT_KEPT &&
           texts->kept < texts->most && size <= texts->most - texts->kept;
}

static void load(LineTexts *texts, TextFile *file) {
    size_t size;
    int fd = *file->source == '@' && texts->directory >= 0
                 ? open_file(texts, file->source + 1, &size)
                 : -1;
    if (fd < 0) return;
    char *text = read_file(fd, size);
    io_close(&fd);
    if (text) split(file, text, size);
    if (!text || !may_keep(texts, file->source + 1, text, size)) {
        free(text);
        return;
    }
    file->text = text;
    file->size = size;
    texts->kept += size;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static TextFile *new_file(LineTexts *texts, const char *source) {
    TextFile *file = &texts->file[texts->files];
    if (texts->files == LINETEXT_FILES || !(file->source = strdup(source))) return NULL;
    texts->last = texts->files++;
    return file;
}

static TextFile *file_of(LineTexts *texts, const char *source) {
    if (texts->files && strcmp(texts->file[texts->last].source, source) == 0)
        return &texts->file[texts->last];
    for (uint32_t i = 0; i < texts->files; i++) {
        if (strcmp(texts->file[i].source, source) != 0) continue;
        texts->last = i;
        return &texts->file[i];
    }
    TextFile *file = new_file(texts, source);
    if (file) load(texts, file);
    return file;
}

uint32_t linetexts_hash(LineTexts *texts, const char *source, int32_t line) {
    if (!texts || line < 1 || *source != '@') return 0;
    const TextFile *file = file_of(texts, source);
    return file && file->hash && (uint32_t)line <= file->lines ? file->hash[line - 1] : 0;
}

/* ---- texts that are kept --------------------------------------------------------------------- */

void linetexts_keep(LineTexts *texts, size_t most) {
    if (texts) texts->most = most;
}

const char *linetexts_take(LineTexts *texts, const char **source, size_t *n) {
    if (!texts) return NULL;
    if (texts->taken > 0) {
        free(texts->file[texts->taken - 1].text);
        texts->file[texts->taken - 1].text = NULL;
    }
    while (texts->taken < texts->files) {
        const TextFile *file = &texts->file[texts->taken++];
        if (!file->text) continue;
        *source = file->source;
        *n = file->size;
        return file->text;
    }
    return NULL;
}

void linetexts_set(LineTexts *texts, const char *source, const char *text, size_t n) {
    TextFile *file = texts ? new_file(texts, source) : NULL;
    if (!file) return;
    split(file, text, n);
    texts->kept += n;
}
