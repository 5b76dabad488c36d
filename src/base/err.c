/* err.c - names and messages of the errors in err.h. */
#include "base/err.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name, *message;
} table[LMP_ERRS] = {
#define LMP_ERR_ROW(code, name, message) [code] = {name, message},
    LMP_ERR_TABLE(LMP_ERR_ROW)
#undef LMP_ERR_ROW
};

const char *err_name(LmpErr err) {
    return (unsigned)err < LMP_ERRS ? table[err].name : "UNKNOWN";
}

const char *err_message(LmpErr err) {
    return (unsigned)err < LMP_ERRS ? table[err].message : "unknown error";
}

const char *err_of_file(int error) {
    if (error == EEXIST) return "what is there is no plain file, and is not replaced";
    if (error == EBUSY) return "another recording is being written there";
    return strerror(error);
}
