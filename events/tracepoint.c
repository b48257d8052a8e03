#include "events/tracepoint.h"

#include <stdlib.h>
#include <string.h>

#include "events/trace_format.h"
#include "util/arena.h"
#include "util/cursor.h"
#include "util/hash.h"
#include "util/xalloc.h"

struct event_format {
	struct trace_format format;
	const char *full_name;
};

struct tracepoint {
	VEC(struct event_format *) all;
	struct hash by_id;   /* -> struct event_format */
	struct hash strings; /* kernel address of a constant string -> text */
	struct arena arena;
	bool big_endian;
	uint8_t long_size;
	trace_resolve resolve;
	void *context;
	struct trace_out out;
};

/* A u64 size and that many bytes; NULL and bad when there are fewer. */
static const char *sized_bytes(struct cursor *c, size_t *ret_size)
{
	uint64_t size = cursor_u64(c);

	*ret_size = size < SIZE_MAX ? (size_t)size : SIZE_MAX;
	return (const char *)cursor_bytes(c, *ret_size);
}

/* Of two formats with one id the first counts, as in libtraceevent. */
static void add_format(struct tracepoint *t, const char *system, const struct trace_format *format)
{
	struct event_format *e = xmalloc(sizeof(*e));
	AUTOFREE char *name = xasprintf("%s:%s", system, format->name);

	e->format = *format;
	e->full_name = arena_strndup(&t->arena, name, strlen(name));
	vec_push(&t->all, e);
	if (hash_get(&t->by_id, format->id, 0) == HASH_NONE)
		hash_put_ptr(&t->by_id, format->id, 0, e);
}

/* False: the text is no format; perf reads no further then. */
static bool read_event(struct tracepoint *t, struct cursor *c, const char *system)
{
	size_t size;
	const char *text = sized_bytes(c, &size);
	struct trace_format format;

	if (!text)
		return true; /* the cursor is bad: the caller sees that */
	if (!trace_format_read(&t->arena, text, size, t->long_size, &format)) {
		trace_format_free(&format);
		return false;
	}
	add_format(t, system, &format);
	return true;
}

static bool read_system(struct tracepoint *t, struct cursor *c, const char *system)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && !cursor_bad(c); i++)
		if (!read_event(t, c, system))
			return false;
	return true;
}

static bool read_systems(struct tracepoint *t, struct cursor *c)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; i < count && !cursor_bad(c); i++) {
		const char *system = cursor_string(c);

		if (system && !read_system(t, c, system))
			return false;
	}
	return true;
}

/* 0xADDRESS : "text"; a \n at the text's end does not count. */
static void read_string_line(struct tracepoint *t, const char *line)
{
	const char *at = strchr(line, ':');

	if (!at)
		return;
	const char *end = line + strlen(line);

	at++;
	if (*at == ' ')
		at++;
	if (*at == '"')
		at++;
	if (end > at && end[-1] == '"')
		end--;
	if (end - at >= 2 && !memcmp(end - 2, "\\n", 2))
		end -= 2;
	hash_put_ptr(&t->strings, strtoull(line, NULL, 16), 0,
		     arena_strndup(&t->arena, at, (size_t)(end - at)));
}

static void read_strings(struct tracepoint *t, struct cursor *c)
{
	uint32_t size = cursor_u32(c);
	const char *block = (const char *)cursor_bytes(c, size);

	if (!block)
		return;
	AUTOFREE char *text = xstrndup(block, size);
	char *at = text;

	for (char *line; (line = strsep(&at, "\n"));)
		read_string_line(t, line);
}

/* Each part of the header is its name, a size and that many bytes. NULL and bad when it is not there. */
static const char *read_part(struct cursor *c, const char *name, size_t *ret_size)
{
	const char *is = cursor_string(c);
	const char *bytes = sized_bytes(c, ret_size);

	if (is && !strcmp(is, name))
		return bytes;
	c->bad = true;
	return NULL;
}

/* A 32-bit perf writes its own size of long; the ring buffer's page header has the kernel's: its field
 * "commit". */
static void read_header_page(struct tracepoint *t, struct cursor *c)
{
	size_t size;
	const char *page = read_part(c, "header_page", &size);
	const char *commit = page ? memmem(page, size, "commit;", 7) : NULL;
	const char *key = commit ? memmem(commit, (size_t)(page + size - commit), "size:", 5) : NULL;

	if (!key || key + 5 == page + size)
		return;
	if (key[5] == '4' || key[5] == '8')
		t->long_size = (uint8_t)(key[5] - '0');
}

static const char *read_blocks(struct tracepoint *t, struct cursor *c)
{
	size_t size;

	read_header_page(t, c);
	(void)read_part(c, "header_event", &size);
	if (!read_system(t, c, "ftrace") || !read_systems(t, c))
		return "tracing data: a format is damaged";
	cursor_skip(c, cursor_u32(c)); /* kallsyms */
	read_strings(t, c);
	/* What is left are command names by pid: the records of the recording say these better. */
	return cursor_bad(c) ? "tracing data: ends too early" : NULL;
}

struct tracepoint *tracepoint_new(const void *data, uint64_t size, const char **why)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct cursor c = cursor_make(data, (size_t)size, false);
	const uint8_t *start = cursor_bytes(&c, sizeof(magic));

	if (!start || memcmp(start, magic, sizeof(magic)) || !cursor_string(&c)) {
		*why = "tracing data: not recognized";
		return NULL;
	}
	struct tracepoint *t = xcalloc(1, sizeof(*t));

	t->big_endian = c.big_endian = cursor_u8(&c) != 0;
	t->long_size = cursor_u8(&c) == 4 ? 4 : 8;
	cursor_skip(&c, 4); /* the page size */
	*why = read_blocks(t, &c);
	return t;
}

void tracepoint_free(struct tracepoint *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->all.count; i++) {
		trace_format_free(&t->all.at[i]->format);
		free(t->all.at[i]);
	}
	vec_free(&t->all);
	hash_free(&t->by_id);
	hash_free(&t->strings);
	arena_free(&t->arena);
	vec_free(&t->out.text);
	free(t);
}

void tracepoint_set_resolver(struct tracepoint *t, trace_resolve resolve, void *context)
{
	t->resolve = resolve;
	t->context = context;
}

const char *tracepoint_event_name(const struct tracepoint *t, uint64_t id)
{
	const struct event_format *e = hash_get_ptr(&t->by_id, id, 0);

	return e ? e->full_name : NULL;
}

const char *tracepoint_format(struct tracepoint *t, const void *raw, size_t size, size_t *ret_size)
{
	*ret_size = 0;
	if (size < 2)
		return NULL;
	struct event_format *e = hash_get_ptr(&t->by_id, load_u16(raw, t->big_endian), 0);

	if (!e)
		return NULL;
	const struct trace_record record = { .data = raw,
					     .size = size,
					     .big_endian = t->big_endian,
					     .long_size = t->long_size,
					     .resolve = t->resolve,
					     .context = t->context,
					     .strings = &t->strings };

	trace_format_compile(&t->arena, &e->format, t->long_size);
	vec_clear(&t->out.text);
	vec_reserve(&t->out.text, 256); /* so that even no text has a place */
	trace_format_print(&e->format, &record, &t->out);
	*ret_size = t->out.text.count;
	return t->out.text.at;
}
