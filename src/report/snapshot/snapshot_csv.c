/* snapshot_csv.c - a row for every object, for spreadsheets and databases; `id` is its number in a
 * heapsnapshot of the same heap. */
#include <stdlib.h>

#include "report/snapshot/snapshotreport_impl.h"
#include "report/text.h"

static void put_object(FILE *out, const SnapshotRedact *r, const LmpSnapshot *s, uint32_t i,
                       uint32_t id) {
    char text[200];
    uint64_t born = snapshot_born(s, i);
    fprintf(out, "%u,0x%llx,%s,", id, (unsigned long long)s->g.addr[i],
            objectgraph_kind(s->g.kind[i]));
    text_csv(out, objecttext_class(r, s, i, text, sizeof text));
    text_csv_number(out, snapshot_counted(s, i));
    text_csv_number(out, s->g.size[i]);
    text_csv_number(out, s->retained[i]);
    fputc(',', out);
    if (!snapshot_garbage(s, i)) text_digits(out, s->distance[i]);
    text_csv_number(out, s->g.edge_at[i + 1] - s->g.edge_at[i]);
    text_csv_number(out, s->in_at[i + 1] - s->in_at[i]);
    fputc(',', out);
    text_csv(out, snapshot_site(s, i, text, sizeof text));
    fputc(',', out);
    if (born != UINT64_MAX) fprintf(out, "%llu", (unsigned long long)(born / 1000000));
    fputc(',', out);
    if (s->parent[i] != LMP_OBJECT_NONE && s->parent_edge[i] != LMP_OBJECT_NONE) {
        fprintf(out, "0x%llx,", (unsigned long long)s->g.addr[s->parent[i]]);
        text_csv(out, objecttext_step(r, s, s->parent[i], s->parent_edge[i], text, sizeof text));
    } else {
        fputc(',', out);
    }
    fputc('\n', out);
}

LmpErr snapshot_csv(const SnapshotReport *report, FILE *out) {
    SnapshotRedact redact;
    LmpErr err = objecttext_redact_open(&redact, report);
    if (err) return err;
    uint32_t *id = snapshotreport_ids(report->s);
    if (!id) {
        objecttext_redact_close(&redact);
        return LMP_E_NOMEM;
    }
    fputs("id,address,type,class,bytes,size,retained,distance,references_out,references_in,line,"
          "made_ms,held_by,reference\n",
          out);
    for (uint32_t i = 1; i < report->s->g.objects && !ferror(out); i++)
        put_object(out, &redact, report->s, i, id[i]);
    free(id);
    objecttext_redact_close(&redact);
    return LMP_OK;
}
