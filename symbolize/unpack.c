#include "symbolize/unpack.h"

#include "config.h"

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "util/xalloc.h"

/* xz -9 needs 65 MiB; whoever packed with more did not mean a module. */
#define XZ_MEMORY ((uint64_t)128 << 20)

struct buffer {
	uint8_t *at;
	size_t used, room;
};

/* Room for more output; false when the bound is reached. */
static bool buffer_grow(struct buffer *b)
{
	if (b->used < b->room)
		return true;
	if (b->room >= UNPACK_MAX)
		return false;
	size_t room = b->room ? 2 * b->room : (size_t)1 << 16;
	b->room = room < UNPACK_MAX ? room : UNPACK_MAX;
	b->at = xreallocarray(b->at, b->room, 1);
	return true;
}

static bool unpack_xz(const void *data, size_t size, struct buffer *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&stream, XZ_MEMORY, 0);

	stream.next_in = data;
	stream.avail_in = size;
	while (ret == LZMA_OK && buffer_grow(out)) {
		stream.next_out = out->at + out->used;
		stream.avail_out = out->room - out->used;
		ret = lzma_code(&stream, LZMA_FINISH);
		out->used = out->room - stream.avail_out;
	}
	lzma_end(&stream);
	return ret == LZMA_STREAM_END;
}

static bool unpack_gzip(const void *data, size_t size, struct buffer *out)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size };
	int ret = inflateInit2(&stream, 15 + 16); /* the largest window, a gzip header */

	if (ret != Z_OK)
		return false;
	while (ret == Z_OK && buffer_grow(out)) {
		stream.next_out = out->at + out->used;
		stream.avail_out = (uInt)(out->room - out->used);
		ret = inflate(&stream, Z_NO_FLUSH);
		out->used = out->room - stream.avail_out;
	}
	inflateEnd(&stream);
	return ret == Z_STREAM_END;
}

static bool unpack_zstd(const void *data, size_t size, struct buffer *out)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left = 1; /* 0: a frame has ended; else a hint, or an error */

	while (stream && left && !ZSTD_isError(left) && buffer_grow(out)) {
		ZSTD_outBuffer to = { out->at, out->room, out->used };
		left = ZSTD_decompressStream(stream, &to, &in);
		if (left && in.pos == in.size && to.pos < to.size)
			break; /* the end is missing */
		out->used = to.pos;
	}
	ZSTD_freeDStream(stream);
	return left == 0;
}

typedef bool (*unpacker)(const void *data, size_t size, struct buffer *out);

static unpacker find_unpacker(const void *data, size_t size)
{
	static const struct {
		uint8_t size, bytes[6];
		unpacker function;
	} kinds[] = {
		{ 6, { 0xfd, '7', 'z', 'X', 'Z', 0 }, unpack_xz },
		{ 3, { 0x1f, 0x8b, 8 }, unpack_gzip },
		{ 4, { 0x28, 0xb5, 0x2f, 0xfd }, unpack_zstd },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (size >= kinds[i].size && !memcmp(data, kinds[i].bytes, kinds[i].size))
			return kinds[i].function;
	}
	return NULL;
}

bool unpack_is_packed(const void *data, size_t size)
{
	return find_unpacker(data, size) != NULL;
}

void *unpack(const void *data, size_t size, size_t *ret_size)
{
	unpacker function = find_unpacker(data, size);
	struct buffer out = { NULL, 0, 0 };

	if (!function || size > UNPACK_MAX || !function(data, size, &out)) {
		free(out.at);
		return NULL;
	}
	*ret_size = out.used;
	return out.at;
}

/* zlib's best is 1 : 1032; what zstd makes of debug information is far from that. */
#define MOST_TIMES 1032

#ifdef HAVE_LIBDEFLATE
/* It takes 0.42 times as long as zlib (libc's debug file). */
static bool inflate_all(const void *data, size_t size, void *out, size_t out_size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool done = d && libdeflate_zlib_decompress(d, data, size, out, out_size, NULL) == LIBDEFLATE_SUCCESS;

	libdeflate_free_decompressor(d);
	return done;
}
#else
static bool inflate_all(const void *data, size_t size, void *out, size_t out_size)
{
	uLongf used = (uLongf)out_size;

	return size <= ULONG_MAX && uncompress(out, &used, data, (uLong)size) == Z_OK && used == out_size;
}
#endif

void *unpack_sized(enum unpack_kind kind, const void *data, size_t size, uint64_t unpacked_size)
{
	bool done;

	if (!unpacked_size || unpacked_size > SIZE_MAX || unpacked_size / MOST_TIMES > size)
		return NULL;
	size_t out_size = (size_t)unpacked_size;
	void *out = xmalloc(out_size);
	if (kind == UNPACK_ZLIB)
		done = inflate_all(data, size, out, out_size);
	else
		done = ZSTD_decompress(out, out_size, data, size) == out_size;
	if (done)
		return out;
	free(out);
	return NULL;
}
