/* seams_slots.c: the slots of a schema, and in which order they may follow each other. */
#include "engine/seams/seams.h"

#include "base/error.h"
#include "data/schema.h"

struct maker {
    th__arena *arena;
    th__seam_slots *out;
    th__seam_slot at; /* on the way down */
    th__buf name;
    bool fits;
};

static bool add_slot(struct maker *m, bool item)
{
    if (m->out->count == TH__SEAMS_MAX_SLOTS) {
        m->fits = false;
        return true;
    }
    th__seam_slot *slot = &m->out->data[m->out->count];
    *slot = m->at;
    slot->item = item;
    slot->name = th__arena_copy(m->arena, th__buf_str(&m->name));
    for (uint32_t i = 0; i < slot->depth; i++)
        m->out->in_list[slot->lists[i]] |= UINT64_C(1) << m->out->count;
    m->out->count++;
    return slot->name.ptr;
}

/* Goes down as deep as schemas are, and no deeper than slots have steps. */
static bool visit(struct maker *m, const th_type *type, bool item)
{
    type = th__type_strip(type);
    if (type->kind == TH_TYPE_FIELD)
        return add_slot(m, item);
    bool list = type->kind == TH_TYPE_LIST;
    if (m->at.step_count == TH__SEAMS_MAX_STEPS || type->kind == TH_TYPE_CHOICE ||
        (list && (m->at.depth == TH__SEAMS_MAX_DEPTH || m->out->lists == TH__SEAMS_MAX_SLOTS))) {
        m->fits = false;
        return true;
    }
    if (list)
        m->at.lists[m->at.depth++] = m->out->lists++;
    bool ok = true;
    m->at.step_count++;
    for (uint32_t i = 0; ok && m->fits && i < type->count; i++) {
        size_t mark = m->name.len;
        th_str name = th_type_name(type->children[i]);
        if (!list && name.len)
            th__buf_printf(&m->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        m->at.steps[m->at.step_count - 1] = list ? TH__SEAMS_ITEM : (int32_t)i;
        ok = !m->name.failed && visit(m, type->children[i], list);
        m->name.len = mark;
    }
    m->at.step_count--;
    m->at.depth -= list;
    return ok;
}

static uint8_t count_common(const th__seam_slot *a, const th__seam_slot *b)
{
    uint8_t common = 0;
    while (common < a->depth && common < b->depth && a->lists[common] == b->lists[common])
        common++;
    return common;
}

static bool find_common(th__seam_slots *slots, th__arena *arena)
{
    uint32_t n = slots->count;
    slots->common = th__arena_zero(arena, n * (n + (size_t)1), sizeof *slots->common);
    for (uint32_t i = 0; slots->common && i < n * n; i++)
        slots->common[i] = count_common(&slots->data[i / n], &slots->data[i % n]);
    return slots->common;
}

bool th__seam_slots_make(const th_schema *schema, th__arena *arena, th__seam_slots *out, bool *fits)
{
    struct maker m = {.arena = arena, .out = out};
    *out = (th__seam_slots){0};
    out->data = th__arena_zero(arena, TH__SEAMS_MAX_SLOTS, sizeof *out->data);
    m.fits = th__type_strip(th_schema_root(schema))->kind == TH_TYPE_TUPLE;
    bool ok = out->data && (!m.fits || visit(&m, th_schema_root(schema), false)) &&
              find_common(out, arena);
    th__buf_release(&m.name);
    *fits = m.fits && out->count;
    return ok;
}

uint32_t th__seam_ways(const th__seam_slots *slots, uint32_t from, uint64_t used, uint32_t to,
                       uint32_t *open)
{
    const th__seam_slot *slot = &slots->data[to];
    uint32_t common = th__seam_common(slots, from, to), count = 0;
    bool is_used = used >> to & 1;
    if (!slot->depth) {
        open[0] = 0;
        return !is_used;
    }
    if (common == slot->depth) {
        /* Fields of an item keep their order: one that belongs before the last begins the next
         * item. */
        bool later = slots->later[from] >> to & 1, earlier = slots->later[to] >> from & 1;
        if (!slot->item && !is_used && (later || !earlier))
            open[count++] = slot->depth;
    } else if (!(used & slots->in_list[slot->lists[common]])) {
        open[count++] = common; /* a list begins, once in its item */
    }
    for (uint32_t i = common; i > 0; i--)
        open[count++] = i - 1;
    return count;
}
