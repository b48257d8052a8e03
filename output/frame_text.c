#include "output/frame_text.h"

void frame_texts_init(struct frame_texts *texts, uint64_t parts, const struct frame_text_options *options)
{
	memset(texts, 0, sizeof(*texts));
	texts->owner = location_new_owner();
	texts->parts = parts;
	texts->options = *options;
}

void frame_texts_deinit(struct frame_texts *texts)
{
	arena_free(&texts->arena);
	vec_free(&texts->scratch);
	vec_free(&texts->frames);
	vec_free(&texts->lines);
}

static void put_bytes(struct frame_texts *texts, const char *data, size_t size)
{
	vec_reserve(&texts->scratch, texts->scratch.count + size);
	memcpy(texts->scratch.at + texts->scratch.count, data, size);
	texts->scratch.count += size;
}

static void put(struct frame_texts *texts, const char *text)
{
	put_bytes(texts, text, strlen(text));
}

static void put_hex(struct frame_texts *texts, uint64_t value)
{
	char digits[DIGITS_MAX];

	put_bytes(texts, digits, (size_t)(digits_hex_any(digits, value) - digits));
}

static void put_dec(struct frame_texts *texts, uint64_t value)
{
	char digits[DIGITS_MAX];

	put_bytes(texts, digits, (size_t)(digits_dec(digits, value, 0) - digits));
}

const char *frame_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *frame_dso_name(const struct location *location, bool show_kernel_path)
{
	const struct dso *dso = location->dso;

	if (!dso)
		return "[unknown]";
	bool kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE;
	return show_kernel_path && kernel && dso->long_name ? dso->long_name : dso->name;
}

/*
 * Not what never is an object file; of the kernel and of JIT code only while no kallsyms or perf-PID.map
 * stands in for it (measured with perf 7.2.13, recordings with and without them).
 */
static bool is_object_file(const struct dso *dso)
{
	switch (dso->kind) {
	case DSO_KSYMBOL:
		return false;
	case DSO_JIT:
		return !dso->symtab;
	case DSO_KERNEL:
		return dso->binary || !dso->symtab;
	default:
		return true;
	}
}

const char *frame_dsoff_name(const struct dso *dso)
{
	if (!dso || !is_object_file(dso))
		return NULL;
	return dso->long_name ? dso->long_name : dso->name;
}

/* A number of the address: as text when the text is this address's own, else its place is noted. */
static void put_number(struct frame_texts *texts, const struct spot *spot, uint64_t value, uint32_t *place)
{
	if (spot->location->one_address)
		put_hex(texts, value);
	else
		*place = (uint32_t)texts->scratch.count;
}

static void put_symbol(struct frame_texts *texts, const struct spot *spot, const char *name,
		       struct frame_text *made)
{
	if (!(texts->parts & FIELD_SYM))
		return;
	put(texts, " ");
	put(texts, name ? name : "[unknown]");
	if (name && texts->parts & FIELD_SYMOFF) {
		put(texts, "+0x");
		put_number(texts, spot, spot_symoff(spot), &made->symoff_at);
	}
}

static void put_dso(struct frame_texts *texts, const struct spot *spot, struct frame_text *made)
{
	const char *name = texts->parts & FIELD_DSOFF ? frame_dsoff_name(spot->location->dso) : NULL;

	if (!(texts->parts & FIELD_DSO))
		return;
	put(texts, " (");
	if (name) {
		put(texts, name);
		put(texts, "+0x");
		put_number(texts, spot, frame_dsoff(spot), &made->dsoff_at);
	} else {
		put(texts, frame_dso_name(spot->location, texts->options.show_kernel_path));
	}
	put(texts, ")");
}

static void put_srcline(struct frame_texts *texts, const struct location *location, const char *file,
			uint32_t line)
{
	if (!(texts->parts & FIELD_SRCLINE) || !location->dso)
		return;
	put(texts, "\n  ");
	if (file) {
		put(texts, texts->options.full_source_path ? file : frame_basename(file));
		put(texts, ":");
		put_dec(texts, line);
		return;
	}
	put(texts, location->dso->short_name ? location->dso->short_name : location->dso->name);
	put(texts, "[");
	put_hex(texts, location->vaddr - location->dso->text_start);
	put(texts, "]");
}

static bool ends_chain(const struct frame_texts *texts, const char *name)
{
	for (size_t i = 0; name && i < texts->options.nr_stop_at; i++) {
		if (!strcmp(texts->options.stop_at[i], name))
			return true;
	}
	return false;
}

