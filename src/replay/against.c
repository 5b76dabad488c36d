/* against.c - another run beside the one that is played, so that tables show what differs
 * (player.h). Its moment stays the same: its tables are read once, and again only if more of them
 * are asked for. */
#include <string.h>

#include "read/rundiff/runjoin.h"
#include "replay/player_impl.h"

#define COMPARED                                                                                   \
    (LEDGER_ALL | LEDGER_TREE_KINDS | LEDGER_TAG_LINES) /* other parts are one's own               \
                                                         */

LmpErr player_against(Player *p, LmpRecording *other, uint32_t frame, const char *name) {
    static Model model; /* large; the display has one thread */
    Against *a = &p->against;
    LmpErr err = player_fill_live(other, &model, frame);
    if (err) return err;
    against_free(a);
    player_no_range(p);
    *a = (Against){.recording = other,
                   .frame = frame,
                   .name = name,
                   .moment = model_moment(&model),
                   .peak = model.stats.peak_bytes};
    a->moment.laps = UINT64_MAX; /* frames of two runs are not to be subtracted */
    p->tables = PLAYER_NONE;
    return LMP_OK;
}

void against_free(Against *a) {
    ledger_free(&a->ledger);
    *a = (Against){0};
}

static uint64_t live_of(const ModelMoment *moment) {
    uint64_t sum = 0;
    for (int k = 0; k < LMP_KINDS; k++)
        sum += moment->live[k];
    return sum;
}

void against_fill(const Against *a, Model *model) {
    if (!a->recording) {
        model->against = (ModelAgainst){0};
        return;
    }
    model->against.name = a->name;
    model->against.live = live_of(&a->moment);
    model->against.peak = a->peak;
    model->held_from = a->moment;
    model->held_to.clock = 0;
}

/* The older run's id of the tag whose lines are shown. */
static uint32_t tag_there(const Against *a, const Ledger *newer) {
    const char *name = NULL;
    if (newer->of_tag & RUNJOIN_WENT) return newer->of_tag & ~RUNJOIN_WENT;
    for (uint32_t i = 0; i < newer->tags && !name; i++)
        if (newer->tag[i].id == newer->of_tag) name = newer->tag[i].name;
    for (uint32_t i = 0; name && i < a->ledger.tags; i++)
        if (strcmp(a->ledger.tag[i].name, name) == 0) return a->ledger.tag[i].id;
    return UINT32_MAX; /* no tag has it: what lines have under it is nothing */
}

static LmpErr read_there(Against *a, unsigned parts, uint32_t of_tag) {
    LmpErr err = recording_seek(a->recording, a->frame);
    if (err) return err;
    a->ledger.of_tag = of_tag;
    a->ledger.spoken = true; /* as in the model */
    err = ledger_refresh(&a->ledger, &recording_view(a->recording)->tables, parts, 0);
    if (err) return err;
    a->parts = parts;
    a->of_tag = of_tag;
    return LMP_OK;
}

LmpErr against_join(Against *a, Model *model, unsigned parts) {
    RunJoined joined;
    if (!a->recording) return LMP_OK;
    parts = (parts & COMPARED) | LEDGER_SITES;
    model->against.read = false;
    model->ledger_marked = model->ledger.marked = false;
    LmpErr err = LMP_OK;
    if (parts & ~a->parts) err = read_there(a, parts | a->parts, a->of_tag);
    uint32_t tag = tag_there(a, &model->ledger);
    if (!err && (parts & LEDGER_TAG_LINES) && tag != a->of_tag) err = read_there(a, a->parts, tag);
    if (!err) err = runjoin(&model->ledger, &a->ledger, &joined);
    if (err) return err;
    ModelAgainst *shown = &model->against;
    shown->came = joined.came;
    shown->went = joined.went;
    shown->came_bytes = joined.came_bytes;
    shown->went_bytes = joined.went_bytes;
    shown->pathless = model->ledger.stacks != a->ledger.stacks;
    shown->sampled = model->ledger.sample || a->ledger.sample;
    shown->read = true;
    model->ledger_marked = true;
    return LMP_OK;
}
