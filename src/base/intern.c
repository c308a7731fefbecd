/* intern.c: a map from the hashes of strings. Where two strings have the same hash, the later one
 * goes where the hash of the hash says. */
#include "base/intern.h"

#include "base/str.h"
#include "base/vec.h"

void th__intern_init(th__intern *table)
{
    *table = (th__intern){0};
    th__arena_init(&table->arena);
}

void th__intern_release(th__intern *table)
{
    th__arena_release(&table->arena);
    th__key_map_release(&table->ids);
    th__mem_free(table->names);
    *table = (th__intern){0};
}

/* The id of text + 1, or 0; sets the key under which it is or would be. */
static uint32_t find(const th__intern *table, th_str text, uint64_t *key)
{
    uint32_t found;
    *key = th__hash(text.ptr, text.len);
    while ((found = th__key_map_get(&table->ids, *key)) &&
           !th__str_eq(table->names[found - 1], text))
        *key = th__hash_mix(*key, 1);
    return found;
}

uint32_t th__intern_add(th__intern *table, th_str text)
{
    uint64_t key;
    uint32_t found = find(table, text, &key);
    if (found)
        return found - 1;
    th_str copy = th__arena_copy(&table->arena, text);
    if (!copy.ptr || table->len >= 1u << 30 ||
        (table->len == table->cap &&
         !th__vec_grow((void **)&table->names, &table->cap, table->len + 1, sizeof copy)) ||
        !th__key_map_put(&table->ids, key, (uint32_t)table->len + 1))
        return TH__INTERN_NONE;
    table->names[table->len] = copy;
    return (uint32_t)table->len++;
}

uint32_t th__intern_find(const th__intern *table, th_str text)
{
    uint64_t key;
    return find(table, text, &key) - 1;
}

th_str th__intern_name(const th__intern *table, uint32_t id)
{
    return table->names[id];
}
