/* intern.c: a hash table with linear probing, at most half full. */
#include "base/intern.h"

#include "base/mem.h"
#include "base/str.h"

void th__intern_init(th__intern *table)
{
    *table = (th__intern){0};
    th__arena_init(&table->arena);
}

void th__intern_release(th__intern *table)
{
    th__arena_release(&table->arena);
    th__mem_free(table->names);
    th__mem_free(table->hashes);
    th__mem_free(table->slots);
    *table = (th__intern){0};
}

/* The slot that holds text, or the free one where it belongs. */
static uint32_t find_slot(const th__intern *table, th_str text, uint64_t hash)
{
    uint32_t mask = table->slot_count - 1, slot = (uint32_t)hash & mask;
    for (; table->slots[slot]; slot = (slot + 1) & mask) {
        uint32_t id = table->slots[slot] - 1;
        if (table->hashes[id] == hash && th__str_eq(table->names[id], text))
            break;
    }
    return slot;
}

static bool grow(th__intern *table)
{
    uint32_t cap = table->cap ? table->cap * 2 : 32;
    th_str *names = th__mem_resize(table->names, cap, sizeof *names);
    if (!names)
        return false;
    table->names = names;
    uint64_t *hashes = th__mem_resize(table->hashes, cap, sizeof *hashes);
    if (!hashes)
        return false;
    table->hashes = hashes;
    uint32_t *slots = th__mem_zero((size_t)cap * 2, sizeof *slots);
    if (!slots)
        return false;
    th__mem_free(table->slots);
    table->slots = slots;
    table->cap = cap;
    table->slot_count = cap * 2;
    for (uint32_t id = 0; id < table->len; id++) {
        uint32_t slot = (uint32_t)table->hashes[id] & (table->slot_count - 1);
        while (slots[slot])
            slot = (slot + 1) & (table->slot_count - 1);
        slots[slot] = id + 1;
    }
    return true;
}

uint32_t th__intern_add(th__intern *table, th_str text)
{
    if (table->len == table->cap && (table->cap >= 1u << 30 || !grow(table)))
        return TH__INTERN_NONE;
    uint64_t hash = th__hash(text.ptr, text.len);
    uint32_t slot = find_slot(table, text, hash);
    if (table->slots[slot])
        return table->slots[slot] - 1;
    th_str copy = th__arena_copy(&table->arena, text);
    if (!copy.ptr)
        return TH__INTERN_NONE;
    uint32_t id = table->len++;
    table->names[id] = copy;
    table->hashes[id] = hash;
    table->slots[slot] = id + 1;
    return id;
}

uint32_t th__intern_find(const th__intern *table, th_str text)
{
    if (!table->len)
        return TH__INTERN_NONE;
    uint32_t slot = find_slot(table, text, th__hash(text.ptr, text.len));
    return table->slots[slot] ? table->slots[slot] - 1 : TH__INTERN_NONE;
}

th_str th__intern_name(const th__intern *table, uint32_t id)
{
    return table->names[id];
}
