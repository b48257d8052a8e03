#include "cgroups.h"

#include <string.h>

void cgroups_free(struct cgroups *c)
{
	hash_free(&c->numbers);
	strtab_free(&c->paths);
}

void cgroups_add(struct cgroups *c, uint64_t id, const char *path)
{
	if (hash_get(&c->numbers, id, 0) == HASH_NONE)
		hash_put(&c->numbers, id, 0, strtab_number(&c->paths, path, strlen(path)));
}

const char *cgroups_path(const struct cgroups *c, uint64_t id)
{
	uint64_t number = hash_get(&c->numbers, id, 0);

	return number == HASH_NONE ? NULL : strtab_text(&c->paths, (uint32_t)number);
}
