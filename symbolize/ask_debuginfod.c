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

#include <dlfcn.h>
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
} library;

bool ask_debuginfod_is_there(void)
{
	void *handle = library.begin ? NULL : dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (handle) {
		*(void **)&library.end = dlsym(handle, "debuginfod_end");
		*(void **)&library.find_executable = dlsym(handle, "debuginfod_find_executable");
		*(void **)&library.find_debuginfo = dlsym(handle, "debuginfod_find_debuginfo");
		if (library.end && library.find_executable && library.find_debuginfo)
			*(void **)&library.begin = dlsym(handle, "debuginfod_begin");
	}
	return library.begin;
}

struct ask_debuginfod {
	debuginfod_client *client;
	bool gave_up;
};

struct ask_debuginfod *ask_debuginfod_new(void)
{
	bool can_ask = ask_debuginfod_has_servers() && ask_debuginfod_is_there();
	debuginfod_client *client = can_ask ? library.begin() : NULL;

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
	library.end(a->client);
	free(a);
}

char *ask_debuginfod(struct ask_debuginfod *a, const struct build_id *id, bool debug)
{
	char *path = NULL;

	if (!a || a->gave_up || !id->size)
		return NULL;
	int fd = debug ? library.find_debuginfo(a->client, id->bytes, id->size, &path)
		       : library.find_executable(a->client, id->bytes, id->size, &path);
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
