/*
 * frame_text - the text of locations, made once and copied ever after.
 *
 * What is printed behind an instruction address, " SYM+0xOFF (DSO)\n" and its variants, depends on the
 * location, on which fields are printed, and on up to two numbers of the address; all but the numbers is kept
 * with the location. Two forms: a frame of a chain, which has a line for each inlined call, and the single
 * form behind the sample's ip, without line end. Text for text what perf script 7.2 prints, except the name
 * of a BPF trampoline with --show-kernel-path, which perf leaves empty.
 */
#ifndef PERF2TXT_FRAME_TEXT_H
#define PERF2TXT_FRAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "output/fields.h"
#include "symbolize/dso.h"
#include "symbolize/location.h"
#include "util/arena.h"
#include "util/blocks.h"
#include "util/digits.h"
#include "util/vec.h"

struct frame_text_options {
	bool full_source_path;
	bool show_kernel_path;
	const char *const *stop_at; /* --stop-bt: symbol names after which a chain ends */
	size_t nr_stop_at;
};

struct frame_text {
	size_t room; /* for the text with its numbers and an address in front of each line */
	uint32_t size;
	/* Where in the text the address's numbers are to be put, in hexadecimal; 0: nowhere. */
	uint32_t symoff_at, dsoff_at;
	uint32_t nr_lines; /* 1 + inlined calls; less when the chain ends inside */
	/* Where in text each line ends; its numbers are in the text then. NULL: one line. */
	const uint32_t *ends;
	bool stop;   /* the chain ends here */
	char text[]; /* BLOCK bytes more than size, for blocks_copy() */
};

struct frame_texts {
	uint64_t parts; /* FIELD_* bits of FIELDS_IP_PART */
	uint64_t owner; /* of notes with the text of a frame; + 1: with the single form */
	struct frame_text_options options;
	struct arena arena;
	VEC(char) scratch;
	/* By location->id: what is not kept in the location's own note. NULL: not made yet. */
	VEC(const struct frame_text *) frames;
	VEC(const struct frame_text *) lines;
};

/** @options and what it points to must outlive @texts. */
void frame_texts_init(struct frame_texts *texts, uint64_t parts, const struct frame_text_options *options);
void frame_texts_deinit(struct frame_texts *texts);

const struct frame_text *frame_text_get(struct frame_texts *texts, const struct spot *spot);
const struct frame_text *frame_line_get(struct frame_texts *texts, const struct spot *spot);

/** As a frame of a chain. Lent until frame_texts_deinit(). */
static inline const struct frame_text *frame_text_of(struct frame_texts *texts, const struct spot *spot)
{
	const struct location_note *note = location_note(spot->location);

	return note->owner == texts->owner ? note->text : frame_text_get(texts, spot);
}

/** In the single form. Lent until frame_texts_deinit(). */
static inline const struct frame_text *frame_line_of(struct frame_texts *texts, const struct spot *spot)
{
	const struct location_note *note = location_note(spot->location);

	return note->owner == texts->owner + 1 ? note->text : frame_line_get(texts, spot);
}

/** What dsoff prints in front of the offset; NULL: the dso (NULL: none) has no address of its own. */
const char *frame_dsoff_name(const struct dso *dso);

static inline uint64_t frame_dsoff(const struct spot *spot)
{
	return spot->offset - spot->location->dso->file_start;
}

/** Write the text with its numbers, in text->room bytes; returns the place behind it. */
static inline char *frame_text_put(char *at, const struct frame_text *text, const struct spot *spot)
{
	uint32_t from = 0;

	if (text->symoff_at) {
		from = text->symoff_at;
		at = digits_hex_any(blocks_copy(at, text->text, from), spot_symoff(spot));
	}
	if (text->dsoff_at) {
		at = blocks_copy(at, text->text + from, text->dsoff_at - from);
		at = digits_hex_any(at, frame_dsoff(spot));
		from = text->dsoff_at;
	}
	return blocks_copy(at, text->text + from, text->size - from);
}

/** What is in front of a line of a chain. */
static inline char *frame_ip_put(char *at, uint64_t ip)
{
	*at = '\t';
	return digits_hex16(at + 1, ip);
}

char *frame_inlined_put(char *at, bool with_ip, uint64_t ip, const struct frame_text *text);

/** All lines of a frame of a chain, in text->room bytes. */
static inline char *frame_lines_put(char *at, const struct frame_texts *texts, const struct frame_text *text,
				    uint64_t ip, const struct spot *spot)
{
	bool with_ip = texts->parts & FIELD_IP;

	if (text->ends)
		return frame_inlined_put(at, with_ip, ip, text);
	return frame_text_put(with_ip ? frame_ip_put(at, ip) : at, text, spot);
}

/** The name of the location's dso as it is printed, without the offset of dsoff; "[unknown]" when there is
 * none. */
const char *frame_dso_name(const struct location *location, bool show_kernel_path);

/** What follows the last '/'. */
const char *frame_basename(const char *path);

#endif
