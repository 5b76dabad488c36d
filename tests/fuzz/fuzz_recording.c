/* fuzz_recording.c - a recording in which anything may stand: whoever reads it gets an error, or
 * states that can be looked at, but never crashes, hangs or leaks.
 *
 * An input is a row of overwritings of a sound recording, whose parts are not packed and get right
 * checksums afterwards (first byte even) or not (odd). Each is: part, place (2 bytes), length,
 * bytes. From 0xff on it is a file of its own. */
#include "record_fixture.h"

#include "read/ledger/ledger.h"
#include "read/stats.h"
#include "recording/format/recfile.h"
#include "recording/format/recscan.h"
#include "recording/reader/recording.h"
#include "recording/writer/recording_cut.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_ROWS 1024u /* in a table: large ones take their time, and nothing else */

static RecFile sound; /* its parts */
static uint8_t *bytes;
static FILE *nowhere;

/* ---- a sound recording ----------------------------------------------------------------------- */

static int record_some(void) {
    Recorded *s = recorded_new();
    LmpRecorder *r;
    uint64_t next;
    int fd = record_memfd();
    if (recorder_open(&r, &s->view, &(LmpRecorderOptions){.fd = fd, .again = "lmp run"})) abort();
    for (int i = 0; i < 12; i++) {
        recorded_change(s);
        if (i % 3 && recorder_tick(r, &s->view, record_clock, &next)) abort();
        if (i % 3 == 0 && recorder_frame(r, &s->view, record_clock)) abort();
        if (recorder_output(r, record_clock - s->header.start_clock, "text\n", 5)) abort();
        record_clock += SECOND / 5;
    }
    if (recorder_close(r, NULL, 1)) abort();
    recorded_free(s);
    return fd;
}

/* The same with all parts as they are before packing. */
static void unpack(int fd) {
    RecScan scan;
    RecBytes stored = {0}, plain = {0};
    RecPack *pack = pack_new();
    if (!pack || recscan_open(&scan, fd) || recfile_begin(&sound, record_memfd(), 0)) abort();
    for (uint32_t i = 0; i < scan.parts; i++) {
        RecPart part = scan.part[i];
        uint32_t base = recscan_find(&scan, part.base), tables = recscan_find(&scan, part.tables);
        if (part.packing == REC_ZSTD_BASE) {
            const RecPart *first = &scan.part[base];
            if (recscan_read(&scan, first, &stored)) abort();
            if (pack_unpack(pack, first, stored.at, &plain)) abort();
            pack_set_base(pack, plain.at, plain.n, false);
        }
        if (recscan_read(&scan, &scan.part[i], &stored)) abort();
        if (pack_unpack(pack, &part, stored.at, &plain)) abort();
        part.packing = REC_PLAIN;
        part.stored = part.plain;
        part.checksum = part_checksum(plain.at, plain.n);
        if (base < i) part.base = sound.part[base].place;
        if (tables < i) part.tables = sound.part[tables].place;
        if (recfile_put(&sound, &part, plain.at)) abort();
    }
    pack_free(pack);
    bytes_free(&stored);
    bytes_free(&plain);
    recscan_free(&scan);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    int fd = record_some();
    unpack(fd);
    close(fd);
    bytes = malloc(sound.size);
    if (!bytes || pread(sound.fd, bytes, sound.size, 0) != (ssize_t)sound.size) abort();
    nowhere = fopen("/dev/null", "w");
    return nowhere ? 0 : 1;
}

/* ---- looking --------------------------------------------------------------------------------- */

static void look_at(const LmpView *view) {
    static Ledger ledger;
    static LmpStats stats;
    stats_derive(view->live, view->live->clock, &stats);
    if (tables_records(&view->tables) > MOST_ROWS || tables_nodes(&view->tables) > MOST_ROWS ||
        tables_sites(&view->tables) > MOST_ROWS || tables_functions(&view->tables) > MOST_ROWS)
        return;
    ledger = (Ledger){0};
    ledger_refresh(&ledger, &view->tables, LEDGER_ALL, view->live->clock);
    ledger_free(&ledger);
}

static void look(const uint8_t *at, size_t n) {
    int fd = record_memfd();
    LmpRecording *r;
    if (pwrite(fd, at, n, 0) != (ssize_t)n) abort();
    if (recording_open_fd(&r, fd) == LMP_OK) {
        for (uint32_t i = 0; i < recording_frames(r) && i < 40; i++)
            if (recording_seek(r, i) == LMP_OK && i % 4 == 0) look_at(recording_view(r));
        for (uint32_t i = 0; i < recording_outputs(r); i++)
            recording_output(r, i);
        recording_close(r);
    }
    recording_dump(fd, false, nowhere);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    if (data[0] == 0xff) {
        look(data + 1, size - 1);
        return 0;
    }
    bool mend = data[0] % 2 == 0;
    uint8_t *now = malloc(sound.size);
    if (!now) abort();
    memcpy(now, bytes, sound.size);
    for (data++, size--; size >= 5;) {
        RecPart part = sound.part[data[0] % sound.parts];
        size_t at = (size_t)(data[1] | data[2] << 8), n = 1 + data[3] % 8;
        data += 4, size -= 4;
        if (n > size) n = size;
        uint8_t *stored = now + part.place + REC_PART;
        if (at < part.stored)
            memcpy(stored + at, data, n < part.stored - at ? n : part.stored - at);
        part.checksum = part_checksum(stored, part.stored);
        if (mend) part_put(stored - REC_PART, &part);
        data += n, size -= n;
    }
    look(now, sound.size);
    free(now);
    return 0;
}
