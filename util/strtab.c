#include "util/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/xalloc.h"

void strtab_free(struct strtab *s)
{
	arena_free(&s->arena);
	vec_free(&s->entries);
	free(s->slots);
	memset(s, 0, sizeof(*s));
}

static void strtab_grow(struct strtab *s)
{
	free(s->slots);
	s->size = s->size ? 2 * s->size : 64;
	s->slots = xcalloc(s->size, sizeof(*s->slots));
	for (size_t n = 0; n < s->entries.count; n++) {
		size_t i = s->entries.at[n].hash & (s->size - 1);
		while (s->slots[i])
			i = (i + 1) & (s->size - 1);
		s->slots[i] = (uint32_t)n + 1;
	}
}

uint32_t strtab_number(struct strtab *s, const char *text, size_t length)
{
	if (2 * (s->entries.count + 1) > s->size)
		strtab_grow(s);
	uint32_t hash = (uint32_t)hash_bytes(text, length);
	size_t i = hash & (s->size - 1);
	for (; s->slots[i]; i = (i + 1) & (s->size - 1)) {
		const struct strtab_entry *e = &s->entries.at[s->slots[i] - 1];
		if (e->hash == hash && e->length == length && !memcmp(e->text, text, length))
			return s->slots[i] - 1;
	}
	struct strtab_entry entry = { arena_strndup(&s->arena, text, length), (uint32_t)length, hash };
	vec_push(&s->entries, entry);
	s->slots[i] = (uint32_t)s->entries.count;
	return s->slots[i] - 1;
}

const char *strtab_intern(struct strtab *s, const char *text)
{
	return strtab_text(s, strtab_number(s, text, strlen(text)));
}