/* One line of a frame, from behind the address to the line end. @index == nr_inlines: the function itself. */
static void put_chain_line(struct frame_texts *texts, const struct spot *spot, uint32_t index,
			   struct frame_text *made)
{
	const struct location *location = spot->location;
	bool inlined = index < location->nr_inlines;
	const struct inline_call *call = inlined ? &location->inlines[index] : NULL;

	put_symbol(texts, spot, inlined ? call->name : location->name, made);
	if (!inlined)
		put_dso(texts, spot, made);
	put_srcline(texts, location, inlined ? call->file : location->file,
		    inlined ? call->line : location->line);
	put(texts, inlined ? " (inlined)\n" : "\n");
}

/* Room for @id in a vec of pointers; new ones are NULL. */
#define GROW(v, id)                                                                                          \
	do {                                                                                                 \
		size_t _old = (v)->count;                                                                    \
		if ((id) >= _old) {                                                                          \
			vec_reserve((v), (size_t)(id) + 1);                                                  \
			(v)->count = (size_t)(id) + 1;                                                       \
			memset((v)->at + _old, 0, ((v)->count - _old) * sizeof(*(v)->at));                   \
		}                                                                                            \
	} while (0)

/* The first to want a location's text keeps it in the location itself. */
static void keep_note(const struct location *location, uint64_t owner, const void *text)
{
	struct location_note *note = location_note(location);

	if (!note->owner)
		*note = (struct location_note){ owner, text };
}

/* A copy of @made with the text that was put together. */
static const struct frame_text *keep_text(struct frame_texts *texts, const struct frame_text *made)
{
	struct frame_text *text = arena_alloc(&texts->arena, sizeof(*text) + texts->scratch.count + BLOCK);

	*text = *made;
	text->size = (uint32_t)texts->scratch.count;
	/* A tab and 16 digits a line; symoff and dsoff; what blocks_copy() may write over. */
	text->room = (size_t)made->nr_lines * 17 + texts->scratch.count + 2 * DIGITS_MAX + BLOCK;
	if (text->size)
		memcpy(text->text, texts->scratch.at, text->size);
	return text;
}

static const struct frame_text *make_frame(struct frame_texts *texts, const struct spot *spot)
{
	const struct location *location = spot->location;
	struct frame_text made = { 0 };
	uint32_t nr_lines = location->nr_inlines + 1;
	uint32_t *ends = nr_lines == 1 ? NULL : arena_alloc(&texts->arena, nr_lines * sizeof(*ends));

	vec_clear(&texts->scratch);
	while (made.nr_lines < nr_lines && !made.stop) {
		uint32_t index = made.nr_lines++;
		put_chain_line(texts, spot, index, &made);
		if (ends)
			ends[index] = (uint32_t)texts->scratch.count;
		made.stop = ends_chain(texts, index < location->nr_inlines ? location->inlines[index].name
									   : location->name);
	}
	made.ends = ends;
	return keep_text(texts, &made);
}

const struct frame_text *frame_text_get(struct frame_texts *texts, const struct spot *spot)
{
	GROW(&texts->frames, spot->location->id);
	const struct frame_text **text = &texts->frames.at[spot->location->id];
	if (!*text)
		*text = make_frame(texts, spot);
	keep_note(spot->location, texts->owner, *text);
	return *text;
}

static const struct frame_text *make_line(struct frame_texts *texts, const struct spot *spot)
{
	/* The line of the address itself: that of the innermost inlined call when there are any. */
	const struct location *location = spot->location;
	const struct inline_call *innermost = location->nr_inlines ? location->inlines : NULL;
	const char *file = innermost ? innermost->file : location->file;
	struct frame_text made = { .nr_lines = 1 };

	vec_clear(&texts->scratch);
	put_symbol(texts, spot, location->name, &made);
	put_dso(texts, spot, &made);
	put_srcline(texts, location, file, innermost ? innermost->line : location->line);
	return keep_text(texts, &made);
}

const struct frame_text *frame_line_get(struct frame_texts *texts, const struct spot *spot)
{
	GROW(&texts->lines, spot->location->id);
	const struct frame_text **line = &texts->lines.at[spot->location->id];
	if (!*line)
		*line = make_line(texts, spot);
	keep_note(spot->location, texts->owner + 1, *line);
	return *line;
}

char *frame_inlined_put(char *at, bool with_ip, uint64_t ip, const struct frame_text *text)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < text->nr_lines; i++) {
		if (with_ip)
			at = frame_ip_put(at, ip);
		at = blocks_copy(at, text->text + from, text->ends[i] - from);
		from = text->ends[i];
	}
	return at;
}
