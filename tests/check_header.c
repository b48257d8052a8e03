#include "tests/check_run.h"

#include <string.h>

#include "events/header.h"
#include "tests/mkperf.h"

static const struct mkperf_options orders[] = { { .big_endian = false }, { .big_endian = true } };

static struct header read_ok(const void *data, size_t size)
{
	struct input *in = input_memory("f", data, size);
	struct header h;
	struct err *err = header_read(in, &h);

	ck_assert_msg(!err, "%s", err ? err_text(err) : "");
	ck_assert_uint_eq(input_offset(in), h.size);
	input_free(in);
	return h;
}

static void expect_error(const void *data, size_t size, bool stream, const char *want)
{
	struct input *in = stream ? input_memory_stream("f", data, size) : input_memory("f", data, size);
	struct header h = { .size = 77 };
	struct err *err = header_read(in, &h);

	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err_text(err), want);
	ck_assert_uint_eq(h.size, 77); /* untouched */
	err_free(err);
	input_free(in);
}

/* A header by hand: the numbers of the format. */
static struct mkbytes make_header(bool big, const char *magic, uint64_t size, uint64_t attr_size)
{
	struct mkbytes b = { .big_endian = big };

	mkbytes_data(&b, magic, 8);
	mkbytes_u64(&b, size);
	mkbytes_u64(&b, attr_size);
	mkbytes_u64(&b, 104); /* attrs */
	mkbytes_u64(&b, 160);
	mkbytes_u64(&b, 264); /* data */
	mkbytes_u64(&b, 16);
	mkbytes_zeros(&b, 16);
	mkbytes_u64(&b, 1 << FEATURE_HOSTNAME | 1 << FEATURE_ARCH);
	mkbytes_zeros(&b, 24 + 160 + 16 + 32);
	return b;
}

START_TEST(a_file_header_of_either_byte_order)
{
	for (int big = 0; big <= 1; big++) {
		struct mkbytes b = make_header(big, big ? "2ELIFREP" : "PERFILE2", 104, 160);
		struct header h = read_ok(b.bytes.at, b.bytes.count);
		ck_assert(!h.pipe);
		ck_assert(h.big_endian == big);
		ck_assert_int_eq(h.version, 2);
		ck_assert_uint_eq(h.size, 104);
		ck_assert_uint_eq(h.attr_size, 160);
		ck_assert_uint_eq(h.attrs.offset, 104);
		ck_assert_uint_eq(h.attrs.size, 160);
		ck_assert_uint_eq(h.data.offset, 264);
		ck_assert_uint_eq(h.data.size, 16);
		ck_assert_uint_eq(h.features[0], 1 << FEATURE_HOSTNAME | 1 << FEATURE_ARCH);
		ck_assert_uint_eq(h.feature_offset, 280);
		ck_assert_uint_eq(h.table_size, 32);
		ck_assert(!h.unfinished);
		ck_assert_uint_eq(h.cut, 0);
		mkbytes_free(&b);
	}
}
END_TEST

START_TEST(version_1_is_read_in_the_order_in_which_its_numbers_make_sense)
{
	for (int big = 0; big <= 1; big++) {
		struct mkbytes b = make_header(big, "PERFFILE", 104, 96 + 16);
		struct header h = read_ok(b.bytes.at, b.bytes.count);
		ck_assert_int_eq(h.version, 1);
		ck_assert(h.big_endian == big);
		ck_assert_uint_eq(h.attr_size, 112);
		mkbytes_free(&b);
	}
	struct mkbytes b = make_header(false, "PERFFILE", 104, 97);
	expect_error(b.bytes.at, b.bytes.count, false,
		     "f: not a perf.data file that can be read: its byte order cannot be told");
	mkbytes_free(&b);
}
END_TEST

