/* pattern.c: building, comparing and writing patterns with options and alternatives. */
#include "strings/pattern.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"

void th__pattern_init(th__pattern *pattern)
{
    *pattern = (th__pattern){0};
}

void th__pattern_release(th__pattern *pattern)
{
    th__mem_free(pattern->columns);
    th__mem_free(pattern->symbols);
    *pattern = (th__pattern){0};
}

static bool reserve(th__pattern *p, uint32_t columns, uint32_t symbols)
{
    size_t column_cap = p->column_cap, symbol_cap = p->symbol_cap;
    bool ok = ((size_t)p->len + columns <= column_cap ||
               th__vec_grow((void **)&p->columns, &column_cap, (size_t)p->len + columns,
                            sizeof *p->columns)) &&
              ((size_t)p->symbol_count + symbols <= symbol_cap ||
               th__vec_grow((void **)&p->symbols, &symbol_cap, (size_t)p->symbol_count + symbols,
                            sizeof *p->symbols));
    p->column_cap = (uint32_t)column_cap;
    p->symbol_cap = (uint32_t)symbol_cap;
    return ok;
}

th_status th__pattern_add(th__pattern *pattern, const uint32_t *symbols, uint32_t count,
                          bool optional, th_error *err)
{
    if (pattern->len >= TH__PATTERN_MAX)
        return th__fail(err, TH_ERR_LIMIT, "a pattern of more than %d columns; the limit is %d",
                        TH__PATTERN_MAX, TH__PATTERN_MAX);
    if (count > TH__COLUMN_MAX)
        return th__fail(err, TH_ERR_LIMIT, "a column of %u alternatives; the limit is %d", count,
                        TH__COLUMN_MAX);
    if (!reserve(pattern, 1, count))
        return th__fail_memory(err);
    th__column column = {.first = pattern->symbol_count, .optional = optional};
    uint32_t *own = pattern->symbols + column.first;
    for (uint32_t i = 0; i < count; i++) { /* sets are small: insertion */
        uint32_t at = column.count;
        while (at > 0 && own[at - 1] > symbols[i])
            at--;
        if (at > 0 && own[at - 1] == symbols[i])
            continue;
        for (uint32_t k = column.count; k > at; k--)
            own[k] = own[k - 1];
        own[at] = symbols[i];
        column.count++;
    }
    pattern->symbol_count += column.count;
    pattern->columns[pattern->len++] = column;
    return TH_OK;
}

th_status th__pattern_from(th__pattern *out, const uint32_t *symbols, uint32_t count, th_error *err)
{
    th_status status = TH_OK;
    th__pattern_init(out);
    for (uint32_t i = 0; !status && i < count; i++)
        status = th__pattern_add(out, &symbols[i], 1, false, err);
    if (status)
        th__pattern_release(out);
    return status;
}

th_status th__pattern_copy(th__pattern *out, const th__pattern *pattern, th_error *err)
{
    th_status status = TH_OK;
    th__pattern_init(out);
    for (uint32_t i = 0; !status && i < pattern->len; i++) {
        const th__column *c = &pattern->columns[i];
        status = th__pattern_add(out, pattern->symbols + c->first, c->count, c->optional, err);
    }
    if (status)
        th__pattern_release(out);
    return status;
}

th_status th__pattern_rotate(th__pattern *pattern, uint32_t by, th_error *err)
{
    if (pattern->len == 0 || by % pattern->len == 0)
        return TH_OK;
    by %= pattern->len;
    th__column *turned = TH__NEW_ARRAY(th__column, pattern->len);
    if (!turned)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < pattern->len; i++)
        turned[i] = pattern->columns[(i + by) % pattern->len];
    th__mem_free(pattern->columns);
    pattern->columns = turned;
    pattern->column_cap = pattern->len;
    return TH_OK;
}

static bool same_column(const th__pattern *a, uint32_t i, const th__pattern *b, uint32_t k)
{
    const th__column *x = &a->columns[i], *y = &b->columns[k];
    if (x->count != y->count || x->optional != y->optional)
        return false;
    for (uint32_t n = 0; n < x->count; n++)
        if (a->symbols[x->first + n] != b->symbols[y->first + n])
            return false;
    return true;
}

bool th__pattern_equal(const th__pattern *a, const th__pattern *b)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (!same_column(a, i, b, i))
            return false;
    return true;
}

void th__pattern_cut_power(th__pattern *pattern)
{
    for (uint32_t root = 1; root <= pattern->len / 2; root++) {
        uint32_t i = root;
        if (pattern->len % root != 0)
            continue;
        while (i < pattern->len && same_column(pattern, i, pattern, i - root))
            i++;
        if (i == pattern->len) {
            pattern->len = root;
            return;
        }
    }
}

bool th__column_fixed(const th__pattern *pattern, uint32_t column, uint32_t *symbol)
{
    const th__column *c = &pattern->columns[column];
    if (c->optional || c->count != 1)
        return false;
    *symbol = pattern->symbols[c->first];
    return true;
}

bool th__column_has(const th__pattern *pattern, uint32_t column, uint32_t symbol)
{
    const th__column *c = &pattern->columns[column];
    for (uint32_t k = 0; k < c->count; k++)
        if (pattern->symbols[c->first + k] == symbol)
            return true;
    return false;
}

uint32_t th__pattern_loose(const th__pattern *pattern)
{
    uint32_t loose = 0, symbol;
    for (uint32_t i = 0; i < pattern->len; i++)
        loose += !th__column_fixed(pattern, i, &symbol);
    return loose;
}

void th__pattern_print(const th__pattern *pattern, th__symbol_name name, const void *context,
                       th__buf *out)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const th__column *c = &pattern->columns[i];
        bool set = c->optional || c->count != 1;
        if (set)
            th__buf_add_byte(out, '[');
        for (uint32_t k = 0; k < c->count; k++) {
            if (k > 0)
                th__buf_add_byte(out, '|');
            name(context, pattern->symbols[c->first + k], out);
        }
        if (c->optional)
            th__buf_add_str(out, TH_STR("|-"));
        if (set)
            th__buf_add_byte(out, ']');
    }
}
