/*
 * gen_schema.c: samples a schema of a domain.
 *
 * A domain gives its natural fields and the sets that may hang below a record; a pool of plain
 * specification fields fills up when more attributes are asked for than a domain has.
 */
#include "gen_schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct field {
    const char *name, *labels; /* labels: alternatives, '|' between */
    gen_value_kind kind;
    gen_role role;
    bool multi;
} field;

typedef struct domain {
    const char *name, *noun;
    uint32_t title_style; /* of the key; UINT32_MAX: a person */
    field fields[9];
} domain;

#define P GEN_ROLE_PLAIN

static const domain domains[] = {
    {"books",
     "book",
     0,
     {{"author", "Author|By|Written by", GEN_V_PERSON, P, true},
      {"price", "Price|Our price|Buy new", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"publisher", "Publisher|Published by", GEN_V_COMPANY, P},
      {"year", "Year|Published|Edition", GEN_V_YEAR, GEN_ROLE_DATE},
      {"isbn", "ISBN|ISBN-13", GEN_V_CODE, P},
      {"description", "Description|About this book|Synopsis", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"rating", "Rating|Average rating", GEN_V_RATING, P},
      {"subject", "Subject|Category", GEN_V_CATEGORY, P, true},
      {"pages", "Pages|Length", GEN_V_NUMBER, P}}},
    {"goods",
     "product",
     1,
     {{"price", "Price|Our price|Now", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"brand", "Brand|Make|Manufacturer", GEN_V_COMPANY, P},
      {"availability", "Availability|Status|Stock", GEN_V_STATUS, P},
      {"description", "Description|Details|Features", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"rating", "Rating|Customer rating", GEN_V_RATING, P},
      {"sku", "SKU|Item no.|Model", GEN_V_CODE, P},
      {"discount", "Discount|You save", GEN_V_PERCENT, P},
      {"colour", "Colour|Color|Finish", GEN_V_COLOUR, P, true},
      {"weight", "Weight|Shipping weight", GEN_V_MEASURE, P}}},
    {"jobs",
     "job",
     2,
     {{"company", "Company|Employer", GEN_V_COMPANY, P},
      {"place", "Location|Place|City", GEN_V_CITY, P, true},
      {"salary", "Salary|Pay", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"posted", "Posted|Date|Listed", GEN_V_DATE, GEN_ROLE_DATE},
      {"summary", "Summary|Job description", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"type", "Type|Contract", GEN_V_STATUS, P},
      {"reference", "Ref|Reference|Job ID", GEN_V_CODE, P},
      {"contact", "Contact|Recruiter", GEN_V_PERSON, P},
      {"field", "Field|Sector", GEN_V_CATEGORY, P, true}}},
    {"news",
     "story",
     3,
     {{"author", "By|Author|Reporter", GEN_V_PERSON, P, true},
      {"date", "Published|Date|Posted on", GEN_V_DATE, GEN_ROLE_DATE},
      {"teaser", "Summary|In short", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"section", "Section|Filed under|Topic", GEN_V_CATEGORY, P, true},
      {"comments", "Comments|Replies", GEN_V_NUMBER, P},
      {"place", "Place|Dateline", GEN_V_CITY, P},
      {"source", "Source|Agency", GEN_V_COMPANY, P},
      {"reading", "Reading time|Length", GEN_V_DURATION, P},
      {"shares", "Shares|Shared", GEN_V_NUMBER, P}}},
    {"restaurants",
     "restaurant",
     4,
     {{"address", "Address|Where|Location", GEN_V_ADDRESS, P, true},
      {"phone", "Phone|Tel|Call", GEN_V_PHONE, P, true},
      {"cuisine", "Cuisine|Food|Kitchen", GEN_V_CATEGORY, P, true},
      {"rating", "Rating|Guests say", GEN_V_RATING, P},
      {"price", "Average price|Main course|Price", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"review", "Review|Our verdict", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"city", "City|Town", GEN_V_CITY, P},
      {"owner", "Owner|Chef|Host", GEN_V_PERSON, P},
      {"email", "E-mail|Mail", GEN_V_EMAIL, P}}},
    {"homes",
     "listing",
     5,
     {{"price", "Price|Rent|Asking price", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"size", "Size|Living area", GEN_V_MEASURE, P},
      {"agent", "Agent|Offered by", GEN_V_PERSON, P},
      {"phone", "Phone|Contact", GEN_V_PHONE, P, true},
      {"listed", "Listed|Online since", GEN_V_DATE, GEN_ROLE_DATE},
      {"description", "Description|Remarks", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"built", "Built|Year built", GEN_V_YEAR, P},
      {"rooms", "Rooms|Bedrooms", GEN_V_NUMBER, P},
      {"feature", "Features|Extras", GEN_V_WORDS, P, true}}},
    {"films",
     "film",
     0,
     {{"director", "Director|Directed by", GEN_V_PERSON, P, true},
      {"year", "Year|Released", GEN_V_YEAR, GEN_ROLE_DATE},
      {"genre", "Genre|Kind", GEN_V_CATEGORY, P, true},
      {"runtime", "Runtime|Length", GEN_V_DURATION, P},
      {"plot", "Plot|Story|Synopsis", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"score", "Score|User rating", GEN_V_RATING, P},
      {"studio", "Studio|Company", GEN_V_COMPANY, P},
      {"country", "Country|Made in", GEN_V_COUNTRY, P},
      {"votes", "Votes|Ratings", GEN_V_NUMBER, P}}},
    {"people",
     "member",
     UINT32_MAX,
     {{"role", "Role|Position|Title", GEN_V_ACADEMIC, P, true},
      {"phone", "Phone|Tel.", GEN_V_PHONE, P, true},
      {"email", "E-mail|Email", GEN_V_EMAIL, P},
      {"room", "Office|Room", GEN_V_ROOM, P},
      {"interests", "Research interests|Interests", GEN_V_SUBJECT, P, true},
      {"bio", "About|Profile", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"joined", "Joined|Member since", GEN_V_DATE, GEN_ROLE_DATE},
      {"duties", "Duties|Office held", GEN_V_ADMIN, P},
      {"city", "City|Lives in", GEN_V_CITY, P}}},
};
#define DOMAINS (sizeof domains / sizeof *domains)

