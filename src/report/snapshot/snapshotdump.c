/* snapshotdump.c - the head and the chunks are read here, byte by byte as they lie in the file, so
 * that a damaged one can be told about too; objects come from the reader that checks every index
 * (snapfile.h), or not at all. */
#include "report/snapshot/snapshotreport.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "read/view.h"
#include "shared/snapfile_impl.h"

typedef struct Dump {
    const SnapshotDump *what;
    FILE *out;
    int fd;
    uint64_t size; /* of the file, bytes */
    bool bad;
    unsigned char *stored; /* SNAPFILE_PLAIN: a chunk's bytes */
} Dump;

static bool read_all(const Dump *d, uint64_t at, void *out, size_t n) {
    return io_read_at(d->fd, at, out, n) == n;
}

static void damaged(Dump *d, uint64_t at, const char *what) {
    fprintf(d->out, "%" PRIu64 " %s\n", at, what);
    d->bad = true;
}

/* Bytes of a string of the program, in quotes: only what is printable ASCII stands as it is. */
static void put_bytes(FILE *out, const char *bytes, size_t n) {
    fputc('"', out);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 32 || c >= 127)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* ---- head and chunks ------------------------------------------------------------------------- */

/* Texts of a head may have no end. */
static void put_text(FILE *out, const char *name, const char *text, size_t size) {
    size_t n = strnlen(text, size);
    if (n == 0) return;
    fprintf(out, "  %s: ", name);
    put_bytes(out, text, n);
    fputc('\n', out);
}

static void put_head(Dump *d, const LmpSnapHead *h, bool right) {
    const LmpObjectInfo *i = &h->info;
    FILE *out = d->out;
    fprintf(out, "heap snapshot, version %u, %" PRIu64 " bytes\n", h->version, d->size);
    fprintf(out, "0 head: %zu bytes, checksum %016" PRIx64 "%s\n", sizeof *h, h->checksum,
            right ? "" : ", wrong");
    put_text(out, "program", i->program, sizeof i->program);
    put_text(out, "lua", i->lua, sizeof i->lua);
    put_text(out, "lmp", i->lmp, sizeof i->lmp);
    put_text(out, "why in place", i->why_in_place, sizeof i->why_in_place);
    fprintf(out, "  pid %u, state %u, snapshot %u\n", i->pid, i->serial, i->number);
    fprintf(out, "  taken: %s%s%s, realtime %" PRIu64 " ns, clock %" PRIu64 " ns\n",
            i->taken == LMP_TAKEN_FORKED ? "forked" : "in place", i->collected ? ", collected" : "",
            i->paused ? ", paused" : "", i->realtime, i->clock);
    fprintf(out, "  stop %" PRIu64 " ns, walk %" PRIu64 " ns\n", i->stop, i->walk);
    fprintf(out, "  live: %" PRIu64 " bytes, %" PRIu64 " blocks\n", i->live_bytes, i->live_blocks);
    fprintf(out, "  objects %u, edges %u, wides %u, frames %u, slots %u, text %" PRIu64 " bytes\n",
            h->objects, h->edges, h->wides, h->frames, h->slots, h->text_bytes);
    for (uint32_t kind = 1; kind < LMP_OBJECT_KINDS; kind++)
        fprintf(out, "  %s: %u\n", objectgraph_kind(kind), h->count[kind]);
    for (const LmpObjectModule *m = i->module; m < i->module + LMP_OBJECT_MODULES && m->end; m++) {
        fprintf(out, "  0x%" PRIx64 " to 0x%" PRIx64 ", less 0x%" PRIx64, m->begin, m->end,
                m->base);
        put_text(out, "", m->name, sizeof m->name);
    }
    if (h->state) fprintf(out, "  shared state, layout %u\n", h->layout);
}

