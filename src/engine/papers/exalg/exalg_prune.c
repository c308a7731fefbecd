/*
 * exalg_prune.c: columns that say nothing of their own: on every page learnt from just what another
 * says (the title of the page and its heading, metadata, the parts of a text that stand alone
 * elsewhere), or never anything.
 *
 * The template is run on the pages and the columns are compared as they would come out, whatever
 * they are made of. The roles stay, since they explain their texts; they are fields no more.
 */
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/papers/exalg/exalg_roles.h"

enum {
    MOST_PAGES = 64, /* that are compared: more would say the same */
    DIFFERENT = 3    /* values that two columns must share before it is no chance */
};

struct pruner {
    th__exalg_roles *roles;
    uint32_t members, pages;
    uint64_t *said;   /* by page and member: the hash of the values, 0 for none */
    uint32_t *fields; /* by member: the first role of a field, TH__EXALG_NO_ROLE for a set */
};

static uint64_t hash_value(const th_value *value)
{
    uint64_t hash = 0;
    if (!value || value->kind == TH_VALUE_NULL)
        return 0;
    if (value->kind == TH_VALUE_TEXT)
        return th__hash(th__value_text(value).ptr, th__value_text(value).len) | 1;
    for (uint32_t i = 0; i < value->count; i++) /* the items of a list of texts */
        hash = th__hash_mix(hash, hash_value(th__value_item(value, i)));
    return hash;
}

static th_status read_page(struct pruner *p, const th_schema *schema, const th_page *page,
                           th_error *err)
{
    th_records *records = NULL;
    th_records_source source = {0};
    th_status status = th__exalg_roles_run(p->roles, schema, page, &source, 0, &records, err);
    if (status)
        return status;
    const th_value *tuple = records->values.len ? records->values.data[0] : NULL;
    for (uint32_t m = 0; tuple && m < p->members; m++)
        if (p->fields[m] != TH__EXALG_NO_ROLE)
            p->said[(size_t)p->pages * p->members + m] = hash_value(th__value_item(tuple, m));
    p->pages++;
    th_records_free(records);
    return TH_OK;
}

static void find_fields(struct pruner *p)
{
    for (uint32_t m = 0; m < p->members; m++)
        p->fields[m] = TH__EXALG_NO_ROLE;
    for (uint32_t i = p->roles->count; i-- > 1;) {
        const th__exalg_role *role = &p->roles->roles[i];
        if (role->name.ptr && role->set == TH__EXALG_NO_ROLE && role->use == TH__EXALG_DATA &&
            role->kind != TH__EXALG_OTHER)
            p->fields[role->member] = i;
    }
}

/* All that a column says, and whether it says enough to know another by it. */
static uint64_t column_key(const struct pruner *p, uint32_t member, bool *enough)
{
    uint64_t key = 0, seen[DIFFERENT];
    uint32_t different = 0;
    for (uint32_t i = 0; i < p->pages; i++) {
        uint64_t said = p->said[(size_t)i * p->members + member];
        bool known = !said;
        key = th__hash_mix(key, said);
        for (uint32_t k = 0; k < different; k++)
            known |= seen[k] == said;
        if (!known && different < DIFFERENT)
            seen[different++] = said;
    }
    *enough = different == DIFFERENT;
    return different ? key | 1 : 0;
}

/* Which of two columns with the same values is kept: what is seen on the page, as it stands there.
 */
static unsigned rank(const struct pruner *p, uint32_t member)
{
    const th__exalg_role *role = &p->roles->roles[p->fields[member]], *parent = role;
    while (parent->kind > TH__EXALG_TEXT && parent->kind != TH__EXALG_SLOT)
        parent = &p->roles->roles[parent->parent];
    bool head = th__str_eq(parent->tag, TH_STR("title")) || th__str_eq(parent->tag, TH_STR("meta"));
    unsigned kind = role->kind == TH__EXALG_ATTRIBUTE ? 1 : role->kind == TH__EXALG_PIECE ? 2 : 3;
    return head ? kind : kind + 3;
}

static void drop(struct pruner *p, uint32_t member)
{
    for (uint32_t i = 1; i < p->roles->count; i++) {
        th__exalg_role *role = &p->roles->roles[i];
        if (role->same == p->fields[member])
            role->name = (th_str){0};
    }
}

static bool drop_mirrored(struct pruner *p, th__arena *arena, bool *any)
{
    th__key_map first;
    if (!th__key_map_init(&first, arena, p->members))
        return false;
    for (uint32_t m = 0; m < p->members; m++) {
        bool enough;
        uint64_t key = p->fields[m] == TH__EXALG_NO_ROLE ? 0 : column_key(p, m, &enough);
        if (!key || !enough)
            continue;
        uint32_t other = th__key_map_get(&first, key);
        *any |= other > 0;
        if (other && rank(p, other - 1) >= rank(p, m)) {
            drop(p, m);
            continue;
        }
        if (other)
            drop(p, other - 1);
        th__key_map_put(&first, key, m + 1);
    }
    return true;
}

th_status th__exalg_roles_prune(th__exalg_roles *roles, const th_schema *schema,
                                const th_page *const *pages, uint32_t count, bool *any,
                                th_error *err)
{
    struct pruner p = {.roles = roles};
    th__arena arena;
    *any = false;
    p.members = (uint32_t)th_type_count(th_schema_root(schema));
    count = count < MOST_PAGES ? count : MOST_PAGES;
    th__arena_init(&arena);
    p.said = th__arena_zero(&arena, (size_t)count * p.members + 1, sizeof *p.said);
    p.fields = th__arena_zero(&arena, p.members + 1, sizeof *p.fields);
    th_status status = p.said && p.fields ? TH_OK : th__fail_memory(err);
    if (!status)
        find_fields(&p);
    for (uint32_t i = 0; !status && i < count; i++)
        status = read_page(&p, schema, pages[i], err);
    if (!status && !drop_mirrored(&p, &arena, any))
        status = th__fail_memory(err);
    th__arena_release(&arena);
    return status;
}
