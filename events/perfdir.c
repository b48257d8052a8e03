#include "events/perfdir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/xalloc.h"

struct names {
	VEC(char *) names;
};

static void names_free(struct names *list)
{
	for (size_t i = 0; i < list->names.count; i++)
		free(list->names.at[i]);
	vec_free(&list->names);
}

bool perfdir_is(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the threads' streams, sorted as bytes: data.1, data.10, data.2 (perf: as they are listed). */
static struct err *list_streams(const char *path, struct names *ret)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return err_sys(path, "open the directory");
	while ((errno = 0, entry = readdir(dir))) {
		if (!strncmp(entry->d_name, "data.", 5))
			vec_push(&ret->names, xstrdup(entry->d_name));
	}
	struct err *err = errno ? err_sys(path, "read the directory") : NULL;
	closedir(dir);
	if (!err && ret->names.count >= UINT16_MAX) /* raw_record.input */
		err = err_file(path, "more than %d files of records", UINT16_MAX - 1);
	if (ret->names.count)
		qsort(ret->names.at, ret->names.count, sizeof(ret->names.at[0]), by_name);
	return err;
}

static struct err *open_main(const char *path, struct perfdir *dir)
{
	AUTOFREE char *name = xasprintf("%s/data", path);
	struct stat st;
	struct input *in = NULL;

	if (stat(name, &st) && errno == ENOENT)
		return err_file(
			path,
			"a directory without a file \"data\": not a recording of perf record --threads");
	struct err *err = input_open(name, &in);
	if (err)
		return err;
	vec_push(&dir->inputs, in);
	return NULL;
}

static struct err *open_stream(const char *path, const char *stream, struct perfdir *dir)
{
	AUTOFREE char *name = xasprintf("%s/%s", path, stream);
	struct stat st;
	struct input *in = NULL;

	if (stat(name, &st))
		return err_sys(name, "examine");
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return NULL;
	struct err *err = input_open(name, &in);
	if (err)
		return err;
	vec_push(&dir->inputs, in);
	return NULL;
}

struct err *perfdir_open(const char *path, struct perfdir *ret)
{
	struct perfdir dir = { 0 };
	struct names streams = { 0 };
	struct err *err = open_main(path, &dir);

	if (!err)
		err = list_streams(path, &streams);
	for (size_t i = 0; i < streams.names.count && !err; i++)
		err = open_stream(path, streams.names.at[i], &dir);
	names_free(&streams);
	if (err)
		perfdir_close(&dir);
	else
		*ret = dir;
	return err;
}

void perfdir_close(struct perfdir *dir)
{
	for (size_t i = 0; i < dir->inputs.count; i++)
		input_free(dir->inputs.at[i]);
	vec_free(&dir->inputs);
}
