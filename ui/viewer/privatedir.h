/* privatedir.h - a directory for files of this process that nobody else is to see, and which goes
 * with it. A process that is killed cannot remove its own: the next one that makes one of the same
 * name does it. A lock on the directory says that its owner is still there, whatever the
 * numbers of processes mean where it runs. */
#ifndef LMP_PRIVATEDIR_H
#define LMP_PRIVATEDIR_H

typedef struct PrivateDir {
    char path[256]; /* "": there is none */
    int lock;       /* descriptor of it; -1: none */
} PrivateDir;

/* Makes NAME-XXXXXX below $TMPDIR, or /tmp, after it has removed those whose owner has died.
 * Returns 0 or errno. */
int privatedir_open(PrivateDir *dir, const char *name);
/* Removes it, with the files in it. */
void privatedir_close(PrivateDir *dir);

#endif
