#include "symbolize/jit_frames.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/section_file.h"
#include "util/xalloc.h"

struct jit_frames {
	const struct jitdump *dump;
	unsigned word_size;
	size_t count;
	const struct jitdump_code **by_start;
};

static int by_start(const void *left, const void *right)
{
	const struct jitdump_code *a = *(const struct jitdump_code *const *)left;
	const struct jitdump_code *b = *(const struct jitdump_code *const *)right;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->serial > b->serial) - (a->serial < b->serial);
}

struct jit_frames *jit_frames_new(const struct jitdump_layer *layer)
{
	const struct arch *arch = arch_by_elf(layer->dump->machine, 0);
	size_t count = layer->codes.count;

	if (!layer->dump->has_eh_frames || !arch->word_size)
		return NULL;
	struct jit_frames *f = xcalloc(1, sizeof(*f));
	f->dump = layer->dump;
	f->word_size = arch->word_size;
	f->count = count;
	f->by_start = xreallocarray(NULL, count, sizeof(*f->by_start));
	for (size_t i = 0; i < count; i++)
		f->by_start[i] = &layer->dump->codes.at[layer->codes.at[i]];
	qsort(f->by_start, count, sizeof(*f->by_start), by_start);
	return f;
}

void jit_frames_free(struct jit_frames *f)
{
	if (!f)
		return;
	free(f->by_start);
	free(f);
}

const struct jitdump_code *jit_frames_find(const struct jit_frames *f, uint64_t address)
{
	size_t low = 0, high = f->count; /* what is before low begins at or before the address */

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->by_start[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct jitdump_code *code = low ? f->by_start[low - 1] : NULL;
	return code && address < code->end && code->eh_frame_size ? code : NULL;
}

struct image *jit_frames_image(const struct jit_frames *f, const struct jitdump_code *code)
{
	return section_file_image(&(struct section_file){ .path = code->name,
							  .machine = f->dump->machine,
							  .big_endian = f->dump->big_endian,
							  .word_size = f->word_size,
							  .name = ".eh_frame",
							  .address = jitdump_eh_frame_address(code),
							  .data = code->eh_frame,
							  .size = code->eh_frame_size });
}
