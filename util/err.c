#include "util/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

struct err {
	char *text;
};

static struct err *err_own(char *text)
{
	struct err *err = xmalloc(sizeof(*err));

	err->text = text;
	return err;
}

struct err *err_new(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = xvasprintf(format, args);
	va_end(args);
	return err_own(text);
}

struct err *err_file(const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *reason = xvasprintf(format, args);
	va_end(args);
	char *text = xasprintf("%s: %s", file, reason);
	free(reason);
	return err_own(text);
}

struct err *err_at(const char *file, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *reason = xvasprintf(format, args);
	va_end(args);
	char *text = xasprintf("%s: offset 0x%" PRIx64 ": %s", file, offset, reason);
	free(reason);
	return err_own(text);
}

struct err *err_sys(const char *file, const char *action)
{
	return err_own(xasprintf("%s: cannot %s: %s", file, action, strerror(errno)));
}

const char *err_text(const struct err *err)
{
	return err->text;
}

void err_free(struct err *err)
{
	if (!err)
		return;
	free(err->text);
	free(err);
}
