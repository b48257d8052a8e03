/*
 * driver - the main() of a fuzz target without libFuzzer.
 *
 *	fuzz_STAGE [FILE | FOLDER]...	(default: $top_srcdir/tests/fuzz/corpus/STAGE)
 *
 * Replays all files, then tries FUZZ_RUNS (default 300) changed ones. What is tried depends on the files and
 * on FUZZ_SEED alone. The input that is being tried is in fuzz_STAGE.input in the current folder: what is
 *left there after a crash is what to put into the corpus.
 */
#ifndef FUZZ_LIBFUZZER
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define SECONDS_AN_INPUT 20
#define MAX_BYTES ((size_t)1 << 20)
#define MAX_ADDRESS_SPACE ((rlim_t)4 << 30)

struct input {
	char *path;
	uint8_t *bytes;
	size_t size;
};

static VEC(struct input) inputs;
static uint64_t random_state;
static char current_path[256];
static int current = -1;

const char *__asan_default_options(void);

/* Of the sanitizer's runtime: a size from the input that gets as far as malloc is a fault. */
const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=1024:hard_rss_limit_mb=3000";
}

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static size_t below(size_t limit)
{
	return limit ? next_random() % limit : 0;
}

static void try_input(const uint8_t *bytes, size_t size)
{
	uint8_t *block = xmemdup(bytes, size);

	if (ftruncate(current, 0) || pwrite(current, bytes, size, 0) != (ssize_t)size)
		abort();
	alarm(SECONDS_AN_INPUT);
	fuzz_one(block, size);
	alarm(0);
	free(block);
}

static void read_input(const char *path)
{
	struct input input = { .path = xstrdup(path), .bytes = xmalloc(MAX_BYTES) };
	int fd = open(path, O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, input.bytes, MAX_BYTES);

	if (got < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
	input.size = (size_t)got;
	vec_push(&inputs, input);
}

static void read_folder(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			AUTOFREE char *file = xasprintf("%s/%s", path, names[i]->d_name);
			read_input(file);
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static void read_argument(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		read_folder(path);
	else
		read_input(path);
}

/* Numbers at which sizes, counts and signs turn. */
static uint64_t odd_number(void)
{
	static const uint64_t numbers[] = { 0,
					    1,
					    2,
					    7,
					    8,
					    0x7f,
					    0x80,
					    0xff,
					    0x7fff,
					    0x8000,
					    0xffff,
					    0x7fffffff,
					    0x80000000,
					    0xffffffff,
					    1u << 16,
					    (uint64_t)1 << 32,
					    INT64_MAX,
					    (uint64_t)1 << 63,
					    UINT64_MAX,
					    UINT64_MAX - 7,
					    UINT64_MAX - 4095 };

	return numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
}

static void put_number(uint8_t *at, size_t room)
{
	uint64_t number = odd_number();
	size_t width = (size_t)1 << below(4);
	bool big_endian = next_random() & 1;

	for (size_t i = 0; i < width && i < room; i++)
		at[i] = (uint8_t)(number >> 8 * (big_endian ? width - 1 - i : i));
}

/* Bytes of one of the files over those at @at. */
static void put_piece(uint8_t *at, size_t room)
{
	const struct input *from = &inputs.at[below(inputs.count)];
	size_t offset = below(from->size), size = 1 + below(64);

	if (size > from->size - offset)
		size = from->size - offset;
	memcpy(at, from->bytes + offset, size < room ? size : room);
}

/* Take bytes out at @at, or repeat those that are there; returns the new size. */
static size_t move_tail(uint8_t *bytes, size_t size, size_t at)
{
	size_t step = 1 + below(next_random() & 1 ? 8 : 256);

	if (step > size - at)
		step = size - at;
	if (next_random() & 1 || size + step > MAX_BYTES) {
		memmove(bytes + at, bytes + at + step, size - at - step);
		return size - step;
	}
	memmove(bytes + at + step, bytes + at, size - at);
	return size + step;
}

/* One change; returns the new size. */
static size_t change(uint8_t *bytes, size_t size)
{
	size_t at = below(size);

	if (!size)
		return 0;
	switch (below(8)) {
	case 0:
		bytes[at] ^= (uint8_t)(1u << below(8));
		return size;
	case 1:
		bytes[at] = (uint8_t)next_random();
		return size;
	case 2:
		put_piece(bytes + at, size - at);
		return size;
	case 3:
		return move_tail(bytes, size, at);
	case 4:
		return below(16) ? size : at;
	default:
		put_number(bytes + at, size - at);
		return size;
	}
}

static void try_changed(uint8_t *room)
{
	const struct input *from = &inputs.at[below(inputs.count)];
	size_t size = from->size;

	memcpy(room, from->bytes, size);
	for (size_t n = 1 + below(6); n; n--)
		size = change(room, size);
	try_input(room, size);
}

static unsigned long number_from(const char *variable, unsigned long otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void start(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit limit = { MAX_ADDRESS_SPACE, MAX_ADDRESS_SPACE };

	setrlimit(RLIMIT_AS, &limit);
#endif
	snprintf(current_path, sizeof(current_path), "%s.input", program_invocation_short_name);
	current = open(current_path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (current < 0) {
		perror(current_path);
		exit(1);
	}
}

static void read_inputs(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");

	for (int i = 1; i < argc; i++)
		read_argument(argv[i]);
	if (argc < 2) {
		AUTOFREE char *path = xasprintf("%s/tests/fuzz/corpus/%s", top ? top : ".",
						program_invocation_short_name + strlen("fuzz_"));
		read_argument(path);
	}
}

int main(int argc, char **argv)
{
	uint8_t *room = xmalloc(MAX_BYTES);
	unsigned long runs = number_from("FUZZ_RUNS", 300);

	random_state = number_from("FUZZ_SEED", 1);
	start();
	read_inputs(argc, argv);
	for (size_t i = 0; i < inputs.count; i++)
		try_input(inputs.at[i].bytes, inputs.at[i].size);
	for (unsigned long i = 0; i < runs && inputs.count; i++)
		try_changed(room);
	printf("%zu files, %lu changed ones\n", inputs.count, inputs.count ? runs : 0);
	unlink(current_path);
	for (size_t i = 0; i < inputs.count; i++) {
		free(inputs.at[i].path);
		free(inputs.at[i].bytes);
	}
	vec_free(&inputs);
	free(room);
	return 0;
}

#else
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_one(data, size);
}
#endif