/* Fields that any thing may have, for schemas with many attributes. */
static const field pool[] = {
    {"material", "Material", GEN_V_WORDS, P},
    {"height", "Height", GEN_V_MEASURE, P},
    {"width", "Width", GEN_V_MEASURE, P},
    {"warranty", "Warranty", GEN_V_DURATION, P},
    {"origin", "Country of origin", GEN_V_COUNTRY, P},
    {"code", "Code", GEN_V_CODE, P},
    {"updated", "Last updated", GEN_V_DATE, P},
    {"views", "Views", GEN_V_NUMBER, P},
    {"shipping", "Shipping", GEN_V_PRICE, P},
    {"seller", "Seller", GEN_V_COMPANY, P},
    {"series", "Series", GEN_V_WORDS, P},
    {"designer", "Designer", GEN_V_PERSON, P},
    {"tax", "Tax", GEN_V_PERCENT, P},
    {"deposit", "Deposit", GEN_V_PRICE, P},
    {"rank", "Rank", GEN_V_NUMBER, P},
    {"language", "Language", GEN_V_COUNTRY, P},
    {"voltage", "Voltage", GEN_V_NUMBER, P},
    {"depth", "Depth", GEN_V_MEASURE, P},
    {"started", "Started", GEN_V_YEAR, P},
    {"ends", "Ends", GEN_V_DATE, P},
    {"editor", "Editor", GEN_V_PERSON, P},
    {"note", "Note", GEN_V_TEXT, GEN_ROLE_TEXT},
    {"store", "Store", GEN_V_ADDRESS, P},
    {"hotline", "Hotline", GEN_V_PHONE, P},
    {"support", "Support", GEN_V_EMAIL, P},
    {"capacity", "Capacity", GEN_V_MEASURE, P},
    {"condition", "Condition", GEN_V_STATUS, P},
    {"trim", "Trim", GEN_V_COLOUR, P},
    {"tag", "Tag", GEN_V_CATEGORY, P},
    {"list_price", "List price", GEN_V_PRICE, P},
    {"bid", "Current bid", GEN_V_PRICE, P},
    {"bids", "Bids", GEN_V_NUMBER, P},
    {"margin", "Margin", GEN_V_PERCENT, P},
    {"duration", "Duration", GEN_V_DURATION, P},
    {"branch", "Branch", GEN_V_CITY, P},
    {"slogan", "Slogan", GEN_V_WORDS, P},
    {"revision", "Revision", GEN_V_CODE, P},
    {"reviewer", "Reviewed by", GEN_V_PERSON, P},
    {"team", "Team", GEN_V_COMPANY, P},
    {"born", "Born", GEN_V_DATE, P},
    {"subtitle", "Subtitle", GEN_V_WORDS, P},
    {"length", "Overall length", GEN_V_MEASURE, P},
    {"grade", "Grade", GEN_V_RATING, P},
    {"hub", "Hub", GEN_V_CITY, P},
    {"maker", "Made by", GEN_V_COMPANY, P},
    {"premiere", "Premiere", GEN_V_DATE, P},
    {"fee", "Fee", GEN_V_PRICE, P},
    {"serial", "Serial no.", GEN_V_CODE, P},
};
#define POOL (sizeof pool / sizeof *pool)

