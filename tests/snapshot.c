/*
 * snapshot ARCH ELF DUMP OUT: a recording OUT of one sample, whose registers and stack are those that the
 * program ELF has written to DUMP (tests/snapshots/deep.c). The program is mapped where it was linked to, as
 * /deep.
 *
 * snapshot -c ...: the stack is cut after 1000 bytes, as if more had not been copied.
 *
 * snapshot -l ...: along frame pointers instead, with the link register. Two samples whose chains have one
 * address: that of the dump, and the one behind the call of its function.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/image.h"
#include "tests/mkperf.h"
#include "util/cursor.h"

#define DUMP_MAX 65536
#define PF_EXEC 1

struct dump {
	uint8_t bytes[DUMP_MAX];
	size_t size, at;
	bool big_endian;
};

static void die(const char *what)
{
	fprintf(stderr, "snapshot: %s\n", what);
	exit(1);
}

static void read_dump(struct dump *dump, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		die(path);
	dump->size = fread(dump->bytes, 1, sizeof(dump->bytes), file);
	fclose(file);
}

static uint64_t take_word(struct dump *dump)
{
	if (dump->size - dump->at < 8)
		die("cut dump");
	dump->at += 8;
	return load_u64(dump->bytes + dump->at - 8, dump->big_endian);
}

static void add_maps(struct mkperf *m, const struct image *image)
{
	for (size_t i = 0; i < image->segments.count; i++) {
		const struct image_segment *segment = &image->segments.at[i];
		uint64_t skip = segment->vaddr & 4095;
		if (segment->flags & PF_EXEC)
			mkperf_mmap2(m, .pid = 1, .tid = 1, .start = segment->vaddr - skip,
				     .len = (segment->memsz + skip + 4095) & ~UINT64_C(4095),
				     .pgoff = segment->offset - skip, .filename = "/deep");
	}
}

static void add_event(struct mkperf *m, uint64_t mask, char mode)
{
	uint32_t stack = mode == 'l' ? 0 : mode == 'c' ? 1000 : 65528;
	uint64_t type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER;

	mkperf_event(m,
		     .attr = { .sample_type = stack ? type | SAMPLE_STACK_USER : type,
			       .sample_regs_user = mask,
			       .sample_stack_user = stack,
			       .flags = MK_SAMPLE_ID_ALL },
		     .name = "cycles");
}

static void add_unwound(struct mkperf *m, const struct image *image, uint64_t ip, const uint64_t *regs,
			const uint8_t *stack, uint64_t size)
{
	mkperf_sample(m, .pid = 1, .tid = 1, .time = 1, .ip = ip,
		      .user_regs = { .abi = image->word_size == 4 ? 1 : 2, .values = regs }, .stack = stack,
		      .stack_size = size);
}

static void add_leaf(struct mkperf *m, const struct image *image, uint64_t ip, uint64_t lr)
{
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, ip), .pid = 1, .tid = 1, .time = 1, .ip = ip,
		      .user_regs = { .abi = image->word_size == 4 ? 1 : 2, .values = &lr });
}

static void convert(const struct arch *arch, const struct image *image, struct dump *dump, char mode,
		    const char *out)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .big_endian = image->big_endian });
	uint64_t mask = take_word(dump), regs[64];
	int nr = __builtin_popcountll(mask);

	for (int i = 0; i < nr; i++)
		regs[i] = take_word(dump);
	uint64_t size = take_word(dump), ip = regs[arch->reg_ip], lr = regs[arch->reg_lr];
	if (size > dump->size - dump->at)
		die("cut dump");
	add_event(m, mode == 'l' ? UINT64_C(1) << arch->reg_lr : mask, mode);
	mkperf_string_feature(m, FEATURE_ARCH, arch->name);
	mkperf_comm(m, .pid = 1, .tid = 1, .comm = "deep");
	add_maps(m, image);
	if (mode == 'c')
		size = 1000;
	if (mode == 'l') {
		add_leaf(m, image, ip, lr);
		add_leaf(m, image, lr, lr);
	} else {
		add_unwound(m, image, ip, regs, dump->bytes + dump->at, size);
	}
	mkperf_write(m, out);
	mkperf_free(m);
}

int main(int argc, char **argv)
{
	static struct dump dump;
	const char *why = "usage: snapshot [-c|-l] ARCH ELF DUMP OUT";
	char mode = argc == 6 && argv[1][0] == '-' ? argv[1][1] : 0;

	argv += mode != 0;
	struct image *image = argc == 5 || mode ? image_open(argv[2], &why) : NULL;
	const struct arch *arch = image ? arch_by_name(argv[1]) : NULL;
	if (!image || arch == &arch_unknown)
		die(image ? argv[1] : why);
	read_dump(&dump, argv[3]);
	dump.big_endian = image->big_endian;
	convert(arch, image, &dump, mode, argv[4]);
	image_free(image);
	return 0;
}
