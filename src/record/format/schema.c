/* schema.c - reads the file's parts of this kind in order, until one can be read. */
#include "record/format/schema.h"

LmpErr schema_find(RecSchema *out, const RecScan *scan) {
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