typedef struct nested {
    const char *name, *labels;
    field fields[5];
} nested;

/* Sets of tuples that hang below a record, or below another set. */
static const nested sets[] = {
    {"reviews",
     "Reviews|What readers say",
     {{"reviewer", "Reviewer|By", GEN_V_PERSON, P},
      {"stars", "Rating", GEN_V_RATING, P},
      {"comment", "Comment|Text", GEN_V_TEXT, GEN_ROLE_TEXT},
      {"when", "Date|On", GEN_V_DATE, GEN_ROLE_DATE},
      {"helpful", "Helpful", GEN_V_PERCENT, P}}},
    {"offers",
     "Offers|Buy from|Sellers",
     {{"shop", "Shop|Seller", GEN_V_COMPANY, P},
      {"cost", "Price|Cost", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"state", "Condition", GEN_V_STATUS, P},
      {"delivery", "Delivery", GEN_V_DURATION, P},
      {"part_no", "Part no.", GEN_V_CODE, P}}},
    {"branches",
     "Locations|Branches|Addresses",
     {{"street", "Street|Address", GEN_V_ADDRESS, P},
      {"town", "City", GEN_V_CITY, P},
      {"tel", "Phone", GEN_V_PHONE, P},
      {"manager", "Manager", GEN_V_PERSON, P},
      {"hours", "Open", GEN_V_DURATION, P}}},
    {"editions",
     "Editions|Versions",
     {{"format", "Format", GEN_V_WORDS, P},
      {"issued", "Issued", GEN_V_DATE, GEN_ROLE_DATE},
      {"size", "Size", GEN_V_MEASURE, P},
      {"edition_price", "Price", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"edition_code", "Code", GEN_V_CODE, P}}},
    {"events",
     "Dates|Events|Shows",
     {{"event", "Event", GEN_V_TITLE, P},
      {"day", "Day|Date", GEN_V_DATE, GEN_ROLE_DATE},
      {"venue", "Venue", GEN_V_CITY, P},
      {"entry", "Tickets", GEN_V_PRICE, GEN_ROLE_PRICE},
      {"host", "Host", GEN_V_PERSON, P}}},
};
#define SETS (sizeof sets / sizeof *sets)

