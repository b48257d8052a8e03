#include "output/chain_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

/* Of one recent chain. Both arrays are filled from their ends: the outermost frame is last. */
struct recent_text {
	uint64_t serial;	   /* of the view->reuse.serial that it is of; 0: none */
	struct frame_texts *texts; /* the fields that it was made for */
	size_t nr_frames;
	uint32_t *behind; /* [room - k]: bytes from the k-th frame from the end to the end of the text */
	size_t room;
	char *text;
	size_t text_room, text_size;
};

struct chain_texts {
	struct recent_text recent[VIEW_RECENT_CHAINS];
};

struct chain_texts *chain_texts_new(void)
{
	return xcalloc(1, sizeof(struct chain_texts));
}

void chain_texts_free(struct chain_texts *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < VIEW_RECENT_CHAINS; i++) {
		free(c->recent[i].behind);
		free(c->recent[i].text);
	}
	free(c);
}

static char *text_begin(const struct recent_text *r)
{
	return r->text + r->text_room - r->text_size;
}

static void reserve_frames(struct recent_text *r, size_t nr_frames)
{
	if (nr_frames <= r->room)
		return;
	size_t room = 2 * nr_frames;
	uint32_t *behind = xreallocarray(NULL, room, sizeof(*behind));
	if (r->nr_frames)
		memcpy(behind + room - r->nr_frames, r->behind + r->room - r->nr_frames,
		       r->nr_frames * sizeof(*behind));
	free(r->behind);
	r->behind = behind;
	r->room = room;
}

/* Room for @more bytes in front of the text. */
static void reserve_text(struct recent_text *r, size_t more)
{
	if (r->text_size + more <= r->text_room)
		return;
	size_t room = 2 * (r->text_size + more);
	char *text = xmalloc(room);
	if (r->text_size)
		memcpy(text + room - r->text_size, text_begin(r), r->text_size);
	free(r->text);
	r->text = text;
	r->text_room = room;
}

static size_t room_for(struct frame_texts *texts, const struct view_frame *frames, size_t count)
{
	size_t room = 0;

	for (size_t i = 0; i < count; i++)
		room += frame_text_of(texts, &frames[i].spot)->room;
	return room;
}

/* Write the first @count frames, and keep their text in front of what is there. */
static void put_new(struct recent_text *r, struct writer *w, const struct view_frame *frames, size_t count)
{
	uint32_t *behind = r->behind + r->room - r->nr_frames - count;
	char *from = writer_room(w, room_for(r->texts, frames, count)), *at = from;

	for (size_t i = 0; i < count; i++) {
		const struct view_frame *frame = &frames[i];
		behind[i] = (uint32_t)(at - from);
		at = frame_lines_put(at, r->texts, frame_text_of(r->texts, &frame->spot), frame->ip,
				     &frame->spot);
	}
	writer_advance(w, at);
	reserve_text(r, (size_t)(at - from));
	r->text_size += (size_t)(at - from);
	r->nr_frames += count;
	memcpy(text_begin(r), from, (size_t)(at - from));
	for (size_t i = 0; i < count; i++)
		behind[i] = (uint32_t)r->text_size - behind[i];
}

/* The texts of new frames are all over memory: ask for all at once. */
static void fetch_ahead(const struct view *view, size_t count)
{
	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(location_note(view->frames[i].spot.location)->text);
}

void chain_text_put(struct chain_texts *c, struct writer *w, struct frame_texts *texts,
		    const struct view *view)
{
	const struct view_reuse *reuse = &view->reuse;
	struct recent_text *r = &c->recent[reuse->recent];
	size_t same = reuse->nr_same;

	/* Another formatter or filter may have left chains out: then nothing is known of the one before. */
	if (!same || r->serial != reuse->of_serial || r->texts != texts)
		same = 0;
	r->serial = reuse->serial;
	r->texts = texts;
	r->nr_frames = same;
	r->text_size = same ? r->behind[r->room - same] : 0;
	reserve_frames(r, view->nr_frames);
	fetch_ahead(view, view->nr_frames - same);
	size_t known = r->text_size;
	if (view->nr_frames > same)
		put_new(r, w, view->frames, view->nr_frames - same);
	writer_bytes(w, r->text + r->text_room - known, known);
}