START_TEST(a_pipe_header_of_16_bytes)
{
	static const struct {
		const char bytes[17];
		bool big;
		int version;
	} all[] = {
		{ "PERFILE2\x10\0\0\0\0\0\0\0", false, 2 },
		{ "2ELIFREP\0\0\0\0\0\0\0\x10", true, 2 },
		{ "PERFFILE\x10\0\0\0\0\0\0\0", false, 1 },
		{ "PERFFILE\0\0\0\0\0\0\0\x10", true, 1 },
	};

	for (size_t i = 0; i < 4; i++) {
		for (int stream = 0; stream <= 1; stream++) {
			struct input *in = stream ? input_memory_stream("p", all[i].bytes, 16)
						  : input_memory("p", all[i].bytes, 16);
			struct header h;
			ck_assert_ptr_null(header_read(in, &h));
			ck_assert(h.pipe);
			ck_assert(h.big_endian == all[i].big);
			ck_assert_int_eq(h.version, all[i].version);
			ck_assert_uint_eq(input_offset(in), 16);
			input_free(in);
		}
	}
}
END_TEST

START_TEST(a_header_without_bitmap_has_no_features)
{
	struct mkbytes b = make_header(false, "PERFILE2", 72, 160);
	struct header h = read_ok(b.bytes.at, b.bytes.count);

	ck_assert_uint_eq(h.features[0], 0);
	ck_assert_uint_eq(h.data.size, 16);
	mkbytes_free(&b);
}
END_TEST

START_TEST(a_data_size_of_0_reaches_to_the_end_without_features)
{
	struct mkbytes b = make_header(false, "PERFILE2", 104, 160);

	memset(b.bytes.at + 48, 0, 8);
	struct header h = read_ok(b.bytes.at, b.bytes.count);
	ck_assert(h.unfinished);
	ck_assert_uint_eq(h.data.size, b.bytes.count - 264);
	ck_assert_uint_eq(h.features[0], 0);
	ck_assert_uint_eq(h.table_size, 32);
	ck_assert_uint_eq(h.cut, 0);
	mkbytes_free(&b);
}
END_TEST

START_TEST(sections_behind_the_end_are_cut)
{
	struct mkbytes b = make_header(false, "PERFILE2", 104, 160);
	struct header h = read_ok(b.bytes.at, 270);

	ck_assert_uint_eq(h.data.size, 6);
	ck_assert_uint_eq(h.cut, 10);
	h = read_ok(b.bytes.at, 200);
	ck_assert_uint_eq(h.attrs.size, 96);
	ck_assert_uint_eq(h.data.size, 0);
	ck_assert_uint_eq(h.cut, 16);
	/* Offsets and sizes whose sum does not fit into 64 bits. */
	memset(b.bytes.at + 48, 0xff, 8);
	h = read_ok(b.bytes.at, b.bytes.count);
	ck_assert_uint_eq(h.data.size, b.bytes.count - 264);
	ck_assert_uint_eq(h.feature_offset, UINT64_MAX);
	memset(b.bytes.at + 40, 0xff, 8);
	h = read_ok(b.bytes.at, b.bytes.count);
	ck_assert_uint_eq(h.data.size, 0);
	mkbytes_free(&b);
}
END_TEST

/* Bits of 64 or 32-bit words: the hostname decides (as in perf 7.2). */
static uint64_t bitmap_of(const char *words)
{
	struct mkbytes b = make_header(true, "2ELIFREP", 104, 160);

	memcpy(b.bytes.at + 72, words, 8);
	struct header h = read_ok(b.bytes.at, b.bytes.count);
	mkbytes_free(&b);
	return h.features[0];
}

