/* code.c - asks the loader (dl_iterate_phdr) for an address's module, and reads its build id. */
#include "agent/interp/code.h"

#include <link.h>
#include <string.h>

typedef struct Search {
    LmpCode *code;
    uintptr_t address;
} Search;

static void read_notes(LmpCode *code, const char *at, size_t size) {
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3,
               text = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        size_t whole = sizeof note + name + text;
        if (whole > size) return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at + sizeof note, "GNU", 4) == 0) {
            code->id_size = note.n_descsz < LMP_BUILD_ID ? note.n_descsz : LMP_BUILD_ID;
            memcpy(code->id, at + sizeof note + name, code->id_size);
        }
        at += whole;
        size -= whole;
    }
}

/* Returns true if all of it lies in one segment that is mapped and may be read. Tools that rewrite
 * files leave headers of notes that are not: the loader reads no such note. */
static bool readable(const struct dl_phdr_info *info, const ElfW(Phdr) * part) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        size_t at = part->p_vaddr - h->p_vaddr;
        if (h->p_type == PT_LOAD && h->p_flags & PF_R && at <= h->p_filesz &&
            part->p_memsz <= h->p_filesz - at)
            return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *ud) {
    (void)size;
    Search *search = ud;
    LmpCode *code = search->code;
    bool here = false;
    for (int i = 0; i < info->dlpi_phnum && !here; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + h->p_vaddr;
        here = h->p_type == PT_LOAD && search->address - begin < h->p_memsz;
        if (here) *code = (LmpCode){info->dlpi_addr, begin, begin + h->p_memsz, {0}, 0};
    }
    for (int i = 0; here && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_NOTE && readable(info, h))
            read_notes(code, (const char *)(info->dlpi_addr + h->p_vaddr), h->p_memsz);
    }
    return here;
}

bool code_find(LmpCode *code, uintptr_t address) {
    Search search = {code, address};
    return dl_iterate_phdr(look_at, &search) != 0;
}
