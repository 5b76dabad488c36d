/* recscan.c - the index, if the file has its end and the index leaves out no part; else head after
 * head, and after damage the next four bytes that begin a head whose checksum is right. */
#include "recording/format/recscan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/io.h"

enum {
    MOST_PARTS = 1 << 22,
    WINDOW = 64 << 10,
    LOOK_AGAIN = 256 << 20 /* bytes of damaged parts that are looked at for others, at most */
};

static bool add(RecScan *scan, const RecPart *part) {
    bool room = scan->parts < MOST_PARTS && array_room(&scan->part, &scan->room, scan->parts + 1);
    if (!room) return false;
    scan->part[scan->parts++] = *part;
    return true;
}

LmpErr recscan_read(const RecScan *scan, const RecPart *part, RecBytes *out) {
    out->n = 0;
    uint64_t at = part->place + REC_PART;
    if (at > scan->size || part->stored > scan->size - at) return LMP_E_DAMAGED;
    if (!bytes_room(out, (size_t)part->stored + 1)) return LMP_E_NOMEM;
    if (io_read_at(scan->fd, at, out->at, part->stored) != part->stored) return LMP_E_DAMAGED;
    out->n = part->stored;
    return LMP_OK;
}

/* ---- looking through it ---------------------------------------------------------------------- */

/* Returns where the next part begins from `at` on, after damage; the file's size: nowhere. */
static uint64_t next_part(const RecScan *scan, uint64_t at, RecPart *part) {
    uint8_t window[WINDOW + REC_PART];
    for (; at < scan->size; at += WINDOW) {
        size_t n = io_read_at(scan->fd, at, window, sizeof window);
        for (size_t i = 0; i + REC_PART <= n && i < WINDOW; i++)
            if (window[i] == (REC_SYNC & 255) && part_get(part, window + i, at + i)) return at + i;
    }
    return scan->size;
}

/* Returns where to look for the next part, as none is at `at`: within the last one, if bytes of
 * that are missing. */
static uint64_t look_from(const RecScan *scan, uint64_t at, uint64_t *work) {
    RecBytes stored = {0};
    const RecPart *last = scan->parts ? &scan->part[scan->parts - 1] : NULL;
    uint64_t cost = WINDOW + (last ? last->stored : 0);
    bool asked = last && last->place + REC_PART + last->stored == at && cost < *work;
    if (asked) *work -= cost;
    bool whole = !asked || recscan_read(scan, last, &stored) != LMP_OK ||
                 part_checksum(stored.at, stored.n) == last->checksum;
    bytes_free(&stored);
    return whole ? at : last->place + REC_PART;
}

static LmpErr look_through(RecScan *scan) {
    uint64_t at = scan->end, work = LOOK_AGAIN;
    while (at < scan->size) {
        uint8_t head[REC_PART];
        RecPart part = {0}, other;
        bool there =
            io_read_at(scan->fd, at, head, sizeof head) == sizeof head && part_get(&part, head, at);
        bool whole = there && part.stored <= scan->size - at - REC_PART;
        uint64_t next = at + REC_PART + part.stored;
        if (!whole) {
            uint64_t from = there ? at + REC_PART : look_from(scan, at, &work);
            next = next_part(scan, from, &other);
            if (next == scan->size) break; /* torn: no part comes any more */
            scan->lost += next - from;
        }
        if (there && part.kind != REC_INDEX && !add(scan, &part)) return LMP_E_NOMEM;
        if (whole && part.kind == REC_ENDED) scan->complete = true;
        at = scan->end = next;
    }
    return LMP_OK;
}

/* Bytes beyond the last whole part belong to none, unless they are the end. */
static void note_lost(RecScan *scan) {
    uint8_t end[REC_END];
    uint64_t rest = scan->size - scan->end;
    if (rest == REC_END && io_read_at(scan->fd, scan->end, end, sizeof end) == sizeof end &&
        rec_get64(end + 16) == REC_END_MAGIC) {
        scan->complete = true;
        rest = 0;
    }
    scan->lost += rest;
    scan->cut = rest;
}

/* ---- the index ------------------------------------------------------------------------------- */

static bool read_index(RecScan *scan, const RecBytes *plain, uint64_t index) {
    uint64_t last = REC_HEAD;
    for (size_t at = 0; at + 8 + REC_PART <= plain->n; at += 8 + REC_PART) {
        RecPart part;
        uint64_t place = rec_get64(plain->at + at);
        if (place != last || place > index || !part_get(&part, plain->at + at + 8, place) ||
            !add(scan, &part))
            return false;
        last = place + REC_PART + part.stored;
    }
    return last == index; /* it leaves none out */
}

