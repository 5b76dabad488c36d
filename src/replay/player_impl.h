/* player_impl.h - the inside of Player, for player*.c only. */
#ifndef LMP_REPLAY_PLAYER_IMPL_H
#define LMP_REPLAY_PLAYER_IMPL_H

#include "recording/reader/moment.h"
#include "replay/player.h"

#define PLAYER_NONE UINT32_MAX

/* The other run that tables compare with. */
typedef struct Against {
    LmpRecording *recording; /* NULL: none */
    uint32_t frame;
    const char *name;
    ModelMoment moment;
    uint64_t peak;
    Ledger ledger;
    unsigned parts; /* that it has */
    uint32_t of_tag;
} Against;

struct Player {
    LmpRecording *recording;
    uint32_t frames;
    uint64_t end;
    uint32_t at;    /* the frame at or before the playhead */
    uint64_t clock; /* the playhead: that frame's, or later while it plays */
    bool playing;
    uint32_t speed; /* in player_speeds */
    uint64_t then;  /* when the playhead was last moved */
    bool range, open;
    uint32_t begin, ended; /* frames, in the order in which they were chosen ... */
    uint64_t begin_clock,
        ended_clock;     /* ... and their times, for when frames have been thinned out */
    uint32_t generation; /* of the recording's frames */

    /* what the model has that was filled last; PLAYER_NONE: nothing */
    uint32_t shown;  /* its figures are of this frame ... */
    uint32_t tables; /* ... its tables of this one ... */
    uint32_t base;   /* ... and these count from that one */
    unsigned parts, base_parts;
    uint32_t tag;    /* Ledger.of_tag then */
    LedgerWhen when; /* Ledger.when then */

    Against against;
    Model whole; /* as of the last frame */
    /* marks that it knows no more; read when a person first looks for one */
    RecordedMark *old;
    uint32_t olds;
    uint64_t old_of; /* Model.marks_all then */
};

uint64_t player_clock_of(const Player *player, uint32_t frame);
uint32_t player_frame_after(const Player *player, uint64_t clock);
void player_bounds(const Player *player, uint32_t *from, uint32_t *to);
void player_fill_whole(Player *player);
void against_free(Against *against);

#endif
