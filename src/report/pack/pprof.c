/* pprof.c - the parts of a profile that are the same whatever it is of. */
#include "report/pack/pprof.h"

bool pprof_open(Pprof *p, FILE *out) {
    *p = (Pprof){0};
    return texttable_open(&p->texts, "") && (p->gzip = gzip_open(out));
}

void pprof_text(Pprof *p, Protobuf *b, unsigned field, const char *text) {
    protobuf_number(b, field, texttable_text(&p->texts, text));
}

void pprof_type(Pprof *p, unsigned field, const char *type, const char *unit) {
    pprof_text(p, &p->message, 1, type);
    pprof_text(p, &p->message, 2, unit);
    protobuf_message(&p->out, field, &p->message);
}

void pprof_mapping(Pprof *p, unsigned has) {
    protobuf_number(&p->message, 1, 1);
    for (unsigned field = 7; field <= has; field++)
        protobuf_number(&p->message, field, 1);
    protobuf_message(&p->out, 3, &p->message);
}

void pprof_flush(Pprof *p) {
    if (p->out.used > 1u << 16) gzip_put(p->gzip, &p->out);
}

static void put_texts(Pprof *p) {
    const TextTable *t = &p->texts;
    for (uint32_t text = 0; text < t->texts; text++) {
        protobuf_bytes(&p->out, 6, t->bytes + t->at[text], t->at[text + 1] - t->at[text]);
        pprof_flush(p);
    }
}

bool pprof_close(Pprof *p) {
    bool made = p->gzip;
    if (made) {
        put_texts(p);
        p->out.failed = p->out.failed || p->texts.failed || p->message.failed || p->part.failed;
        gzip_put(p->gzip, &p->out);
        made = gzip_close(p->gzip);
    }
    protobuf_free(&p->out);
    protobuf_free(&p->message);
    protobuf_free(&p->part);
    texttable_close(&p->texts);
    return made;
}
