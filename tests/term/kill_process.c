/* kill_process.c - see kill_process.h. */
#include "kill_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kill_check.h"

/* A recorder has a session of its own, but the directory of whoever started it. */
static bool is_recorder(const Process *p) {
    char path[64], directory[300];
    snprintf(path, sizeof path, "/proc/%d/cwd", (int)p->pid);
    ssize_t n = p->pid == p->session ? readlink(path, directory, sizeof directory - 1) : -1;
    return n > 0 && (size_t)n == strlen(kill_work) &&
           memcmp(directory, kill_work, (size_t)n) == 0 && strcmp(p->name, "lmp") == 0;
}

size_t process_list(pid_t session, Process *out, size_t room) {
    DIR *dir = opendir("/proc");
    size_t n = 0;
    for (struct dirent *e; dir && n < room && (e = readdir(dir));) {
        char path[64], text[512];
        if (e->d_name[0] < '1' || e->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", e->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
        if (fd >= 0) close(fd);
        if (got <= 0) continue;
        text[got] = 0;
        char *open_at = strchr(text, '('), *close_at = strrchr(text, ')');
        Process p = {.pid = (pid_t)atoi(e->d_name)};
        int parent, group, in;
        if (!open_at || !close_at ||
            sscanf(close_at + 2, "%c %d %d %d", &p.state, &parent, &group, &in) != 4)
            continue;
        p.parent = parent;
        p.session = in;
        *close_at = 0;
        snprintf(p.name, sizeof p.name, "%s", open_at + 1);
        if (p.session == session || is_recorder(&p)) out[n++] = p;
    }
    if (dir) closedir(dir);
    return n;
}

bool process_is_zombie(const Process *p) {
    return p->state == 'Z' || p->state == 'X';
}

pid_t process_find(const Plan *p, int victim, pid_t session, pid_t job) {
    Process all[64];
    size_t n = process_list(session, all, 64);
    for (size_t i = 0; i < n; i++) {
        const Process *x = &all[i];
        if (process_is_zombie(x) || x->pid == session) continue;
        bool relay = strcmp(x->name, "display-relay") == 0;
        if (victim == RUN && x->pid == job && strcmp(x->name, "lmp") == 0) return x->pid;
        if (victim == V_RELAY && relay) return x->pid;
        if (victim == V_PROGRAM && strncmp(x->name, "lua", 3) == 0) return x->pid;
        if (victim == V_SNAPSHOT && strcmp(x->name, "lmp-snapshot") == 0) return x->pid;
        if (victim == V_RECORDER && x->session != session) return x->pid;
        if (victim != V_VIEWER || x->pid == job || strcmp(x->name, "lmp") != 0) continue;
        for (size_t k = 0; k < n; k++) /* not the process that forks the relay */
            if (x->parent == all[k].pid &&
                (p->kind == K_TOP ? all[k].pid == job : strcmp(all[k].name, "display-relay") == 0))
                return x->pid;
    }
    return 0;
}
