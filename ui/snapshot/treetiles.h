/* treetiles.h - lays out a snapshot's dominators as tiles in a room of cells (treemap.h): each
 * one's place, the tile it lies in, its tone. panel_treemap.c draws them. */
#ifndef LMP_SNAPSHOT_TREETILES_H
#define LMP_SNAPSHOT_TREETILES_H

#include "read/snapshot/snapshot.h"
#include "screen/canvas.h"

typedef enum TileWhat {
    TILE_OBJECT,
    TILE_ITSELF, /* the part of an object that is its own size */
    TILE_CLASS,  /* objects of one class that are too small for tiles of their own */
    TILE_MORE    /* objects too small for tiles of their own, and perhaps the object's own size */
} TileWhat;

typedef struct Tile {
    Rect rect; /* in cells of the room */
    TileWhat what;
    uint32_t object; /* the first of a chain of objects that hold one another; for other tiles: the
                        object they are of */
    uint32_t inside; /* ... and the last one, whose children are inside */
    uint32_t
        from; /* TILE_MORE: the first child in it; TILE_CLASS: its first object in Tiles.member */
    uint32_t cls;   /* TILE_CLASS: the class */
    uint32_t count; /* ... how many */
    uint64_t bytes;
    int up;       /* the tile around it, -1: none */
    bool nested;  /* there are tiles in it */
    uint8_t kind; /* LmpKind */
    uint8_t tone; /* 0 .. TILE_TONES - 1: tiles of a kind that touch differ */
} Tile;

#define TILE_TONES 3u

typedef struct Tiles {
    Tile *tile;
    int tiles;
    uint32_t room;
    uint32_t *member; /* objects in tiles of a class */
    uint32_t members, member_room;
} Tiles;

/* Returns the first line of characters that lies within the tile, -1: none; first and last cells
 * count by halves if `tall` is 1. */
int treetiles_label_y(Rect rect, int tall);

/* Lays out what `root` holds from its child `from` on in a room of w * h cells. */
void treetiles_make(Tiles *tiles, const LmpSnapshot *s, uint32_t root, uint32_t from, int w, int h,
                    int tall);
void treetiles_free(Tiles *tiles);

/* Returns the nearest tile without tiles in it from `at` on to a side (dx, dy: -1, 0, 1); `at` if
 * none. */
int treetiles_next(const Tiles *tiles, int at, int dx, int dy);
/* Returns the innermost tile at a cell, -1: none. */
int treetiles_at(const Tiles *tiles, int x, int y);

#endif
