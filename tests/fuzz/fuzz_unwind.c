/*
 * An ELF file -> unwind rules of its addresses, and walks of a stack that is the file itself.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/cfi.h"
#include "symbolize/dso.h"
#include "symbolize/image.h"
#include "symbolize/maps.h"
#include "symbolize/unwind.h"
#include "tests/fuzz/fuzz.h"
#include "util/xalloc.h"

#define STACK 0x70000000u
#define MAX_STEPS 512

static struct cfi *cfi_of(void *ctx, struct dso *dso)
{
	(void)ctx;
	return dso->cfi;
}

static bool read_file(void *ctx, const struct map *map, uint64_t address, void *ret, size_t size)
{
	size_t got;
	const uint8_t *bytes = image_bytes(map->dso->binary, address - map->start + map->pgoff, size, &got);

	(void)ctx;
	if (!bytes || got < size)
		return false;
	memcpy(ret, bytes, size);
	return true;
}

static void walk(struct unwind_space *space, uint64_t ip)
{
	static struct unwind_stack stack;
	struct unwind_regs regs = { .ip = ip };

	for (unsigned i = 0; i < CFI_MAX_REGS; i++)
		regs.value[i] = STACK + 8 * i;
	memset(regs.valid, 0xff, sizeof(regs.valid));
	unwind(space, &regs, &stack);
	fuzz_use_text(unwind_end_text(stack.end));
	unwind_stack_free(&stack);
}

/* All of @segment or its beginning, mapped at its own addresses. */
static void use_segment(struct unwind_space *space, struct dso *dso, const struct image_segment *segment)
{
	struct maps *maps = maps_new();
	struct map map = { .start = segment->vaddr,
			   .end = segment->vaddr + segment->filesz,
			   .pgoff = segment->offset,
			   .dso = dso,
			   .prot = 5 };
	uint64_t step = 1 + segment->filesz / MAX_STEPS;

	maps_insert(&maps, &map);
	space->maps = maps;
	for (uint64_t at = 0, n = 0; at < segment->filesz && n < MAX_STEPS; at += step, n++) {
		fuzz_use(!!cfi_find(dso->cfi, segment->vaddr + at));
		walk(space, segment->vaddr + at);
	}
	maps_unref(maps);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	const char *why;
	struct image *image = image_memory("fuzz", xmemdup(data, size), size, &why);

	if (!image)
		return 0;
	const struct arch *arch = arch_by_elf(image->machine, image->word_size);
	struct dso dso = { .name = "fuzz", .binary = image, .cfi = cfi_new(image, NULL, arch) };
	struct unwind_space space = { .arch = arch,
				      .big_endian = image->big_endian,
				      .stack = data,
				      .stack_size = size,
				      .cfi_of = cfi_of,
				      .read = read_file };
	for (size_t i = 0; i < image->segments.count && i < 4; i++)
		use_segment(&space, &dso, &image->segments.at[i]);
	cfi_free(dso.cfi);
	image_free(image);
	return 0;
}
