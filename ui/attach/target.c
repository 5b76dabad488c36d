/* target.c - reads /proc/PID/maps, finds the ELF files in it by their first page, and their
 * symbols as the loader does: in memory, by the dynamic section, so that stripped, deleted and
 * replaced files are no other case. */
#include "attach/target.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/os.h"
#include "shared/layout.h"

/* ---- memory ---------------------------------------------------------------------------------- */

bool target_read(const Target *target, uint64_t from, void *to, size_t n) {
    return lmp_os->peek_process((uint32_t)target->pid, from, to, n) == n;
}

bool target_read_text(const Target *target, uint64_t from, char *to, size_t size) {
    for (size_t i = 0; i + 1 < size; i++) {
        if (!target_read(target, from + i, to + i, 1)) break;
        if (!to[i]) return true;
        to[i + 1] = 0;
    }
    return false;
}

bool target_write(const Target *target, uint64_t to, const void *from, size_t n) {
    char name[40];
    snprintf(name, sizeof name, "/proc/%d/mem", (int)target->pid);
    int fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    bool written = pwrite(fd, from, n, (off_t)to) == (ssize_t)n;
    close(fd);
    return written;
}

/* ---- mappings -------------------------------------------------------------------------------- */

bool target_read_maps(Target *target) {
    char name[40], line[1200];
    uint32_t room = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)target->pid);
    FILE *f = fopen(name, "re");
    if (!f) return false;
    free(target->map);
    target->map = NULL;
    target->maps = 0;
    while (fgets(line, sizeof line, f)) {
        TargetMap m = {0};
        char rights[8];
        int at = 0;
        unsigned long from, to, offset;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &from, &to, rights, &offset, &at) < 4)
            continue;
        m.from = from, m.to = to, m.offset = offset;
        m.read = rights[0] == 'r', m.write = rights[1] == 'w', m.execute = rights[2] == 'x';
        line[strcspn(line, "\n")] = 0;
        snprintf(m.path, sizeof m.path, "%s", line + at);
        m.stack = strcmp(m.path, "[stack]") == 0;
        if (!array_room(&target->map, &room, target->maps + 1)) break;
        target->map[target->maps++] = m;
    }
    fclose(f);
    return target->maps > 0;
}

const TargetMap *target_map_of(const Target *target, uint64_t at) {
    uint32_t low = 0;
    BISECT(low, target->maps, i, target->map[i].to <= at);
    return low < target->maps && target->map[low].from <= at ? &target->map[low] : NULL;
}

uint64_t target_gap(const Target *target, uint64_t size) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (size_t i = target->maps; i-- > 1;) { /* near the libraries */
        uint64_t below = target->map[i - 1].to, from = target->map[i].from;
        if (from >> LMP_ADDRESS_BITS || target->map[i].stack) continue; /* the stack grows */
        if (from > below && from - below >= 4 * size) return (from - 2 * size) & ~(page - 1);
    }
    return 0;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Reads what the dynamic section says of symbols. */
static void read_dynamic(const Target *t, TargetObject *o, uint64_t at, uint64_t size) {
    for (uint64_t i = 0; i < size / sizeof(Elf64_Dyn) && i < 512; i++) {
        Elf64_Dyn d;
        if (!target_read(t, at + i * sizeof d, &d, sizeof d) || d.d_tag == DT_NULL) return;
        /* glibc has relocated these; musl and the kernel's own object have not */
        uint64_t value = d.d_un.d_ptr < o->base ? d.d_un.d_ptr + o->base : d.d_un.d_ptr;
        if (d.d_tag == DT_SYMTAB) o->symbols = value;
        if (d.d_tag == DT_STRTAB) o->strings = value;
        if (d.d_tag == DT_GNU_HASH) o->gnu_hash = value;
        if (d.d_tag == DT_HASH) o->hash = value;
    }
}

/* The rest of the last page of a segment of code: file or zeroes, which nobody reads there. */
static void note_cave(const Target *t, TargetObject *o, const Elf64_Phdr *ph) {
    uint64_t end = o->base + ph->p_vaddr + ph->p_filesz;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = (end + 15) & ~15ull;
    uint64_t to = (end + page - 1) & ~(page - 1);
    const TargetMap *map = target_map_of(t, end - 1);
    if (!map || !map->execute || map->to != to || to <= from) return;
    o->cave = from;
    o->cave_size = to - from;
}

