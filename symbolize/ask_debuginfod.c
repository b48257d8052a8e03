#include "symbolize/ask_debuginfod.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/library.h"
#include "util/xalloc.h"

bool ask_debuginfod_has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

#ifdef HAVE_DEBUGINFOD

#include <elfutils/debuginfod.h>

/*
 * The library is loaded when servers are to be asked: it brings an HTTP client and some thirty libraries,
 * whose loading takes longer (7 ms) than the conversion of a small recording.
 */
static struct {
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_end) end;
	__typeof__(&debuginfod_find_executable) find_executable;
	__typeof__(&debuginfod_find_debuginfo) find_debuginfo;
} debuginfod;

static const struct library_function functions[] = {
	{ "debuginfod_begin", (void **)&debuginfod.begin },
	{ "debuginfod_end", (void **)&debuginfod.end },
	{ "debuginfod_find_executable", (void **)&debuginfod.find_executable },
	{ "debuginfod_find_debuginfo", (void **)&debuginfod.find_debuginfo },
};

bool ask_debuginfod_is_there(void)
{
	static struct library library = {
		.file = "libdebuginfod.so.1",
		.functions = functions,
		.nr_functions = sizeof(functions) / sizeof(functions[0]),
	};

	return library_is_there(&library);
}

struct ask_debuginfod {
	debuginfod_client *client;
	bool gave_up;
};

struct ask_debuginfod *ask_debuginfod_new(void)
{
	bool can_ask = ask_debuginfod_has_servers() && ask_debuginfod_is_there();
	debuginfod_client *client = can_ask ? debuginfod.begin() : NULL;

	if (!client)
		return NULL;
	struct ask_debuginfod *a = xcalloc(1, sizeof(*a));
	a->client = client;
	return a;
}

void ask_debuginfod_free(struct ask_debuginfod *a)
{
	if (!a)
		return;
	debuginfod.end(a->client);
	free(a);
}

char *ask_debuginfod(struct ask_debuginfod *a, const struct build_id *id, bool debug)
{
	char *path = NULL;

	if (!a || a->gave_up || !id->size)
		return NULL;
	int fd = debug ? debuginfod.find_debuginfo(a->client, id->bytes, id->size, &path)
		       : debuginfod.find_executable(a->client, id->bytes, id->size, &path);
	if (fd < 0) {
		a->gave_up = fd != -ENOENT;
		return NULL;
	}
	close(fd);
	return path;
}

#else

bool ask_debuginfod_is_there(void)
{
	return false;
}

struct ask_debuginfod *ask_debuginfod_new(void)
{
	return NULL;
}

void ask_debuginfod_free(struct ask_debuginfod *a)
{
	(void)a;
}

char *ask_debuginfod(struct ask_debuginfod *a, const struct build_id *id, bool debug)
{
	(void)a;
	(void)id;
	(void)debug;
	return NULL;
}

#endif
