#include "events/zstd.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#include "util/xalloc.h"

struct zstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool more; /* the last output filled its room: there may be more without more input */
};

struct zstd *zstd_new(void)
{
	struct zstd *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (!z->stream)
		xalloc_die();
	return z;
}

void zstd_free(struct zstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void zstd_feed(struct zstd *z, const uint8_t *data, size_t size)
{
	z->in = (ZSTD_inBuffer){ .src = data, .size = size };
}

static void forget(struct zstd *z)
{
	z->in = (ZSTD_inBuffer){ 0 };
	z->more = false;
}

const char *zstd_pull(struct zstd *z, uint8_t *out, size_t room, size_t *ret)
{
	ZSTD_outBuffer to = { .dst = out, .size = room };

	while (to.pos < to.size && (z->in.pos < z->in.size || z->more)) {
		size_t before = to.pos, taken = z->in.pos;
		size_t status = ZSTD_decompressStream(z->stream, &to, &z->in);
		if (ZSTD_isError(status)) {
			forget(z);
			ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
			return ZSTD_getErrorName(status);
		}
		z->more = to.pos == to.size;
		if (to.pos == before && z->in.pos == taken)
			break;
	}
	*ret = to.pos;
	if (!to.pos)
		forget(z);
	return NULL;
}
