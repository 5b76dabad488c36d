/* treetiles.h - the picture of a snapshot's dominators as tiles in a room of cells (treemap.h): who
 * has which place, what lies within what, in which tone. panel_treemap.c draws it. */
#ifndef LMP_TREETILES_H
#define LMP_TREETILES_H

#include "heap/treemap.h"
#include "read/snapshot/snapshot.h"

typedef enum TileWhat {
    TILE_OBJECT,
    TILE_ITSELF, /* the part of an object that is its own size */
    TILE_CLASS,  /* objects of one class that are too small for tiles of their own */
    TILE_MORE    /* objects too small for a tile of their own, and perhaps that part */
} TileWhat;

typedef struct Tile {
    Rect rect; /* in cells of the room */
    TileWhat what;
    uint32_t object; /* where a chain of holders of one another begins; of the others: whose */
    uint32_t inside; /* ... and where it ends: whose children are inside */
    uint32_t from;   /* TILE_MORE: the first child that it stands for; TILE_CLASS: its first
                        object in Tiles.member */
    uint32_t cls;    /* TILE_CLASS: of which class */
    uint32_t count;  /* ... how many */
    uint64_t bytes;
    int up;       /* the tile that it lies in, -1: none */
    bool nested;  /* there are tiles in it */
    uint8_t kind; /* LmpKind */
    uint8_t tone; /* 0 .. TILE_TONES - 1: tiles of a kind that touch differ */
} Tile;

#define TILE_TONES 3u

typedef struct Tiles {
    Tile *tile;
    int tiles, room;
    uint32_t *member; /* objects that tiles of a class stand for */
    uint32_t members, member_room;
} Tiles;

/* Where the inside of a tile with tiles in it lies: below its label. `tall` as in TreemapRoom. */
Rect treetiles_inside(Rect rect, int tall);
/* The first line of characters that lies within it, -1: none; first and last cells by halves if
 * `tall` is 1. */
int treetiles_label_y(Rect rect, int tall);

/* Lays out what `root` holds from its child `from` on in a room of w * h cells. */
void treetiles_make(Tiles *tiles, const LmpSnapshot *s, uint32_t root, uint32_t from, int w, int h,
                    int tall);
void treetiles_free(Tiles *tiles);

/* The next tile without others in it from `at` on to a side (dx, dy: -1, 0, 1); `at` if there is
 * none. */
int treetiles_next(const Tiles *tiles, int at, int dx, int dy);
/* The innermost tile at a cell, -1: none. */
int treetiles_at(const Tiles *tiles, int x, int y);

#endif
