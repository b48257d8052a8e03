#include "name_list.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/read_text.h"
#include "util/xalloc.h"

#define FILE_PREFIX "file://"

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct err *read_lines(const char *path, struct name_list *l)
{
	size_t size;
	char *text = read_text(path, false, &size), *at = text, *line;

	if (!text)
		return err_sys(path, "read");
	vec_push(&l->files, text);
	while ((line = read_text_line(&at, text + size)))
		vec_push(&l->lines, line);
	return NULL;
}

const char *name_list_next(const char *item)
{
	const char *comma = strchr(item, ',');

	return comma ? comma + 1 : NULL;
}

struct err *name_list_read(const char *text, struct name_list *ret)
{
	struct err *err = NULL;

	*ret = (struct name_list){ .text = text };
	for (const char *item = text; item && !err; item = name_list_next(item)) {
		if (strncmp(item, FILE_PREFIX, strlen(FILE_PREFIX)))
			continue;
		item += strlen(FILE_PREFIX);
		AUTOFREE char *path = xstrndup(item, strcspn(item, ","));
		err = read_lines(path, ret);
	}
	if (ret->lines.count)
		qsort(ret->lines.at, ret->lines.count, sizeof(ret->lines.at[0]), compare_lines);
	return err;
}

void name_list_free(struct name_list *l)
{
	for (size_t i = 0; i < l->files.count; i++)
		free(l->files.at[i]);
	vec_free(&l->files);
	vec_free(&l->lines);
}

static bool text_has(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *item = text; item; item = name_list_next(item)) {
		if (!strncmp(item, name, length) && (item[length] == ',' || !item[length]))
			return true;
	}
	return false;
}

bool name_list_has(const struct name_list *l, const char *name)
{
	size_t nr_lines = l->lines.count;

	return text_has(l->text, name) ||
	       (nr_lines && bsearch(&name, l->lines.at, nr_lines, sizeof(l->lines.at[0]), compare_lines));
}
