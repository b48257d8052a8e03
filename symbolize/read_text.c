#include "symbolize/read_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/vec.h"
#include "util/xalloc.h"

/* The largest kallsyms are some 20 MB, a JIT's maps of a long day a few hundred. */
#define MAX_BYTES ((size_t)1 << 30)
#define FIRST_BYTES ((size_t)64 * 1024)

static int open_text(const char *path, bool regular_only)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | (regular_only ? O_NONBLOCK : 0));

	if (fd < 0 || !regular_only || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

/* 0 or errno. */
static int read_all(int fd, char **ret, size_t *ret_size)
{
	VEC(char) text = { 0 };
	struct stat st;
	ssize_t got;

	/* The size of a regular file is known, but it may have grown by now; /proc says 0. */
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size <= (off_t)MAX_BYTES) {
		text.room = (size_t)st.st_size + FIRST_BYTES;
		text.at = xmalloc(text.room);
		xalloc_populate(text.at, (size_t)st.st_size);
	}
	do {
		vec_reserve(&text, text.count + FIRST_BYTES);
		/* The last byte of the room is the NUL's. */
		got = read(fd, text.at + text.count, text.room - text.count - 1);
		if (got > 0)
			text.count += (size_t)got;
	} while ((got > 0 && text.count <= MAX_BYTES) || (got < 0 && errno == EINTR));
	if (got) {
		int failure = got < 0 ? errno : EFBIG;
		vec_free(&text);
		return failure;
	}
	text.at[text.count] = '\0';
	*ret = text.at;
	*ret_size = text.count;
	return 0;
}

char *read_text(const char *path, bool regular_only, size_t *ret_size)
{
	int fd = open_text(path, regular_only);
	char *text = NULL;

	if (fd < 0)
		return NULL;
	int failure = read_all(fd, &text, ret_size);
	close(fd);
	errno = failure;
	return text;
}

char *read_text_line(char **at, char *end)
{
	char *line = *at;

	if (line >= end)
		return NULL;
	char *stop = memchr(line, '\n', (size_t)(end - line));
	*at = stop ? stop + 1 : end;
	if (!stop)
		stop = end;
	*stop = '\0';
	if (stop > line && stop[-1] == '\r')
		stop[-1] = '\0';
	return line;
}
