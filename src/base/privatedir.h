/* privatedir.h - a directory for files of this process that nobody else is to see, removed when the
 * process ends. A process that is killed cannot do that: the next one that makes a directory of the
 * same name does. A lock on the directory tells that its owner lives; unlike a pid, it means the
 * same in every pid namespace. */
#ifndef LMP_PRIVATEDIR_H
#define LMP_PRIVATEDIR_H

typedef struct PrivateDir {
    char path[256]; /* "": there is none */
    int lock;       /* descriptor of the directory; -1: none */
} PrivateDir;

/* Makes NAME-XXXXXX below $TMPDIR, or /tmp, and removes those whose owner has died. Returns 0 or
 * errno. */
int privatedir_open(PrivateDir *dir, const char *name);
/* Removes the directory, with the files in it. */
void privatedir_close(PrivateDir *dir);

#endif