static bool read_object(const Target *t, const TargetMap *map, TargetObject *o) {
    Elf64_Ehdr e;
    Elf64_Phdr ph[32];
    bool based = false;
    if (!target_read(t, map->from, &e, sizeof e) || memcmp(e.e_ident, ELFMAG, SELFMAG))
        return false;
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || !e.e_phnum || e.e_phnum > 32) return false;
    size_t n = e.e_phnum;
    if (!target_read(t, map->from + e.e_phoff, ph, n * sizeof *ph)) return false;
    *o = (TargetObject){0};
    snprintf(o->path, sizeof o->path, "%s", map->path);
    for (size_t i = 0; i < n && !based; i++) {
        if (ph[i].p_type != PT_LOAD) continue;
        o->base = map->from - (ph[i].p_vaddr - ph[i].p_offset);
        based = true;
    }
    for (size_t i = 0; i < n; i++) {
        if (ph[i].p_type == PT_DYNAMIC) read_dynamic(t, o, o->base + ph[i].p_vaddr, ph[i].p_memsz);
        if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X) note_cave(t, o, &ph[i]);
    }
    return based;
}

static bool read_objects(Target *t) {
    t->object = calloc(t->maps ? t->maps : 1, sizeof *t->object);
    if (!t->object) return false;
    for (size_t i = 0; i < t->maps; i++) {
        const TargetMap *m = &t->map[i];
        if (m->offset == 0 && m->read && m->path[0] == '/' &&
            read_object(t, m, &t->object[t->objects]))
            t->objects++;
    }
    return true;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static uint32_t gnu_hash(const char *name) {
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

/* Returns the address of symbol number i if it is defined there under this name. */
static uint64_t symbol_at(const Target *t, const TargetObject *o, uint32_t i, const char *name) {
    Elf64_Sym s;
    char text[64];
    if (!target_read(t, o->symbols + i * sizeof s, &s, sizeof s)) return 0;
    if (s.st_shndx == SHN_UNDEF || !s.st_value || ELF64_ST_TYPE(s.st_info) == STT_TLS) return 0;
    if (!target_read_text(t, o->strings + s.st_name, text, sizeof text)) return 0;
    return strcmp(text, name) == 0 ? o->base + s.st_value : 0;
}

static uint64_t find_by_gnu_hash(const Target *t, const TargetObject *o, const char *name) {
    uint32_t head[4], h = gnu_hash(name), at, hash; /* buckets, first, words of the filter, shift */
    if (!target_read(t, o->gnu_hash, head, sizeof head) || !head[0]) return 0;
    uint64_t buckets = o->gnu_hash + 16 + head[2] * 8ull, chains = buckets + head[0] * 4ull;
    if (!target_read(t, buckets + h % head[0] * 4ull, &at, 4)) return 0;
    for (uint32_t steps = 0; at >= head[1] && steps < 1 << 16; at++, steps++) {
        if (!target_read(t, chains + (at - head[1]) * 4ull, &hash, 4)) return 0;
        uint64_t found = (hash ^ h) >> 1 ? 0 : symbol_at(t, o, at, name);
        if (found || hash & 1) return found;
    }
    return 0;
}

static uint64_t find_by_hash(const Target *t, const TargetObject *o, const char *name) {
    uint32_t head[2];
    if (!target_read(t, o->hash, head, sizeof head)) return 0;
    for (uint32_t i = 1; i < head[1] && i < 1 << 20; i++) {
        uint64_t found = symbol_at(t, o, i, name);
        if (found) return found;
    }
    return 0;
}

uint64_t target_symbol(const Target *t, const TargetObject *o, const char *name) {
    if (!o->symbols || !o->strings) return 0;
    return o->gnu_hash ? find_by_gnu_hash(t, o, name) : o->hash ? find_by_hash(t, o, name) : 0;
}

uint64_t target_find(const Target *t, const char *name, const TargetObject **in) {
    for (size_t i = 0; i < t->objects; i++) {
        uint64_t at = target_symbol(t, &t->object[i], name);
        if (!at) continue;
        if (in) *in = &t->object[i];
        return at;
    }
    return 0;
}

/* ---- open and close -------------------------------------------------------------------------- */

bool target_open(Target *target, pid_t pid) {
    *target = (Target){.pid = pid};
    return target_read_maps(target) && read_objects(target) && target->objects > 0;
}

void target_close(Target *target) {
    free(target->map);
    free(target->object);
    *target = (Target){0};
}
