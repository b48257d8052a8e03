#include "output/chain_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
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
	VEC(char) inner; /* the text of the frames that are new */
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
	vec_free(&c->inner);
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

static void put_frame(struct chain_texts *c, struct frame_texts *texts, const struct view_frame *frame)
{
	const struct frame_text *text = frame_text_of(texts, &frame->spot);

	vec_reserve(&c->inner, c->inner.count + text->room);
	char *at = c->inner.at + c->inner.count;
	c->inner.count = (size_t)(frame_lines_put(at, texts, text, frame->ip, &frame->spot) - c->inner.at);
}

/* The first @count frames, in front of those that are there. */
static void put_in_front(struct chain_texts *c, struct recent_text *r, const struct view_frame *frames,
			 size_t count)
{
	uint32_t *behind = r->behind + r->room - r->nr_frames - count;

	vec_clear(&c->inner);
	for (size_t i = 0; i < count; i++) {
		behind[i] = (uint32_t)c->inner.count;
		put_frame(c, r->texts, &frames[i]);
	}
	reserve_text(r, c->inner.count);
	r->text_size += c->inner.count;
	r->nr_frames += count;
	memcpy(text_begin(r), c->inner.at, c->inner.count);
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
	if (view->nr_frames > same)
		put_in_front(c, r, view->frames, view->nr_frames - same);
	writer_bytes(w, text_begin(r), r->text_size);
}
