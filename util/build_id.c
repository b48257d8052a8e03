#include "util/build_id.h"

#include <string.h>

struct build_id build_id_make(const void *bytes, size_t size)
{
	struct build_id id = { .size = (uint8_t)(size < BUILD_ID_MAX ? size : BUILD_ID_MAX) };
	uint8_t any = 0;

	memcpy(id.bytes, bytes, id.size);
	for (size_t i = 0; i < id.size; i++)
		any |= id.bytes[i];
	if (!any)
		id.size = 0;
	return id;
}

/* Bytes behind size are zero in every struct build_id, so whole arrays compare. */
bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size && b->size && !memcmp(a->bytes, b->bytes, BUILD_ID_MAX);
}

bool build_id_differs(const struct build_id *a, const struct build_id *b)
{
	return a->size && b->size && memcmp(a->bytes, b->bytes, BUILD_ID_MAX) != 0;
}

char *build_id_hex(const struct build_id *id, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	char *at = ret;

	for (size_t i = 0; i < id->size; i++) {
		*at++ = digits[id->bytes[i] >> 4];
		*at++ = digits[id->bytes[i] & 15];
	}
	*at = '\0';
	return ret;
}
