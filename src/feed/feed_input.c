/* feed_input.c: one page's bytes and what is known of them. */
#include "feed/feed_input.h"

#include "base/error.h"
#include "base/mem.h"

static th_str put(char **at, th_str text)
{
    if (!text.ptr)
        return text;
    char *start = *at;
    if (text.len)
        memcpy(start, text.ptr, text.len);
    *at += text.len;
    return (th_str){start, text.len};
}

th_status th__input_new(th_str name, th_str origin, th_str url, th_str charset, th_input **out,
                        th_error *err)
{
    th_input *input =
        th__mem_alloc(sizeof *input + name.len + origin.len + url.len + charset.len + 1);
    if (!input)
        return th__fail_memory(err);
    char *at = input->text;
    input->data = NULL;
    input->bytes = TH_STR("");
    input->name = put(&at, name);
    input->origin = put(&at, origin);
    input->url = put(&at, url);
    input->charset = put(&at, charset);
    *out = input;
    return TH_OK;
}

void th__input_give(th_input *input, th__buf *buf, size_t start)
{
    input->data = buf->data;
    input->bytes = th__buf_str(buf);
    input->bytes.ptr += start;
    input->bytes.len -= start;
    *buf = (th__buf){0};
}

th_status th_input_new(th_str name, const th_page_source *source, th_str bytes, th_input **out,
                       th_error *err)
{
    th_page_source none = {0};
    th__buf copy = {0};
    *out = NULL;
    if (!source)
        source = &none;
    if (!th__buf_add_str(&copy, bytes))
        return th__fail_memory(err);
    th_status status = th__input_new(name, name, source->url, source->charset, out, err);
    if (!status)
        th__input_give(*out, &copy, 0);
    th__buf_release(&copy);
    return status;
}

void th_input_free(th_input *input)
{
    if (!input)
        return;
    th__mem_free(input->data);
    th__mem_free(input);
}

th_str th_input_name(const th_input *input)
{
    return input->name;
}

th_str th_input_origin(const th_input *input)
{
    return input->origin;
}

th_str th_input_bytes(const th_input *input)
{
    return input->bytes;
}

th_str th_input_url(const th_input *input)
{
    return input->url;
}

th_str th_input_charset(const th_input *input)
{
    return input->charset;
}

void th_input_source(const th_input *input, th_page_source *out)
{
    *out = (th_page_source){.url = input->url, .charset = input->charset};
}
