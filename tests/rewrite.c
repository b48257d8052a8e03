/*
 * rewrite HOW FROM TO: write a perf.data file again with its synthesized block changed.
 *
 *	noforkexec   FORKs without misc bit 0x2000, as perf before 5.x wrote them
 *	maps-first   all maps of processes before all FORKs, as a reader that sorts by kind would see them
 *	own-parent   FORKs that name the process as its own parent (ppid := pid, ptid := tid)
 *
 * The block is what lies before FINISHED_INIT. Little-endian files only: it serves the example recording.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/perf_abi.h"
#include "util/cursor.h"

static uint8_t *bytes;
static size_t size;

static uint64_t u64(size_t at)
{
	return load_u64(bytes + at, false);
}

static uint32_t u32(size_t at)
{
	return load_u32(bytes + at, false);
}

static uint16_t u16(size_t at)
{
	return load_u16(bytes + at, false);
}

static void die(const char *why)
{
	fprintf(stderr, "rewrite: %s\n", why);
	exit(1);
}

static void read_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END))
		die(path);
	size = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(size);
	if (!bytes || fread(bytes, 1, size, f) != size)
		die(path);
	fclose(f);
}

static void write_file(const char *path)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		die(path);
}

static bool is_process_map(size_t at)
{
	return u32(at) == RECORD_MMAP2 && (u16(at + 4) & MISC_CPUMODE_MASK) == CPUMODE_USER;
}

/* Stable: maps keep their order, and so does the rest. */
static void maps_first(size_t start, size_t end)
{
	uint8_t *block = malloc(end - start);
	size_t to = 0;

	if (!block)
		die("memory");
	for (int maps = 1; maps >= 0; maps--) {
		for (size_t at = start; at < end; at += u16(at + 6)) {
			if (is_process_map(at) != maps)
				continue;
			memcpy(block + to, bytes + at, u16(at + 6));
			to += u16(at + 6);
		}
	}
	memcpy(bytes + start, block, end - start);
	free(block);
}

static void change_fork(const char *how, size_t at)
{
	if (!strcmp(how, "noforkexec")) {
		uint16_t misc = htole16(u16(at + 4) & (uint16_t)~MISC_FORK_EXEC);
		memcpy(bytes + at + 4, &misc, sizeof(misc));
	} else if (!strcmp(how, "own-parent")) {
		memcpy(bytes + at + 12, bytes + at + 8, 4);
		memcpy(bytes + at + 20, bytes + at + 16, 4);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4)
		die("usage: rewrite noforkexec|maps-first|own-parent FROM TO");
	read_file(argv[2]);
	size_t first_fork = 0;
	size_t at = u64(40), end = at + u64(48);
	for (; at < end && u32(at) != RECORD_FINISHED_INIT; at += u16(at + 6)) {
		if (u32(at) != RECORD_FORK)
			continue;
		first_fork = first_fork ? first_fork : at;
		change_fork(argv[1], at);
	}
	if (!first_fork || at >= end)
		die("no synthesized block");
	if (!strcmp(argv[1], "maps-first"))
		maps_first(first_fork, at);
	write_file(argv[3]);
	free(bytes);
	return 0;
}
