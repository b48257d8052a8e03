#include "util/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
#include "util/xalloc.h"

struct diag {
	VEC(struct diag_entry) entries;
};

struct diag *diag_new(void)
{
	return xcalloc(1, sizeof(struct diag));
}

void diag_free(struct diag *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->entries.count; i++) {
		free((char *)d->entries.at[i].kind);
		free((char *)d->entries.at[i].example);
	}
	vec_free(&d->entries);
	free(d);
}

/* A run knows a few dozen kinds: a list is enough. */
static struct diag_entry *find(const struct diag *d, const char *kind)
{
	for (size_t i = 0; i < d->entries.count; i++) {
		if (!strcmp(d->entries.at[i].kind, kind))
			return &d->entries.at[i];
	}
	return NULL;
}

static struct diag_entry *find_or_add(struct diag *d, const char *kind)
{
	struct diag_entry *found = find(d, kind);

	if (found)
		return found;
	struct diag_entry entry = { .kind = xstrdup(kind) };
	vec_push(&d->entries, entry);
	return &d->entries.at[d->entries.count - 1];
}

void diag_count(struct diag *d, const char *kind, uint64_t n)
{
	find_or_add(d, kind)->count += n;
}

void diag_note(struct diag *d, const char *kind, uint64_t n, const char *format, ...)
{
	struct diag_entry *entry = find_or_add(d, kind);
	va_list args;

	entry->count += n;
	if (entry->example)
		return;
	va_start(args, format);
	entry->example = xvasprintf(format, args);
	va_end(args);
}

const struct diag_entry *diag_entry(const struct diag *d, size_t index)
{
	return index < d->entries.count ? &d->entries.at[index] : NULL;
}

uint64_t diag_total(const struct diag *d, const char *kind)
{
	const struct diag_entry *entry = find(d, kind);

	return entry ? entry->count : 0;
}
