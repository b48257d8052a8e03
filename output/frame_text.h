/*
 * frame_text - the text of locations, made once and copied ever after.
 *
 * What is printed behind an instruction address, " SYM+0xOFF (DSO)\n" and its variants, depends only on the
 * location and on which fields are printed; it is kept by location->id. Two forms: a frame of a chain, which
 * has a line for each inlined call, and the single form behind the sample's ip, without line end.
 * Text for text what perf script 7.2 prints, except the name of a BPF trampoline with --show-kernel-path,
 * which perf leaves empty.
 */
#ifndef PERF2TXT_FRAME_TEXT_H
#define PERF2TXT_FRAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/location.h"
#include "util/arena.h"
#include "util/vec.h"

struct frame_text_options {
	bool full_source_path;
	bool show_kernel_path;
	const char *const *stop_at; /* --stop-bt: symbol names after which a chain ends */
	size_t nr_stop_at;
};

/* A frame of a chain. */
struct frame_text {
	uint32_t size;
	uint32_t nr_lines;    /* 1 + inlined calls; less when the chain ends inside */
	const uint32_t *ends; /* where in text each tail ends; NULL: one line */
	bool stop;            /* the chain ends here */
	char text[];          /* the lines' tails one after the other */
};

struct frame_line {
	uint32_t size;
	char text[];
};

struct frame_texts {
	uint64_t parts; /* FIELD_* bits of FIELDS_IP_PART */
	uint64_t owner; /* of notes with a struct frame_text; + 1: with a struct frame_line */
	struct frame_text_options options;
	struct arena arena;
	VEC(char) scratch;
	/* By location->id: what is not kept in the location's own note. NULL: not made yet. */
	VEC(const struct frame_text *) frames;
	VEC(const struct frame_line *) lines;
};

/** @options and what it points to must outlive @texts. */
void frame_texts_init(struct frame_texts *texts, uint64_t parts, const struct frame_text_options *options);
void frame_texts_deinit(struct frame_texts *texts);

const struct frame_text *frame_text_get(struct frame_texts *texts, const struct location *location);
const struct frame_line *frame_line_get(struct frame_texts *texts, const struct location *location);

/** Lent until frame_texts_deinit(). */
static inline const struct frame_text *frame_text_of(struct frame_texts *texts,
						     const struct location *location)
{
	const struct location_note *note = location_note(location);

	return note->owner == texts->owner ? note->text : frame_text_get(texts, location);
}

static inline const struct frame_line *frame_line_of(struct frame_texts *texts,
						     const struct location *location)
{
	const struct location_note *note = location_note(location);

	return note->owner == texts->owner + 1 ? note->text : frame_line_get(texts, location);
}

/** The name of the location's dso as it is printed, without the offset of dsoff; "[unknown]" when there is
 * none. */
const char *frame_dso_name(const struct location *location, bool show_kernel_path);

/** What follows the last '/'. */
const char *frame_basename(const char *path);

#endif
