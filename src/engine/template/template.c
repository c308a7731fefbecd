/*
 * template.c: the template behind pages of one kind, and the data that it was filled with, without
 * any labels.
 *
 * The idea
 * --------
 * A page of a shop is a frame that is the same on all pages, filled with other data. Here the frame
 * is a tree of roles (template_roles.h): a role is found by what is at hand (parent, tag, class,
 * label), not by counting, so that optional rows in any order keep their columns, rare ones too,
 * and a surprise on an unseen page stays where it is. The engine exalg looks for the same with
 * strings of tokens, as its paper does; texts stay whole here, whatever words they share.
 *
 *     <h1>Marlin</h1>  <table><tr><th>Maker:<td>Hallam  <tr><th>Gears:<td>3       page 1
 *     <h1>Linden</h1>  <table><tr><th>Gears:<td>5                                 page 2
 *
 *     <h1> *title      <table> <tr> Maker:? *maker      <tr> Gears: *gears        the template
 *
 * The files
 * ---------
 *     template_page     a page as elements, texts and parts of texts
 *     template_learn    which roles there are; template_lines and template_slots: parts of lines
 *     template_fields   which roles are data, and which are one field
 *     template_roles    roles on a page
 *     template_records  names of fields, the schema, the records of a page, the template in print
 *     template_json     roles in a wrapper file
 *
 * Cost
 * ----
 * To learn and to run are linear in the pages.
 */
#include "engine/template/template_roles.h"

#include "base/error.h"
#include "engine/one_template.h"
#include "engine/template/template_learn.h"

struct template_rules {
    th__template_roles roles; /* first: template_json.c casts the rules to it */
    double floor;             /* pages of which less is explained are of another template */
};

static th_status learn_sample(th__page_sample *s, th_schema **schema, th_error *err)
{
    struct template_rules *rules = s->rules;
    th__template_roles *roles = &rules->roles;
    th__arena scratch, one;
    th__arena_init(&scratch);
    th__arena_init(&one);
    th__template_outline *outlines = th__arena_zero(&scratch, s->count + 1, sizeof *outlines);
    bool ok = outlines;
    for (uint32_t i = 0; ok && i < s->count; i++)
        ok = !th__cancelled(s->cancel) &&
             th__template_outline_make(&scratch, s->pages[i], NULL, &outlines[i]);
    ok = ok &&
         th__template_roles_learn(s->support, s->cancel, outlines, s->count, s->arena, roles) &&
         th__template_roles_name(roles, s->arena);
    for (uint32_t i = 0; ok && i < s->count; i++) {
        th__template_reading reading;
        th__arena_clear(&one);
        ok = !th__cancelled(s->cancel) &&
             th__template_roles_apply(roles, &outlines[i], &one, &reading);
        s->explained[i] = ok ? reading.explained : 0;
    }
    th__arena_release(&one);
    th__arena_release(&scratch);
    th_status status = ok ? th__template_roles_schema(roles, schema, err) : th__fail_memory(err);
    if (!status)
        status = th__template_roles_prune(roles, s->pages, s->count, schema, err);
    if (!status) /* the field for the rest is no data yet */
        s->fields = (uint32_t)th_type_count(th_schema_root(*schema)) - 1;
    return status;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    struct template_rules *rules = *out = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    return th__one_template_learn("template", learn_sample, options, corpus, rules, arena,
                                  &rules->floor, schema, err);
}

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct template_rules *rules = context;
    return th__template_roles_run(&rules->roles, schema, page, source, rules->floor, out, err);
}

static const th__rule_member rules_members[] = {
    {TH__REAL("floor", struct template_rules, floor, 0, 1), .flags = TH__ALWAYS},
    {TH__OBJECT("page", struct template_rules, roles, th__template_roles_shape),
     .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = TH__SHAPE(struct template_rules, rules_members);

/* Sets come before their members: from the last role on, names of sets are the old ones. */
static void rename_fields(void *context, th__rename_fn rename, void *names)
{
    th__template_roles *roles = &((struct template_rules *)context)->roles;
    for (uint32_t i = roles->count; i-- > 0;) {
        th__template_role *role = &roles->roles[i];
        th_str list = {0};
        if (role->set != TH__NO_ROLE)
            list = roles->roles[role->set].name;
        th_str to = role->name.ptr ? rename(names, list, role->name) : (th_str){0};
        if (to.ptr)
            role->name = to.len ? to : (th_str){0};
    }
}

static void show_template(const void *context, const th_records *const *pages, size_t count,
                          th__buf *out)
{
    const struct template_rules *rules = context;
    th__template_roles_print(&rules->roles, pages, count, out);
}

static void explain(const void *context, th__buf *out)
{
    th__buf_printf(out, "template\n");
    show_template(context, NULL, 0, out);
}

const th__engine th__template_engine = {
    .name = "template",
    .former_name = "exalg",
    .former_member = "page",
    .learn_corpus = learn_corpus,
    .run = run,
    .shape = &rules_shape,
    .explain = explain,
    .rename = rename_fields,
    .drops_fields = true,
    .show_template = show_template,
};
