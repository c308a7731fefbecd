/* exalg_names.c: see exalg_names.h. */
#include "engine/papers/exalg/exalg_names.h"

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/tags.h"
#include "table/column_names.h"

struct namer {
    const th__exalg_roles *roles;
    th__intern taken;
    TH__VEC(uint32_t) asked;
    th__buf text;
};

/* A text of the template as a name. */
static bool by_text(struct namer *n, th_str text)
{
    enum { LONGEST = 48 }; /* a sentence is no name */
    th__buf_clear(&n->text);
    if (!text.ptr || text.len > LONGEST)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '&') /* a reference is no part of a name */
            while (i < text.len && text.ptr[i] != ';')
                i++;
        if (i < text.len)
            th__buf_add_byte(&n->text, text.ptr[i] == ';' ? ' ' : text.ptr[i]);
    }
    return th__name_tidy(&n->text);
}

static bool by_step(struct namer *n, const th__exalg_role *role)
{
    static const char *const parts[] = {"h1", "h2", "h3"};
    if (role->kind != TH__EXALG_ELEMENT)
        return false;
    if (th__str_eq(role->tag, TH_STR("title")))
        return by_text(n, TH_STR("page_title"));
    if (role->id.ptr && th__name_of_class(role->id, &n->text))
        return true;
    if (role->cls.ptr && th__name_of_class(role->cls, &n->text))
        return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (th__str_eq(role->tag, th_str_from(parts[i])))
            return by_text(n, TH_STR("title"));
    return false;
}

/* Whether a text of the template is a label rather than a heading or a slogan: it says so, or its
 * element does. */
static bool is_label(const th__exalg_role *role)
{
    static const char *const tags[] = {"th",   "td", "dt", "b", "strong", "label",
                                       "span", "i",  "em", "u", "font"};
    if (role->text.len && role->text.ptr[role->text.len - 1] == ':')
        return true;
    if (role->kind == TH__EXALG_TEXT)
        return true;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (th__str_eq(role->tag, th_str_from(tags[i])))
            return true;
    return false;
}

/* The text of the template that stands before a role below the same parent. */
static bool by_neighbour(struct namer *n, uint32_t index)
{
    const th__exalg_role *roles = n->roles->roles;
    uint32_t parent = roles[index].parent;
    for (uint32_t i = index; i-- > parent + 1;) {
        if (roles[i].use == TH__EXALG_DATA)
            return false;
        if (roles[i].use == TH__EXALG_TEMPLATE)
            return roles[i].parent == parent && is_label(&roles[i]) && by_text(n, roles[i].text);
    }
    return false;
}

static bool find_name(struct namer *n, uint32_t index);

/* An attribute is called after what it belongs to: price_url, cover_image. */
static bool name_attribute(struct namer *n, uint32_t index)
{
    static const struct {
        const char *attribute, *behind, *alone;
    } words[] = {{"href", "_url", "link"},
                 {"src", "_image", "image"},
                 {"alt", "_alt", "alt"},
                 {"title", "_title", "title"},
                 {"content", "", "content"}};
    const th__exalg_role *role = &n->roles->roles[index];
    bool found = role->parent && find_name(n, role->parent);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th__str_eq(role->tag, th_str_from(words[i].attribute)))
            return found ? th__buf_add_str(&n->text, th_str_from(words[i].behind))
                         : by_text(n, th_str_from(words[i].alone));
    return found;
}

/* The name of the text that a piece belongs to. */
static bool name_of_whole(struct namer *n, uint32_t role)
{
    th__buf_clear(&n->text);
    return n->roles->roles[role].name.ptr && th__buf_add_str(&n->text, n->roles->roles[role].name);
}

static bool is_title(const th__exalg_role *role)
{
    return role->kind == TH__EXALG_ELEMENT && th__str_eq(role->tag, TH_STR("title"));
}

