/* report_verdicts.c - what the figures amount to: the sentences of verdict.h, for people at the
 * head of the summary and for machines. */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/json.h"
#include "report/report_impl.h"

enum { SHOWN = 4, OF_ONE_RULE = 2, WIDTH = 80 };

/* The best, but not the same rule again and again, and what is merely good to know only if there is
 * nothing to fix. */
static bool is_shown(const Verdicts *list, uint32_t at, uint32_t shown) {
    uint32_t alike = 0;
    for (uint32_t i = 0; i < at; i++)
        alike += list->verdict[i].rule == list->verdict[at].rule;
    bool to_do = *list->verdict[at].advice != 0;
    return shown < SHOWN && alike < OF_ONE_RULE && (to_do || shown == 0);
}

/* Words in lines of at most WIDTH columns (characters, rather), each begun with `indent` blanks. */
static void put_wrapped(FILE *out, const char *text, int indent) {
    int used = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        int columns = 0;
        for (size_t i = 0; i < word; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (used > 0 && indent + used + 1 + columns > WIDTH) {
            fputc('\n', out);
            used = 0;
        }
        if (used == 0) fprintf(out, "%*s", indent, "");
        fprintf(out, "%s%.*s", used > 0 ? " " : "", (int)word, text);
        used += columns + (used > 0);
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

void summary_verdicts(const LmpReport *r, FILE *out) {
    const Verdicts *list = &r->verdicts;
    char text[320];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!is_shown(list, i, shown)) continue;
        const Verdict *v = &list->verdict[i];
        if (shown++ == 0) fputc('\n', out);
        verdict_sentence(text, sizeof text, v);
        put_wrapped(out, text, 2);
        if (!*v->advice) continue;
        snprintf(text, sizeof text, "-> %s", v->advice);
        put_wrapped(out, text, 5);
    }
}

/* ---- json ------------------------------------------------------------------------------------ */

static void put_figures(Json *json, const Verdict *v) {
    json_begin(json, "figures", '{');
    for (uint32_t i = 0; i < VERDICT_FIGURES && v->figure[i].name; i++) {
        double value = v->figure[i].value;
        if (value == floor(value) && value >= 0 && value < 1e15)
            json_count(json, v->figure[i].name, (uint64_t)value);
        else
            json_number(json, v->figure[i].name, value);
    }
    json_end(json, '}');
}

void json_verdicts(Json *json, const LmpReport *r) {
    char text[320];
    json_begin(json, "verdicts", '[');
    for (uint32_t i = 0; i < r->verdicts.count; i++) {
        const Verdict *v = &r->verdicts.verdict[i];
        json_begin(json, NULL, '{');
        json_text(json, "rule", v->rule);
        json_text(json, "sentence", verdict_sentence(text, sizeof text, v));
        json_text(json, "advice", v->advice);
        if (v->site) {
            json_text(json, "source", v->source);
            json_text(json, "short_src", v->short_src);
            json_change(json, "line", v->line);
            json_text(json, "func", v->func);
        }
        json_number(json, "score", v->score);
        put_figures(json, v);
        json_end(json, '}');
    }
    json_end(json, ']');
}