static LmpErr dump_head(Dump *d) {
    LmpSnapHead head = {0};
    size_t n = d->size < sizeof head ? (size_t)d->size : sizeof head;
    if (n < sizeof head.magic || !read_all(d, 0, &head, n) || head.magic != LMP_SNAPFILE_MAGIC)
        return LMP_E_FOREIGN;
    if (n < sizeof head) {
        fprintf(d->out, "heap snapshot, %" PRIu64 " bytes\n", d->size);
        damaged(d, 0, "head: cut off");
        return LMP_OK;
    }
    if (head.version != LMP_SNAPFILE_VERSION || head.head_size != sizeof head ||
        head.info_size != sizeof head.info || head.columns != LMP_SNAP_COLUMNS)
        return LMP_E_VERSION;
    bool right = head.checksum == snapfile_checksum(&head, offsetof(LmpSnapHead, checksum), 0);
    put_head(d, &head, right);
    if (!right) d->bad = true;
    return LMP_OK;
}

static const char *section_name(uint32_t section) {
    if (section == LMP_SNAPFILE_END) return "end";
    if (section < LMP_SNAP_COLUMNS) return objectgraph_columns[section].name;
    section -= LMP_SNAP_COLUMNS;
    return section < SNAPFILE_PARTS ? snapfile_parts[section].name : "unknown";
}

/* Lists all chunks, as far as their lengths lead from one to the next. */
static void dump_chunks(Dump *d) {
    uint64_t at = sizeof(LmpSnapHead);
    LmpSnapChunk chunk = {0};
    while (at < d->size && chunk.section != LMP_SNAPFILE_END) {
        if (d->size - at < sizeof chunk || !read_all(d, at, &chunk, sizeof chunk)) {
            damaged(d, at, "cut off");
            return;
        }
        if (chunk.plain > SNAPFILE_PLAIN || chunk.stored > chunk.plain) {
            damaged(d, at, "no chunk");
            return;
        }
        fprintf(d->out, "%" PRIu64 " %s: %u of %u bytes, checksum %016" PRIx64, at,
                section_name(chunk.section), chunk.stored, chunk.plain, chunk.checksum);
        if (d->size - at - sizeof chunk < chunk.stored) {
            fputc('\n', d->out);
            damaged(d, at, "cut off");
            return;
        }
        bool right = read_all(d, at + sizeof chunk, d->stored, chunk.stored) &&
                     snapfile_chunk_checksum(&chunk, d->stored) == chunk.checksum;
        fputs(right ? "\n" : ", wrong\n", d->out);
        d->bad |= !right;
        at += sizeof chunk + chunk.stored;
    }
    if (chunk.section != LMP_SNAPFILE_END)
        damaged(d, at, "cut off");
    else if (at < d->size)
        damaged(d, at, "more than a snapshot has");
}

/* ---- who made what --------------------------------------------------------------------------- */

static void put_table_text(FILE *out, const char *name, const LmpTables *t, uint32_t at) {
    char text[300];
    tables_text(t, at, text, sizeof text);
    if (!*text) return;
    fprintf(out, " %s ", name);
    put_bytes(out, text, strlen(text));
}

