/*
 * A TRACING_DATA block and what a sample of one of its events recorded -> text. The last two bytes of the
 * input are the size of that RAW data, which lies before them; its event's id is put in.
 */
#include <stdlib.h>
#include <string.h>

#include "events/tracepoint.h"
#include "tests/fuzz/fuzz.h"
#include "util/cursor.h"
#include "util/xalloc.h"

#define MAX_ID 2000

static void use_event(struct tracepoint *t, uint8_t *raw, size_t size, unsigned id, bool big_endian)
{
	size_t length = 0;

	fuzz_use_text(tracepoint_event_name(t, id));
	raw[big_endian] = (uint8_t)id;
	raw[!big_endian] = (uint8_t)(id >> 8);
	const char *text = tracepoint_format(t, raw, size, &length);
	for (size_t i = 0; text && i < length; i++)
		fuzz_use((uint8_t)text[i]);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	const char *why;
	size_t raw_size = size < 2 ? 0 : load_u16(data + size - 2, false);

	if (raw_size < 2 || raw_size > size - 2)
		return 0;
	struct tracepoint *t = tracepoint_new(data, size - 2 - raw_size, &why);
	AUTOFREE uint8_t *raw = xmemdup(data + size - 2 - raw_size, raw_size);
	for (unsigned id = 0; t && id < MAX_ID; id++) {
		if (tracepoint_event_name(t, id)) {
			use_event(t, raw, raw_size, id, false);
			use_event(t, raw, raw_size, id, true);
		}
	}
	tracepoint_free(t);
	return 0;
}