void *gen_alloc(th__arena *arena, size_t size)
{
    void *memory = th__arena_zero(arena, 1, size);
    if (!memory) {
        fputs("thresh-gen: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

const char *gen_str(th__arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = gen_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

/* What sampling needs to hand around. */
typedef struct sampler {
    th__arena *arena;
    gen_rng rng;
    const gen_options *options;
    gen_schema *schema;
    const domain *domain;
    uint32_t next_field; /* domain fields first, then the pool */
    uint8_t domain_order[9], pool_order[POOL];
    uint8_t set_order[SETS];
    uint32_t next_set;
} sampler;

static gen_node *node_new(sampler *s, gen_type type, uint32_t kids)
{
    gen_node *node = gen_alloc(s->arena, sizeof *node);
    node->type = type;
    node->count = kids;
    node->kids = kids ? gen_alloc(s->arena, kids * sizeof *node->kids) : NULL;
    return node;
}

static gen_node *node_over(sampler *s, gen_type type, gen_node *kid)
{
    gen_node *node = node_new(s, type, 1);
    node->kids[0] = kid;
    node->name = kid->name;
    node->label = kid->label;
    node->role = kid->role;
    return node;
}

static const char *one_of(sampler *s, const char *choices)
{
    uint32_t count = 1;
    for (const char *at = choices; *at; at++)
        count += *at == '|';
    for (uint32_t skip = gen_below(&s->rng, count); skip > 0; skip--)
        choices = strchr(choices, '|') + 1;
    return gen_str(s->arena, "%.*s", (int)strcspn(choices, "|"), choices);
}

static gen_node *leaf_new(sampler *s, const field *from)
{
    gen_node *leaf = node_new(s, GEN_LEAF, 0);
    leaf->name = from->name;
    leaf->label = one_of(s, from->labels);
    leaf->kind = from->kind;
    leaf->role = from->role;
    leaf->multi = from->multi;
    leaf->style = (uint32_t)(gen_next(&s->rng) >> 34);
    s->schema->leaves++;
    return leaf;
}

static gen_node *next_leaf(sampler *s)
{
    const uint32_t n = s->next_field++;
    if (n < 9)
        return leaf_new(s, &s->domain->fields[s->domain_order[n]]);
    const uint32_t round = (n - 9) / POOL;
    gen_node *leaf = leaf_new(s, &pool[s->pool_order[(n - 9) % POOL]]);
    /* A name that the domain or an earlier round has already used gets a number. */
    bool taken = round > 0;
    for (uint32_t i = 0; i < 9; i++)
        taken |= strcmp(s->domain->fields[i].name, leaf->name) == 0;
    if (taken)
        leaf->name = gen_str(s->arena, "%s_%u", leaf->name, round + 2);
    return leaf;
}

static void shuffle(gen_rng *rng, uint8_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint8_t)i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = gen_below(rng, i);
        const uint8_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* A set of tuples with `budget` leaves and `depth` levels of sets in it, itself included. */
static gen_node *sample_set(sampler *s, uint32_t depth, uint32_t budget)
{
    const nested *from = &sets[s->set_order[s->next_set++ % SETS]];
    const bool deeper = depth > 1 && budget >= 2;
    uint32_t own = deeper ? (budget > 3 ? budget / 2 : 1) : budget;
    own = own > 5 ? 5 : own;
    gen_node *tuple = node_new(s, GEN_TUPLE, own + deeper);
    for (uint32_t i = 0; i < own; i++) {
        gen_node *leaf = leaf_new(s, &from->fields[i]);
        leaf->multi = false;
        const bool optional = i > 0 && gen_chance(&s->rng, s->options->optionals);
        tuple->kids[i] = optional ? node_over(s, GEN_OPTIONAL, leaf) : leaf;
    }
    if (deeper)
        tuple->kids[own] = sample_set(s, depth - 1, budget - own);
    gen_node *set = node_over(s, GEN_SET, tuple);
    set->name = from->name;
    set->label = one_of(s, from->labels);
    set->role = GEN_ROLE_PLAIN;
    set->most = gen_between(&s->rng, 2, 5);
    return set;
}

/* A disjunction of 2 or 3 branches with 1 or 2 leaves each; takes from *budget. */
static gen_node *sample_choice(sampler *s, uint32_t *budget)
{
    const uint32_t branches = *budget >= 4 ? gen_between(&s->rng, 2, 3) : 2;
    gen_node *choice = node_new(s, GEN_CHOICE, branches);
    *budget -= branches;
    for (uint32_t i = 0; i < branches; i++) {
        const uint32_t extra = *budget > 0 && gen_chance(&s->rng, 0.3);
        *budget -= extra;
        gen_node *tuple = node_new(s, GEN_TUPLE, 1 + extra);
        for (uint32_t k = 0; k <= extra; k++)
            tuple->kids[k] = next_leaf(s);
        choice->kids[i] = tuple;
    }
    return choice;
}

static gen_node *sample_field(sampler *s, uint32_t depth, uint32_t *budget)
{
    const gen_options *o = s->options;
    if (*budget >= 3 && gen_chance(&s->rng, o->choices))
        return sample_choice(s, budget);
    (*budget)--;
    gen_node *leaf = next_leaf(s);
    if (depth > 0 && leaf->multi && gen_chance(&s->rng, 0.4)) {
        gen_node *set = node_over(s, GEN_SET, leaf);
        set->most = gen_between(&s->rng, 2, 4);
        return set;
    }
    return gen_chance(&s->rng, o->optionals) ? node_over(s, GEN_OPTIONAL, leaf) : leaf;
}

static void number_nodes(sampler *s, gen_node *node, const gen_node *parent, const char *prefix)
{
    node->id = s->schema->nodes++;
    node->parent = parent;
    if (node->type == GEN_LEAF || node->type == GEN_SET)
        node->path = gen_str(s->arena, "%s%s%s", prefix, *prefix ? "." : "", node->name);
    if (node->label && (node->type == GEN_LEAF || node->type == GEN_SET))
        s->schema->labels[s->schema->label_count++] = node->label;
    const bool tuples = node->type == GEN_SET && node->kids[0]->type == GEN_TUPLE;
    for (uint32_t i = 0; i < node->count; i++) /* as deep as --depth allows */
        number_nodes(s, node->kids[i], node, tuples ? node->path : prefix);
}

static void sampler_init(sampler *s, th__arena *arena, gen_rng rng, const gen_options *options)
{
    *s = (sampler){.arena = arena, .rng = rng, .options = options};
    s->schema = gen_alloc(arena, sizeof *s->schema);
    s->schema->labels = gen_alloc(arena, 300 * sizeof *s->schema->labels);
    s->domain = &domains[gen_below(&s->rng, DOMAINS)];
    shuffle(&s->rng, s->domain_order, 9);
    shuffle(&s->rng, s->pool_order, POOL);
    shuffle(&s->rng, s->set_order, SETS);
}

static gen_schema *finish(sampler *s, gen_node **kids, uint32_t count, const char *domain_name,
                          const char *noun)
{
    gen_node *root = node_new(s, GEN_TUPLE, count);
    memcpy(root->kids, kids, count * sizeof *kids);
    s->schema->root = root;
    s->schema->domain = domain_name;
    s->schema->noun = noun;
    number_nodes(s, root, NULL, "");
    return s->schema;
}

gen_schema *gen_schema_sample(th__arena *arena, gen_rng rng, const gen_options *options)
{
    static const field title = {"title", "Title|Name", GEN_V_TITLE, GEN_ROLE_KEY, false},
                       person = {"name", "Name|Member", GEN_V_PERSON, GEN_ROLE_KEY, false},
                       link = {"url", "Link", GEN_V_URL, GEN_ROLE_LINK, false},
                       image = {"image", "Image", GEN_V_IMAGE, GEN_ROLE_IMAGE, false};
    sampler s;
    sampler_init(&s, arena, rng, options);
    gen_node *kids[80];
    uint32_t count = 0, budget = gen_between(&s.rng, options->attrs.min, options->attrs.max);
    uint32_t depth = gen_between(&s.rng, options->depth.min, options->depth.max);
    const bool detail = options->kind == GEN_DETAIL;
    if (budget >= 4 && gen_chance(&s.rng, 0.45)) {
        gen_node *picture = leaf_new(&s, &image);
        kids[count++] =
            gen_chance(&s.rng, options->optionals) ? node_over(&s, GEN_OPTIONAL, picture) : picture;
        budget--;
    }
    if (!detail && budget >= 3 && gen_chance(&s.rng, 0.65)) {
        kids[count++] = leaf_new(&s, &link); /* right before the key: they share an element */
        budget--;
    }
    const bool people = s.domain->title_style == UINT32_MAX;
    gen_node *key = leaf_new(&s, people ? &person : &title);
    key->style = people ? key->style : s.domain->title_style;
    kids[count++] = key;
    budget--;
    gen_node *set = NULL;
    if (depth > 0 && budget > 0) {
        const uint32_t wanted = gen_between(&s.rng, depth + 1, 3 * depth);
        const uint32_t most = budget > 1 ? budget - (budget > 3) : 1;
        const uint32_t taken = wanted < most ? wanted : most;
        set = sample_set(&s, depth, taken);
        budget -= taken;
    }
    while (budget > 0)
        kids[count++] = sample_field(&s, depth, &budget);
    if (set)
        kids[count++] = set;
    return finish(&s, kids, count, s.domain->name, s.domain->noun);
}

gen_schema *gen_schema_faculty(th__arena *arena, gen_rng rng, uint32_t attrs)
{
    static const field fields[] = {
        {"url", "Home page", GEN_V_URL, GEN_ROLE_LINK, false},
        {"name", "Name", GEN_V_PERSON, GEN_ROLE_KEY, false},
        {"academic_title", "Title", GEN_V_ACADEMIC, P, true},
        {"admin_title", "Position", GEN_V_ADMIN, P, true},
        {"office", "Office", GEN_V_ROOM, P, false},
        {"phone", "Phone", GEN_V_PHONE, P, true},
        {"email", "E-mail", GEN_V_EMAIL, P, false},
        {"interests", "Research interests", GEN_V_SUBJECT, P, true},
        {"degree", "Degree", GEN_V_CODE, P, false},
        {"city", "City", GEN_V_CITY, P, false},
        {"hours", "Office hours", GEN_V_DURATION, P, false},
        {"started", "Since", GEN_V_YEAR, P, false},
        {"fax", "Fax", GEN_V_PHONE, P, false},
        {"group", "Group", GEN_V_COMPANY, P, true},
    };
    const uint32_t all = sizeof fields / sizeof *fields;
    sampler s;
    sampler_init(&s, arena, rng, NULL);
    gen_node *kids[16];
    uint32_t count = 0;
    attrs = attrs < 1 ? 1 : attrs > all ? all : attrs;
    if (attrs > 1)
        kids[count++] = node_over(&s, GEN_OPTIONAL, leaf_new(&s, &fields[0]));
    gen_node *key = leaf_new(&s, &fields[1]);
    if (attrs == 1) { /* the paper has pages of one attribute and two permutations: it repeats */
        kids[count] = node_over(&s, GEN_SET, key);
        kids[count++]->most = 2;
    } else {
        kids[count++] = key;
    }
    for (uint32_t i = 2; count < attrs; i++) {
        gen_node *leaf = leaf_new(&s, &fields[i]);
        kids[count] = node_over(&s, leaf->multi ? GEN_SET : GEN_OPTIONAL, leaf);
        kids[count++]->most = 2;
    }
    return finish(&s, kids, count, "faculty", "member");
}

static const char *const type_names[] = {"field", "tuple", "list", "optional", "choice"};

void gen_schema_json(th__buf *to, const gen_node *node)
{
    th__buf_printf(to, "{\"type\":\"%s\"", type_names[node->type]);
    if (node->path)
        th__buf_printf(to, ",\"name\":\"%s\",\"path\":\"%s\"", node->name, node->path);
    if (node->type == GEN_LEAF && (node->role == GEN_ROLE_LINK || node->role == GEN_ROLE_IMAGE))
        th__buf_printf(to, ",\"attribute\":true");
    if (node->count) {
        th__buf_printf(to, ",\"of\":[");
        for (uint32_t i = 0; i < node->count; i++) { /* as deep as --depth allows */
            if (i)
                th__buf_add_byte(to, ',');
            gen_schema_json(to, node->kids[i]);
        }
        th__buf_add_byte(to, ']');
    }
    th__buf_add_byte(to, '}');
}

void gen_schema_type(th__buf *to, const gen_node *node)
{
    static const char *const open[] = {"B", "<", "{", "(", "("}, *const close[] = {"", ">", "}",
                                                                                   ")?", ")"};
    th__buf_add_str(to, th_str_from(open[node->type]));
    for (uint32_t i = 0; i < node->count; i++) {
        if (i)
            th__buf_add_byte(to, node->type == GEN_CHOICE ? '|' : ',');
        gen_schema_type(to, node->kids[i]);
    }
    th__buf_add_str(to, th_str_from(close[node->type]));
}