static bool find_index(RecScan *scan) {
    uint8_t end[REC_END], head[REC_PART];
    RecPart part;
    RecBytes stored = {0}, plain = {0};
    if (scan->size < REC_HEAD + REC_PART + REC_END ||
        io_read_at(scan->fd, scan->size - REC_END, end, sizeof end) != sizeof end ||
        rec_get64(end + 16) != REC_END_MAGIC)
        return false;
    uint64_t place = rec_get64(end);
    if (place < REC_HEAD || place > scan->size - REC_END - REC_PART ||
        io_read_at(scan->fd, place, head, sizeof head) != sizeof head ||
        !part_get(&part, head, place) || part.kind != REC_INDEX ||
        place + REC_PART + part.stored != scan->size - REC_END)
        return false;
    RecPack *pack = pack_new();
    bool found = pack && recscan_read(scan, &part, &stored) == LMP_OK &&
                 pack_unpack(pack, &part, stored.at, &plain) == LMP_OK &&
                 read_index(scan, &plain, place);
    pack_free(pack);
    bytes_free(&stored);
    bytes_free(&plain);
    if (!found) scan->parts = 0;
    scan->complete = scan->indexed = found;
    if (!found) return false;
    scan->end = scan->size;
    /* The first version told no sum of the head: that is damaged, and rows would be read wrong. */
    if (scan->version == REC_VERSION_LINKED && rec_get32(end + 12)) scan->version = REC_VERSION;
    return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

static LmpErr open_scan(RecScan *scan) {
    uint8_t head[REC_HEAD];
    struct stat st;
    if (fstat(scan->fd, &st) != 0 || !S_ISREG(st.st_mode)) return LMP_E_FOREIGN;
    scan->size = (uint64_t)st.st_size;
    scan->device = st.st_dev;
    scan->inode = st.st_ino;
    if (io_read_at(scan->fd, 0, head, sizeof head) != sizeof head || rec_get64(head) != REC_MAGIC)
        return LMP_E_FOREIGN;
    scan->version = rec_get32(head + 8);
    if (scan->version < REC_VERSION_LINKED || scan->version > REC_VERSION) return LMP_E_VERSION;
    scan->generation = rec_get32(head + 12);
    scan->end = REC_HEAD;
    if (find_index(scan)) return LMP_OK;
    LmpErr err = look_through(scan);
    note_lost(scan);
    return err;
}

LmpErr recscan_open(RecScan *scan, int fd) {
    *scan = (RecScan){.fd = fd};
    LmpErr err = open_scan(scan);
    if (err) recscan_free(scan);
    return err;
}

LmpErr recscan_more(RecScan *scan) {
    uint8_t head[REC_HEAD];
    struct stat st;
    if (io_read_at(scan->fd, 0, head, sizeof head) != sizeof head || fstat(scan->fd, &st) != 0)
        return LMP_E_DAMAGED;
    bool other = st.st_dev != scan->device || st.st_ino != scan->inode;
    if (other || rec_get32(head + 12) != scan->generation || (uint64_t)st.st_size < scan->end) {
        uint32_t anew = scan->anew + 1;
        int fd = scan->fd;
        recscan_free(scan);
        LmpErr err = recscan_open(scan, fd);
        scan->anew = anew;
        return err;
    }
    scan->size = (uint64_t)st.st_size;
    scan->lost = 0;
    LmpErr err = scan->indexed ? LMP_OK : look_through(scan);
    note_lost(scan);
    return err;
}

void recscan_free(RecScan *scan) {
    free(scan->part);
    *scan = (RecScan){.fd = scan->fd};
}

uint32_t recscan_find(const RecScan *scan, uint64_t place) {
    uint32_t low = 0;
    BISECT(low, scan->parts, i, scan->part[i].place < place);
    return low < scan->parts && scan->part[low].place == place ? low : UINT32_MAX;
}

bool recscan_is_frame(const RecPart *part, uint64_t clock) {
    return part->kind == REC_LIVE_PART && part->clock >= clock;
}

const RecPart *recscan_tables(const RecScan *scan, const RecPart *frame) {
    uint32_t i = frame->flags & REC_OWN_TABLES ? recscan_find(scan, frame->tables) : UINT32_MAX;
    return i < scan->parts ? &scan->part[i] : NULL;
}

/* Reads parts of this kind in order, until one can be read. */
LmpErr recscan_schema(const RecScan *scan, RecSchema *out) {
    RecBytes stored = {0}, plain = {0};
    RecPack *pack = pack_new();
    LmpErr err = pack ? LMP_OK : LMP_E_NOMEM;
    for (uint32_t i = 0; i < scan->parts && out->groups == 0 && err != LMP_E_NOMEM; i++) {
        if (scan->part[i].kind != REC_SCHEMA) continue;
        err = recscan_read(scan, &scan->part[i], &stored);
        if (!err) err = pack_unpack(pack, &scan->part[i], stored.at, &plain);
        if (!err) err = coding_read_schema(out, plain.at, plain.n);
    }
    pack_free(pack);
    bytes_free(&stored);
    bytes_free(&plain);
    return err == LMP_E_NOMEM ? err : LMP_OK;
}

/* ---- a file that somebody else may still write to -------------------------------------------- */

/* A writer that begins while we hold the lock would be turned away, so it is held for no time at
 * all, and asked for only where nothing has come for a while. */
bool recscan_has_writer(int fd) {
    if (flock(fd, LOCK_SH | LOCK_NB) != 0) return true;
    flock(fd, LOCK_UN);
    return false;
}

static bool is_recording(int fd) {
    RecScan scan;
    if (recscan_open(&scan, fd) != LMP_OK) return false;
    recscan_free(&scan);
    return true;
}

bool recscan_reopen(int fd, const char *file) {
    struct stat ours, named;
    if (fstat(fd, &ours) != 0 || stat(file, &named) != 0) return false;
    if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) return false;
    int other = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (other < 0) return false;
    bool taken = is_recording(other) && dup3(other, fd, O_CLOEXEC) == fd;
    close(other);
    return taken;
}
