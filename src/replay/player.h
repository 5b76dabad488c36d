/* player.h - time as a slider: goes to any moment of a recording, plays it at several speeds,
 * counts from one moment to another, and fills a model with what there was then, rates included.
 * Knows no terminal; what a person sees of it is Ui.time (widget/panel.h).
 *
 * All times are nanoseconds since the program's start. A player shows frames; while it plays, its
 * playhead moves on between them. No threads. */
#ifndef LMP_REPLAY_PLAYER_H
#define LMP_REPLAY_PLAYER_H

#include "read/model/model.h"
#include "recording/reader/recording.h"

typedef struct Player Player;

#define PLAYER_SPEEDS 4u
extern const unsigned player_speeds[PLAYER_SPEEDS]; /* 1, 2, 10, 100 */

/* Returns a player, which shows no frame yet. The recording stays the caller's, and so do the
 * frames it has: at least one. NULL: no memory. */
Player *player_new(LmpRecording *recording);
void player_free(Player *player);
/* Takes note of further frames, after recording_refresh. */
void player_grown(Player *player);

/* ---- where ----------------------------------------------------------------------------------- */

typedef struct PlayerState {
    uint64_t clock; /* of the playhead */
    uint64_t end;   /* of the last frame */
    uint32_t frame, frames;
    bool playing;
    unsigned speed;
    bool range; /* tables count from `from` to `to`, from <= to */
    bool open;  /* ... which is the playhead until it is ended */
    uint64_t from, to;
} PlayerState;
PlayerState player_state(const Player *player);

/* Goes to the last frame at or before a moment. */
void player_go(Player *player, uint64_t clock);
/* Goes to what happened at a moment: the first frame at or after it, with the playhead at that very
 * moment. */
void player_go_after(Player *player, uint64_t clock);
/* Moves by so much time, one frame at least unless it is at the beginning or the end. */
void player_move(Player *player, int64_t by);
/* Moves by so many frames. */
void player_step(Player *player, int frames);
/* Goes to the frame before (-1) or after (1) that has one of these flags (LMP_FRAME_*). Returns
 * false: there is none. */
bool player_jump(Player *player, int step, unsigned flags);
/* Goes to what a person has typed: a moment (when.h), else the next line of the program's output
 * that has these words, and after the last one the first again. Returns false: neither. */
bool player_find(Player *player, const char *text);

/* ---- playing --------------------------------------------------------------------------------- */

/* Plays, or stops playing. `now`: any clock in nanoseconds that goes on evenly. At the end the
 * player begins again. */
void player_play(Player *player, bool on, uint64_t now);
/* Plays at the next speed, after the last the first. */
void player_faster(Player *player);
/* Moves the playhead by the time that has passed. True: it is at another frame, or has stopped at
 * the end. */
bool player_tick(Player *player, uint64_t now);
/* Nanoseconds until it is at the next frame; UINT64_MAX: it does not play. */
uint64_t player_due(const Player *player, uint64_t now);

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Begins a range at the playhead, ends the one that was begun, begins another. False: tables
 * compare with another run. */
bool player_range(Player *player);
/* Shows the range between two moments, with the playhead at its end. Returns false as above. */
bool player_span(Player *player, uint64_t from, uint64_t to);
/* Leaves the range. Returns false: there was none. */
bool player_no_range(Player *player);

/* ---- another run ----------------------------------------------------------------------------- */

/* Compares tables, from now on, with a moment of another recording (Model.against), in place of
 * counting from a mark: LmpTally.mark is what there was in it, and rows that only it has are there,
 * too (rundiff/rundiff.h). There are no ranges then. The recording and the name stay the caller's,
 * and so does the frame it shows. Errors: DAMAGED, NOMEM (nothing is compared). */
LmpErr player_against(Player *player, LmpRecording *other, uint32_t frame, const char *name);

/* ---- what there was -------------------------------------------------------------------------- */

/* Fills the model with the state at the playhead, its ledger included (`parts`: LEDGER_*): of a
 * range what was made, freed and grew in it (LmpTally.mark, Model.since_mark). Where there is none,
 * tables count from the mark as Model.wanted says. The same model each time; model->view is NULL:
 * no block is recorded. Errors: DAMAGED (of a frame: what was filled before may be half another
 * moment's), NOMEM. */
LmpErr player_fill(Player *player, Model *model, unsigned parts);
/* Returns a model of the last frame: the history and the marks of the whole run. */
const Model *player_whole(const Player *player);

#endif
