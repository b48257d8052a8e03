/* An ELF file with DWARF -> lines and inlined calls of its addresses. */
#include "symbolize/dwarf.h"
#include "symbolize/image.h"
#include "tests/fuzz/fuzz.h"
#include "util/xalloc.h"

#define MAX_STEPS 256

static void look_up(struct dwarf_info *info, uint64_t vaddr)
{
	struct dwarf_answer answer;

	if (!dwarf_lookup(info, vaddr, &answer))
		return;
	fuzz_use_text(answer.file);
	fuzz_use_text(answer.function);
	fuzz_use_text(answer.function_file);
	for (uint32_t i = 0; i < answer.nr_inlines; i++) {
		fuzz_use_text(answer.inlines[i].name);
		fuzz_use_text(answer.inlines[i].file);
	}
}

int fuzz_one(const uint8_t *data, size_t size)
{
	const char *why;
	struct image *image = image_memory("fuzz", xmemdup(data, size), size, &why);
	struct dwarf_info *info = image ? dwarf_info_new(NULL, image, NULL) : NULL;

	for (size_t i = 0; info && i < image->segments.count && i < 4; i++) {
		const struct image_segment *segment = &image->segments.at[i];
		uint64_t step = 1 + segment->filesz / MAX_STEPS;
		for (uint64_t n = 0; n < MAX_STEPS && n * step < segment->filesz; n++)
			look_up(info, segment->vaddr + n * step);
	}
	dwarf_info_free(info);
	image_free(image);
	return 0;
}
