/* modules.c - lists the executable segments that the loader knows; the program itself has no path
 * there and gets that of /proc/self/exe. */
#include "agent/objects/modules.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "agent/interp/learning.h"

typedef struct List {
    LmpObjectModule *row;
    uint32_t rows;
} List;

static void name_module(LmpObjectModule *m, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    memcpy(m->name, name, n < sizeof m->name ? n : sizeof m->name - 1);
}

static int add(struct dl_phdr_info *info, size_t size, void *of) {
    List *list = of;
    char own[512] = "";
    const char *path = info->dlpi_name;
    (void)size;
    if (!*path && list->rows == 0 && readlink("/proc/self/exe", own, sizeof own - 1) > 0)
        path = own;
    for (int i = 0; i < info->dlpi_phnum && list->rows < LMP_OBJECT_MODULES; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
        LmpObjectModule *m = &list->row[list->rows++];
        m->base = info->dlpi_addr;
        m->begin = m->base + h->p_vaddr;
        m->end = m->begin + h->p_memsz;
        name_module(m, path);
    }
    return 0;
}

void modules_list(LmpObjectModule *out) {
    List list = {out, 0};
    int before = errno;
    learning_hold(); /* or a child forked meanwhile finds the loader's lock held */
    dl_iterate_phdr(add, &list);
    learning_let();
    errno = before;
}
