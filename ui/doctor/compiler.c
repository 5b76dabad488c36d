/* compiler.c - finds out which compiler made a file: maps the ELF file and reads its section
 * .comment, where compilers leave their names. The file is untrusted: every offset is checked. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/doctor.h"

typedef struct File {
    const char *bytes;
    size_t size;
} File;

static bool read_at(const File *f, uint64_t at, void *to, size_t size) {
    if (at > f->size || size > f->size - at) return false;
    memcpy(to, f->bytes + at, size);
    return true;
}

/* Each compiler leaves a text, and linkers join them: usually the last one belongs to the program's
 * own code, the first to the C library's startup code. */
static void read_comment(const File *f, uint64_t at, uint64_t length, char *out, size_t size) {
    if (at > f->size || length > f->size - at) return;
    for (uint64_t i = 0; i < length;) {
        const char *text = f->bytes + at + i;
        size_t n = strnlen(text, length - i);
        if (n > 0) snprintf(out, size, "%.*s", (int)(n < 200 ? n : 200), text);
        i += n + 1;
    }
}

static void find_comment(const File *f, char *out, size_t size) {
    ElfW(Ehdr) head;
    ElfW(Shdr) names, section;
    if (!read_at(f, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_shentsize != sizeof section ||
        !read_at(f, head.e_shoff + (uint64_t)head.e_shstrndx * sizeof names, &names, sizeof names))
        return;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        char name[sizeof ".comment"];
        if (read_at(f, head.e_shoff + (uint64_t)i * sizeof section, &section, sizeof section) &&
            read_at(f, names.sh_offset + section.sh_name, name, sizeof name) &&
            memcmp(name, ".comment", sizeof name) == 0)
            read_comment(f, section.sh_offset, section.sh_size, out, size);
    }
}

const char *compiler_of(const char *file, char *out, size_t size) {
    struct stat st;
    out[0] = '\0';
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return out;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        File f = {.size = (size_t)st.st_size};
        void *p = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            f.bytes = p;
            find_comment(&f, out, size);
            munmap(p, f.size);
        }
    }
    close(fd);
    return out;
}
