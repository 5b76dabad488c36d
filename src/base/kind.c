/* kind.c - the tables of kind.h. */
#include "base/kind.h"

const LmpKindInfo kind_info[LMP_KINDS] = {
    [LMP_STRING] = {"string", 's'},     [LMP_FUNCTION] = {"function", 'f'},
    [LMP_USERDATA] = {"userdata", 'u'}, [LMP_THREAD] = {"thread", 'r'},
    [LMP_TABLE] = {"table", 't'},       [LMP_OTHER] = {"other", 'o'},
};

/* kind + 1, so that a class without a row reads as LMP_OTHER */
static const struct {
    uint8_t tag, owner;
} pairs[LMP_CLASSES] = {
    [LMP_C_STRING] = {LMP_STRING + 1, LMP_STRING + 1},
    [LMP_C_FUNCTION] = {LMP_FUNCTION + 1, LMP_FUNCTION + 1},
    [LMP_C_USERDATA] = {LMP_USERDATA + 1, LMP_USERDATA + 1},
    [LMP_C_THREAD] = {LMP_THREAD + 1, LMP_THREAD + 1},
    [LMP_C_TABLE] = {LMP_TABLE + 1, LMP_TABLE + 1},
    [LMP_C_STRING_PART] = {LMP_OTHER + 1, LMP_STRING + 1},
    [LMP_C_FUNCTION_PART] = {LMP_OTHER + 1, LMP_FUNCTION + 1},
    [LMP_C_USERDATA_PART] = {LMP_OTHER + 1, LMP_USERDATA + 1},
    [LMP_C_THREAD_PART] = {LMP_OTHER + 1, LMP_THREAD + 1},
    [LMP_C_TABLE_PART] = {LMP_OTHER + 1, LMP_TABLE + 1},
};

LmpKind class_tag(unsigned cls) {
    unsigned k = cls < LMP_CLASSES ? pairs[cls].tag : 0;
    return k ? (LmpKind)(k - 1) : LMP_OTHER;
}

LmpKind class_owner(unsigned cls) {
    unsigned k = cls < LMP_CLASSES ? pairs[cls].owner : 0;
    return k ? (LmpKind)(k - 1) : LMP_OTHER;
}