static void put_tables(FILE *out, const LmpTables *t) {
    uint32_t functions = tables_functions(t), sites = tables_sites(t), records = tables_records(t);
    fprintf(out, "functions\n");
    for (uint32_t i = 1; i < functions; i++) {
        fprintf(out, "  %u:", i);
        put_table_text(out, "name", t, t->function[i].name);
        put_table_text(out, "qualified", t, t->function[i].qualified);
        put_table_text(out, "source", t, t->function[i].short_src);
        fprintf(out, " line %d\n", t->function[i].linedefined);
    }
    fprintf(out, "sites\n");
    for (uint32_t i = 1; i < sites; i++) {
        const LmpSite *s = &t->site[i];
        fprintf(out, "  %u: function %u, line %d", i, s->function, s->line);
        if (s->cfunction) fprintf(out, ", calls function %u", s->cfunction);
        fputc('\n', out);
    }
    fprintf(out, "records\n");
    for (uint32_t i = 1; i < records; i++) {
        const LmpRecord *r = &t->record[i];
        fprintf(out, "  %u: site %u, class %u, tag %u, allocs %" PRIu64 ", bytes %" PRIu64, i,
                r->site, r->use.cls, r->use.tag, r->use.allocs, r->use.bytes);
        fprintf(out, ", frees %" PRIu64 ", free bytes %" PRIu64 "\n", r->use.frees,
                r->use.free_bytes);
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct Objects {
    FILE *out;
    const LmpObjectGraph *g;
    uint32_t *ordinal;
    uint64_t *text; /* of each string, by ordinal: where it begins */
} Objects;

static void put_string(const Objects *o, uint32_t object) {
    uint32_t row = o->ordinal[object];
    put_bytes(o->out, o->g->text + o->text[row], o->g->string_shown[row]);
    if (o->g->string_shown[row] < o->g->string_length[row]) fputs("...", o->out);
}

/* Prints what only objects of its kind have. */
static void put_kind(const Objects *o, uint32_t object) {
    const LmpObjectGraph *g = o->g;
    uint32_t k = o->ordinal[object];
    FILE *out = o->out;
    switch (g->kind[object]) {
    case LMP_OBJECT_STRING:
        fprintf(out, ", length %" PRIu64 ", hash %016" PRIx64 ", ", g->string_length[k],
                g->string_hash[k]);
        put_string(o, object);
        break;
    case LMP_OBJECT_TABLE:
        fprintf(out, ", array %u of %u, hash %u of %u", g->table_array_used[k], g->table_array[k],
                g->table_hash_used[k], g->table_hash[k]);
        break;
    case LMP_OBJECT_C_FUNCTION:
        fprintf(out, ", function at 0x%" PRIx64, g->c_address[k]);
        break;
    case LMP_OBJECT_USERDATA:
        fprintf(out, ", %" PRIu64 " bytes for C", g->userdata_bytes[k]);
        break;
    case LMP_OBJECT_THREAD:
        fprintf(out, ", status %u, %u frames, stack %u of %u", g->thread_status[k],
                g->thread_frames[k], g->thread_stack_used[k], g->thread_stack[k]);
        break;
    case LMP_OBJECT_PROTO:
        fprintf(out, ", lines %" PRId32 " to %" PRId32 ", %u instructions, source object %u",
                (int32_t)g->proto_line[k], (int32_t)g->proto_last[k], g->proto_code[k],
                g->proto_source[k]);
        break;
    case LMP_OBJECT_LOT:
        fprintf(out, ", %s, %u blocks", objectgraph_lot(g->lot_what[k]), g->lot_blocks[k]);
        break;
    default:
        break;
    }
}

static void put_flags(const Objects *o, uint32_t object) {
    static const char *const name[8] = {"before",     "weak keys", "weak values", "finalizer",
                                        "finalizing", "fixed",     "open",        "long"};
    for (unsigned bit = 0; bit < 8; bit++)
        if (o->g->flags[object] >> bit & 1) fprintf(o->out, ", %s", name[bit]);
}

static void put_edge(const Objects *o, uint32_t edge) {
    static const char *const name[LMP_EDGES] = {
        "root",     "field", "index",     "integer", "float",  "boolean",    "light",
        "object",   "key",   "metatable", "upvalue", "value",  "user value", "code",
        "constant", "debug", "call",      "local",   "thread", "lot"};
    const LmpObjectGraph *g = o->g;
    uint32_t label = g->edge_label[edge], kind = g->edge_kind[edge] & LMP_EDGE_KIND;
    double number;
    fprintf(o->out, "    %u %s ", g->edge_to[edge], name[kind]);
    switch (kind) {
    case LMP_EDGE_ROOT:
        fputs(objectgraph_root(label), o->out);
        break;
    case LMP_EDGE_FIELD:
        put_string(o, label);
        break;
    case LMP_EDGE_INTEGER:
        fprintf(o->out, "%" PRId64, g->wide[label]);
        break;
    case LMP_EDGE_FLOAT:
        memcpy(&number, &g->wide[label], sizeof number);
        fprintf(o->out, "%.17g", number);
        break;
    case LMP_EDGE_LIGHT:
        fprintf(o->out, "0x%" PRIx64, (uint64_t)g->wide[label]);
        break;
    case LMP_EDGE_LOT:
        fputs(objectgraph_lot(label), o->out);
        break;
    case LMP_EDGE_CALL:
        fprintf(o->out, "frame %u, function %u, line %d", label, g->frame_function[label],
                g->frame_line[label]);
        break;
    case LMP_EDGE_LOCAL:
        if (g->slot_name[label]) put_string(o, g->slot_name[label]);
        fprintf(o->out, " slot %u", g->slot_number[label]);
        if (g->slot_frame[label] != LMP_OBJECT_NONE)
            fprintf(o->out, " of frame %u", g->slot_frame[label]);
        break;
    default:
        fprintf(o->out, "%u", label);
        break;
    }
    if (g->edge_kind[edge] & LMP_EDGE_WEAK) fputs(", weak", o->out);
    if (g->edge_kind[edge] & LMP_EDGE_EPHEMERON) fprintf(o->out, ", while %u is held", label);
    fputc('\n', o->out);
}

static void put_objects(const Objects *o, uint32_t most) {
    const LmpObjectGraph *g = o->g;
    fprintf(o->out, "objects\n");
    for (uint32_t i = 0; i < g->objects && i < most; i++) {
        fprintf(o->out, "  %u %s: %" PRIu64 " bytes at 0x%" PRIx64, i, objectgraph_kind(g->kind[i]),
                g->size[i], g->addr[i]);
        if (g->context[i]) fprintf(o->out, ", context %u", g->context[i]);
        if (g->birth[i]) fprintf(o->out, ", birth 0x%08x", g->birth[i]);
        put_flags(o, i);
        put_kind(o, i);
        fputc('\n', o->out);
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
            put_edge(o, e);
    }
    if (g->objects > most) fprintf(o->out, "  %u more objects\n", g->objects - most);
}

static LmpErr dump_objects(const Dump *d, const LmpObjectGraph *g) {
    Objects o = {.out = d->out, .g = g};
    o.ordinal = calloc((size_t)g->objects + 1, sizeof *o.ordinal);
    o.text = calloc((size_t)g->count[LMP_OBJECT_STRING] + 1, sizeof *o.text);
    if (o.ordinal && o.text) {
        objectgraph_ordinals(g, o.ordinal);
        for (uint32_t i = 0; i < g->count[LMP_OBJECT_STRING]; i++)
            o.text[i + 1] = o.text[i] + g->string_shown[i];
        put_objects(&o, d->what->objects);
    }
    LmpErr err = o.ordinal && o.text ? LMP_OK : LMP_E_NOMEM;
    free(o.ordinal);
    free(o.text);
    return err;
}

static LmpErr dump_content(Dump *d) {
    LmpSnapRead read;
    LmpView view;
    LmpErr err = snapfile_read(&read, d->fd);
    if (err == LMP_E_NOMEM) return err;
    if (err) {
        damaged(d, read.bad_at, "damaged: its objects cannot be told");
        return LMP_OK;
    }
    if (read.whole && view_open_whole(&view, read.whole) == LMP_OK) {
        if (view.tables.text) put_tables(d->out, &view.tables);
        view_close(&view);
    } else if (read.whole) {
        fprintf(d->out, "shared state: damaged\n");
        d->bad = true;
    }
    err = dump_objects(d, &read.graph);
    snapfile_free(&read);
    return err;
}

LmpErr snapshotdump_write(const SnapshotDump *dump, int fd, FILE *out) {
    struct stat st;
    Dump d = {.what = dump, .out = out, .fd = fd};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return LMP_E_FOREIGN;
    d.size = (uint64_t)st.st_size;
    d.stored = malloc(SNAPFILE_PLAIN);
    if (!d.stored) return LMP_E_NOMEM;
    LmpErr err = dump_head(&d);
    if (!err && !d.bad) dump_chunks(&d);
    if (!err && !d.bad && !dump->heads) err = dump_content(&d);
    free(d.stored);
    return err ? err : d.bad ? LMP_E_DAMAGED : LMP_OK;
}
