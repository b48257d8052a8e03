#include "symbolize/ask_debuginfod.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/xalloc.h"

bool ask_debuginfod_has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

#ifdef HAVE_DEBUGINFOD

#include <elfutils/debuginfod.h>

struct ask_debuginfod {
	debuginfod_client *client;
	bool gave_up;
};

bool ask_debuginfod_is_built_in(void)
{
	return true;
}

struct ask_debuginfod *ask_debuginfod_new(void)
{
	debuginfod_client *client = ask_debuginfod_has_servers() ? debuginfod_begin() : NULL;

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
	debuginfod_end(a->client);
	free(a);
}

char *ask_debuginfod(struct ask_debuginfod *a, const struct build_id *id, bool debug)
{
	char *path = NULL;

	if (!a || a->gave_up || !id->size)
		return NULL;
	int fd = debug ? debuginfod_find_debuginfo(a->client, id->bytes, id->size, &path)
		       : debuginfod_find_executable(a->client, id->bytes, id->size, &path);
	if (fd < 0) {
		a->gave_up = fd != -ENOENT;
		return NULL;
	}
	close(fd);
	return path;
}

#else

bool ask_debuginfod_is_built_in(void)
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
