/* slow_path.c - the hot path leaves if the word at p->trap is set; this is either the viewer's or
 * one that always is. */
#include "agent/hook/slow_path.h"

#include "agent/charge/callers.h"
#include "agent/charge/counts.h"
#include "agent/charge/inspect.h"
#include "agent/hook/break_check.h"

void slow_path_always(LmpProfile *p, bool always) {
    atomic_store(&p->slow->always, 1);
    p->trap = always || p->breaks->on ? &p->slow->always : &p->control->trap;
}

void slow_path_route(LmpProfile *p) {
    bool by_api = p->exact && !p->regs;
    slow_path_always(p, p->own.frame || p->expecting || !p->owners || by_api || inspect_on(p) ||
                            callers_on(p) || p->slow->snapshot || counts_overrides(p));
}
