/*
 * inject - makes system calls of a program fail (LD_PRELOAD), for tests/faults.sh.
 *
 *	INJECT_CALL	read, write, open or mmap
 *	INJECT_HOW	"short": a few bytes a call; "truncate": the mapped file becomes shorter afterwards;
 *else a number for errno. EINTR is for every second call only: who gets it tries again INJECT_AT	from
 *which call on, counted from 1
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int calls;

static const char *setting(const char *name)
{
	const char *text = getenv(name);

	return text ? text : "";
}

static int is_chosen(const char *call)
{
	return !strcmp(setting("INJECT_CALL"), call) && ++calls >= atoi(setting("INJECT_AT"));
}

static int is_how(const char *how)
{
	return !strcmp(setting("INJECT_HOW"), how);
}

/* Does this call fail? Sets errno. */
static int fails(void)
{
	int number = atoi(setting("INJECT_HOW"));

	if (!number || (number == EINTR && calls % 2))
		return 0;
	errno = number;
	return 1;
}

static size_t shortened(size_t size)
{
	size_t few = (size_t)calls % 7 + 1;

	return is_how("short") && few < size ? few : size;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	ssize_t (*next)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");

	if (!is_chosen("read"))
		return next(fd, buffer, size);
	return fails() ? -1 : next(fd, buffer, shortened(size));
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	ssize_t (*next)(int, const void *, size_t) =
		(ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

	if (fd == STDERR_FILENO || !is_chosen("write"))
		return next(fd, buffer, size);
	return fails() ? -1 : next(fd, buffer, shortened(size));
}

static int open_file(const char *name, const char *path, int flags, int mode)
{
	int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);

	return is_chosen("open") && fails() ? -1 : next(path, flags, mode);
}

static int mode_of(int flags, va_list args)
{
	return flags & O_CREAT ? va_arg(args, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	int mode = mode_of(flags, args);
	va_end(args);
	return open_file("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	int mode = mode_of(flags, args);
	va_end(args);
	return open_file("open64", path, flags, mode);
}

/* A program built with 64-bit file offsets calls the ...64 names; on some machines their types are others. */
static void *map(const char *name, void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	int wide = !strcmp(name, "mmap64");
	void *(*next)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, name);
	void *(*next64)(void *, size_t, int, int, int, off64_t) =
		(void *(*)(void *, size_t, int, int, int, off64_t))dlsym(RTLD_NEXT, name);
	int chosen = fd >= 0 && is_chosen("mmap");

	if (chosen && fails())
		return MAP_FAILED;
	void *got = wide ? next64(at, size, protection, flags, fd, offset) :
			   next(at, size, protection, flags, fd, (off_t)offset);
	if (chosen && is_how("truncate") && truncate(setting("INJECT_PATH"), 4096))
		abort();
	return got;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map("mmap", at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return map("mmap64", at, size, protection, flags, fd, offset);
}