START_TEST(the_bitmap_of_a_big_endian_machine_has_words_of_its_own_size)
{
	ck_assert_uint_eq(bitmap_of("\0\0\0\1\0\0\0\x48"), 0x100000048); /* 64-bit */
	ck_assert_uint_eq(bitmap_of("\0\0\0\x48\0\0\0\1"), 0x100000048); /* 32-bit */
	ck_assert_uint_eq(bitmap_of("\0\0\0\0\0\0\0\x40"), 0x40);	 /* no hostname, but it makes sense */
	ck_assert_uint_eq(bitmap_of("\0\0\0\x40\0\0\0\0"), 0x40);
	ck_assert_uint_eq(bitmap_of("\xff\0\0\0\xff\0\0\0"), 1 << FEATURE_BUILD_ID);
	ck_assert_uint_eq(bitmap_of("\0\0\0\0\0\0\0\0"), 0);
}
END_TEST

START_TEST(what_is_no_recording_is_told_in_one_sentence)
{
	struct mkbytes b = make_header(false, "PERFILE2", 104, 160);

	expect_error("", 0, false, "f: empty, not a perf.data file");
	expect_error("", 0, true, "f: empty, not a perf.data file");
	expect_error("PERFILE2", 8, false,
		     "f: not a perf.data file, or cut off in its header: it has only 8 bytes");
	expect_error(b.bytes.at, 103, false,
		     "f: not a perf.data file, or cut off in its header: it has only 103 bytes");
	expect_error("# a text file of some length\n", 29, false,
		     "f: not a perf.data file but a text: perf2txt takes the recording itself, not what perf "
		     "script made of it");
	expect_error("\x7f"
		     "ELF or so: no text",
		     18, false, "f: not a perf.data file (it does not begin with PERFILE2)");
	expect_error("no text\0but bytes", 16, false,
		     "f: not a perf.data file (it does not begin with PERFILE2)");
	expect_error("\x1f\x8b\x08\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, false,
		     "f: not a perf.data file but one packed by gzip: unpack it first");
	expect_error("\x28\xb5\x2f\xfd\0\0\0\0\0\0\0\0\0\0\0\0", 16, true,
		     "f: not a perf.data file but one packed by zstd: unpack it first");
	expect_error(
		b.bytes.at, b.bytes.count, true,
		"f: a perf.data file of the kind that cannot be read through a pipe: give the file itself, "
		"or record with \"perf record -o -\"");
	expect_error(
		b.bytes.at, 104, false,
		"f: damaged or cut off: its list of events should be at offset 0x68, but the file ends at "
		"0x68");
	b.bytes.at[8] = 60;
	expect_error(b.bytes.at, b.bytes.count, false,
		     "f: not a perf.data file that can be read: its header says it is 60 bytes long");
	mkbytes_free(&b);
}
END_TEST

START_TEST(no_cut_header_is_read_beyond_its_end)
{
	for (size_t o = 0; o < 2; o++) {
		struct mkperf *m = mkperf_new(orders[o]);
		size_t size;
		mkperf_event(m, .name = "cycles");
		mkperf_string_feature(m, FEATURE_ARCH, "s390x");
		mkperf_round(m);
		const uint8_t *data = mkperf_bytes(m, &size);
		for (size_t n = 0; n <= size; n++) {
			uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees each byte too many */
			memcpy(exact, data, n);
			struct input *in = input_memory("f", exact, n);
			struct header h;
			struct err *err = header_read(in, &h);
			ck_assert(err || n > 104);
			if (!err) {
				ck_assert_uint_le(h.data.offset + h.data.size, n < 272 ? 272 : n);
				ck_assert_uint_le(h.attrs.offset + h.attrs.size, n);
			}
			err_free(err);
			input_free(in);
			free(exact);
		}
		mkperf_free(m);
	}
}
END_TEST

CHECK_SUITE("header", a_file_header_of_either_byte_order,
	    version_1_is_read_in_the_order_in_which_its_numbers_make_sense, a_pipe_header_of_16_bytes,
	    a_header_without_bitmap_has_no_features, a_data_size_of_0_reaches_to_the_end_without_features,
	    sections_behind_the_end_are_cut, the_bitmap_of_a_big_endian_machine_has_words_of_its_own_size,
	    what_is_no_recording_is_told_in_one_sentence, no_cut_header_is_read_beyond_its_end)
