#include "events/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/perf_abi.h"
#include "util/xalloc.h"

/* What one read() asks for at least: enough that system calls do not count, and more than any record. */
#define FILL_BYTES ((size_t)256 * 1024)

struct input {
	char *name;
	time_t mtime;
	bool stable;

	/* Stable: all the bytes. Stream: what was read and may still be lent. */
	const uint8_t *data;
	size_t at, end; /* the next byte to hand out; the end of what is there */

	void *mapping; /* what munmap() takes, or NULL */
	size_t mapping_size;

	/* Streams only. */
	int fd;		     /* -1: the bytes come from memory */
	const uint8_t *feed; /* memory that plays the pipe */
	size_t feed_left;
	uint8_t *buffer; /* = data */
	size_t room;
	uint64_t gone; /* bytes that were in the buffer before data[0] */
	bool ended;
};

static struct input *input_new(const char *name)
{
	struct input *in = xcalloc(1, sizeof(*in));

	in->name = xstrdup(name);
	in->fd = -1;
	return in;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->mapping)
		munmap(in->mapping, in->mapping_size);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->buffer);
	free(in->name);
	free(in);
}

/*
 * Map the whole file. Standard input may have been read from already (by a shell's `read`): what counts as
 * the recording begins where the file is positioned.
 */
static struct err *map_file(struct input *in, int fd, const struct stat *st)
{
	off_t start = lseek(fd, 0, SEEK_CUR);

	in->stable = true;
	in->mtime = st->st_mtime;
	in->data = (const uint8_t *)"";
	if (start < 0)
		start = 0;
	if (st->st_size <= start)
		return NULL;
	if ((uintmax_t)st->st_size > SIZE_MAX)
		return err_file(in->name, "too large for the address space of this program");
	void *mapping = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapping == MAP_FAILED)
		return err_sys(in->name, "map the file into memory");
	in->mapping = mapping;
	in->mapping_size = (size_t)st->st_size;
	in->data = (const uint8_t *)mapping + start;
	in->end = (size_t)(st->st_size - start);
	madvise(mapping, in->mapping_size, MADV_SEQUENTIAL); /* a hint: failure changes nothing */
	return NULL;
}

static struct err *take_file(struct input *in, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(in->name, "examine");
	if (S_ISDIR(st.st_mode))
		return err_file(in->name, "is a directory, not a recording");
	if (S_ISREG(st.st_mode))
		return map_file(in, fd, &st);
	in->fd = fd;
	return NULL;
}

struct err *input_open(const char *path, struct input **ret)
{
	bool is_stdin = !strcmp(path, "-");
	struct input *in = input_new(is_stdin ? "(standard input)" : path);
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	struct err *err = fd < 0 ? err_sys(in->name, "open") : take_file(in, fd);
	if (fd > STDIN_FILENO && in->fd != fd)
		close(fd);
	if (err) {
		input_free(in);
		return err;
	}
	*ret = in;
	return NULL;
}

struct input *input_memory(const char *name, const void *data, size_t size)
{
	struct input *in = input_new(name);

	in->stable = true;
	in->data = size ? data : "";
	in->end = size;
	return in;
}

struct input *input_memory_stream(const char *name, const void *data, size_t size)
{
	struct input *in = input_new(name);

	in->feed = data;
	in->feed_left = size;
	return in;
}

const char *input_name(const struct input *in)
{
	return in->name;
}

bool input_stable(const struct input *in)
{
	return in->stable;
}

uint64_t input_size(const struct input *in)
{
	return in->stable ? in->end : 0;
}

time_t input_mtime(const struct input *in)
{
	return in->mtime;
}

uint64_t input_offset(const struct input *in)
{
	return in->gone + in->at;
}

void input_seek(struct input *in, uint64_t offset)
{
	if (in->stable)
		in->at = offset < in->end ? (size_t)offset : in->end;
}

size_t input_left(const struct input *in)
{
	return in->end - in->at;
}

/* A descriptor that we inherited may be non-blocking: wait for it. */
static ssize_t read_some(int fd, uint8_t *to, size_t room)
{
	for (;;) {
		ssize_t n = read(fd, to, room);
		if (n >= 0)
			return n;
		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd wait = { .fd = fd, .events = POLLIN };
			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return -1;
		}
	}
}

static ssize_t feed_some(struct input *in, uint8_t *to, size_t room)
{
	size_t n = in->feed_left < room ? in->feed_left : room;

	if (n)
		memcpy(to, in->feed, n);
	in->feed += n;
	in->feed_left -= n;
	return (ssize_t)n;
}

/* Room behind the bytes that are still wanted: drop those that were handed out, then grow. */
static void make_room(struct input *in)
{
	size_t left = in->end - in->at;

	if (in->at) {
		memmove(in->buffer, in->buffer + in->at, left);
		in->gone += in->at;
		in->at = 0;
		in->end = left;
	}
	if (in->room - left >= FILL_BYTES / 2)
		return;
	in->room = in->room ? 2 * in->room : FILL_BYTES;
	in->buffer = xreallocarray(in->buffer, in->room, 1);
	in->data = in->buffer;
}

/*
 * Have @size bytes at the reading position. The buffer grows only as bytes really come (at most to twice
 * of them), so a size that a damaged file claims costs nothing.
 */
static struct err *fill(struct input *in, size_t size, bool *ret)
{
	while (in->end - in->at < size && !in->ended && !in->stable) {
		make_room(in);
		size_t room = in->room - in->end;
		ssize_t n = in->fd < 0 ? feed_some(in, in->buffer + in->end, room)
				       : read_some(in->fd, in->buffer + in->end, room);
		if (n < 0) {
			in->ended = true;
			return err_sys(in->name, "read");
		}
		in->ended = n == 0;
		in->end += (size_t)n;
	}
	*ret = in->end - in->at >= size;
	return NULL;
}

struct err *input_peek(struct input *in, size_t size, const uint8_t **ret)
{
	bool there;
	struct err *err = fill(in, size, &there);

	if (err)
		return err;
	*ret = there ? in->data + in->at : NULL;
	return NULL;
}

struct err *input_read(struct input *in, size_t size, const uint8_t **ret)
{
	struct err *err = input_peek(in, size, ret);

	if (!err && *ret)
		in->at += size;
	return err;
}

struct err *input_skip(struct input *in, uint64_t size, bool *ret)
{
	while (size > input_left(in)) {
		size -= input_left(in);
		in->at = in->end;
		bool more;
		struct err *err = fill(in, 1, &more);
		if (err)
			return err;
		if (!more) {
			*ret = false;
			return NULL;
		}
	}
	in->at += (size_t)size;
	*ret = true;
	return NULL;
}

const uint8_t *input_at(const struct input *in, uint64_t offset, uint64_t size)
{
	if (!in->stable || offset > in->end || size > in->end - offset)
		return NULL;
	return in->data + offset;
}
