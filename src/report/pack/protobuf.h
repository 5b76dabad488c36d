/* protobuf.h - protocol buffers, written by hand, and gzip: messages go out as they are made, so
 * that a profile of a million samples is never in memory as a whole. */
#ifndef LMP_PROTOBUF_H
#define LMP_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Protobuf {
    unsigned char *at;
    size_t used;
    uint32_t room;
    bool failed; /* no memory */
} Protobuf;

void protobuf_varint(Protobuf *b, uint64_t n);
/* Puts a field that is a number. */
void protobuf_number(Protobuf *b, unsigned field, uint64_t n);
/* Puts a field of bytes: a text, packed numbers. */
void protobuf_bytes(Protobuf *b, unsigned field, const void *bytes, size_t n);
/* Puts a message as a field of another one; empties it. */
void protobuf_message(Protobuf *b, unsigned field, Protobuf *message);
void protobuf_free(Protobuf *b);

/* Compresses to a FILE; its header has no time, so the same content gives the same bytes. */
typedef struct Gzip Gzip;
/* Returns NULL if there is no memory. */
Gzip *gzip_open(FILE *out);
/* Packs what is in the buffer, which is empty then. */
void gzip_put(Gzip *gzip, Protobuf *b);
/* Returns false if something failed before, for lack of memory. */
bool gzip_close(Gzip *gzip);

#endif