/* Asks the role and those above it, as long as they speak of this value alone. */
static bool find_name(struct namer *n, uint32_t index)
{
    enum { CLOSE = 4 };
    const th__exalg_role *roles = n->roles->roles;
    if (roles[index].kind == TH__EXALG_OTHER)
        return false;
    if (roles[index].kind == TH__EXALG_ATTRIBUTE)
        return name_attribute(n, index);
    if (roles[index].kind == TH__EXALG_PIECE && roles[index].gap.ptr)
        return name_of_whole(n, roles[index].parent) && th__buf_add_str(&n->text, TH_STR("_part"));
    /* A label inside of the text names the piece; the text as it stands goes behind it. What all
     * titles begin with is the name of the site. */
    if (is_title(&roles[index]))
        return by_step(n, &roles[index]);
    if (roles[index].kind == TH__EXALG_PIECE && is_title(&roles[roles[index].parent]))
        return by_step(n, &roles[roles[index].parent]) &&
               th__buf_add_str(&n->text, TH_STR("_part"));
    if (index + 1 < n->roles->count && roles[index + 1].kind == TH__EXALG_PIECE &&
        roles[index + 1].parent == index && !roles[index + 1].gap.ptr &&
        by_text(n, roles[index + 1].label))
        return th__buf_add_str(&n->text, TH_STR("_text"));
    uint32_t set = roles[index].set;
    for (uint32_t i = index, up = 0; up < CLOSE && i && i != set; up++, i = roles[i].parent)
        if ((roles[i].label.ptr && roles[i].told != TH__EXALG_BY_AFTER &&
             by_text(n, roles[i].label)) ||
            by_neighbour(n, i) || by_step(n, &roles[i]))
            return true;
    return false;
}

static uint32_t ask_for(struct namer *n, uint32_t set, th_str name, th__buf *key)
{
    th__buf_clear(key);
    th__buf_printf(key, "%u ", set);
    th__buf_add_str(key, name);
    uint32_t id = key->failed ? TH__INTERN_NONE : th__intern_add(&n->taken, th__buf_str(key));
    if (id == TH__INTERN_NONE || (id == n->asked.len && !th__vec_push(&n->asked, 0)))
        return UINT32_MAX;
    return n->asked.data[id]++;
}

/* Names differ below one set; the second of a kind is numbered. */
static bool take(struct namer *n, th__exalg_role *role, bool found, th__arena *arena)
{
    th__buf key = {0};
    if (!found) {
        th__buf_clear(&n->text);
        th__buf_add_str(&n->text, role->kind == TH__EXALG_OTHER ? TH_STR("other")
                                  : role->use == TH__EXALG_DATA ? TH_STR("text")
                                                                : TH_STR("items"));
    }
    size_t len = n->text.len;
    uint32_t asked = ask_for(n, role->set, th__buf_str(&n->text), &key);
    for (bool plain = found || role->kind == TH__EXALG_OTHER;
         asked != UINT32_MAX && (asked || !plain); plain = false) {
        n->text.len = len;
        th__buf_printf(&n->text, "_%u", asked + 1);
        if (ask_for(n, role->set, th__buf_str(&n->text), &key) == 0)
            break;
        asked++;
    }
    role->name = n->text.failed ? (th_str){0} : th__arena_copy(arena, th__buf_str(&n->text));
    th__buf_release(&key);
    return asked != UINT32_MAX && role->name.ptr;
}

/* Sets that hold data. */
static void mark_sets(const th__exalg_roles *r, bool *holds)
{
    for (uint32_t i = r->count; i-- > 1;) {
        const th__exalg_role *role = &r->roles[i];
        bool data = role->use == TH__EXALG_DATA || (role->list && holds[i]);
        if (data && role->set != TH__EXALG_NO_ROLE)
            holds[role->set] = true;
    }
}

bool th__exalg_roles_name(th__exalg_roles *r, bool by_page, th__arena *arena)
{
    struct namer n = {.roles = r};
    th__intern_init(&n.taken);
    bool *holds = th__arena_zero(arena, r->count + 1, sizeof *holds);
    bool ok = holds;
    if (ok)
        mark_sets(r, holds);
    for (uint32_t i = 1; ok && i < r->count; i++) {
        th__exalg_role *role = &r->roles[i];
        bool set = role->use == TH__EXALG_STRUCTURE && role->list && holds[i];
        if (role->same != i)
            role->name = r->roles[role->same].name;
        else if (role->use == TH__EXALG_DATA || set)
            ok = take(&n, role, by_page && find_name(&n, i), arena);
    }
    th__intern_release(&n.taken);
    th__vec_release(&n.asked);
    th__buf_release(&n.text);
    return ok;
}
