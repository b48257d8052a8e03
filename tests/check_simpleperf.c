/*
 * Recordings of Android's simpleperf. None was at hand: they are made here as its own reader and writer (of
 * 2016 to 2024) describe them.
 */
#include "events/simpleperf.h"

#include <stdio.h>
#include <string.h>

#include "events/reader.h"
#include "tests/check_run.h"
#include "tests/mkperf.h"
#include "tests/mkspin.h"
#include "tests/whole_run.h"
#include "util/xalloc.h"

#define BAD "records of simpleperf that could not be read"

static const struct attr plain_attr = {
	.type = ATTR_HARDWARE,
	.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_PERIOD,
	.flags = MK_SAMPLE_ID_ALL,
};

static const struct mkperf_options kinds[] = {
	{ 0 },
	{ .big_endian = true },
	{ .compress = RECORD_COMPRESSED },
	{ .compress = RECORD_COMPRESSED, .piece = 100 },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct mkperf *m;
static struct diag *diag;
static struct reader *r;

static void meta_info(const char *info, size_t size)
{
	mkperf_feature(m, SIMPLEPERF_FEATURE_META_INFO, info, size);
}

/* @info: keys and values, each with its NUL. */
static void begin(struct mkperf_options options, const char *info, size_t size)
{
	m = mkperf_new(options);
	diag = diag_new();
	/* perf always records it, and it tells the size of a big-endian machine's words. */
	mkperf_string_feature(m, FEATURE_HOSTNAME, "phone");
	meta_info(info, size);
}
#define BEGIN(options, info) begin((options), (info), sizeof(info) - 1)
#define USUAL "simpleperf_version\0001.build.1\0"

static void open_bytes(const void *data, size_t size)
{
	struct err *err = reader_open_memory("f", data, size, false, diag, &r);

	ck_assert_msg(!err, "%s", err ? err_text(err) : "");
}

static void open_made(void)
{
	size_t size;

	mkperf_round(m); /* a file without any record is one that the recorder did not finish */
	const uint8_t *data = mkperf_bytes(m, &size);

	open_bytes(data, size);
}

static void end(void)
{
	reader_free(r);
	r = NULL;
	diag_free(diag);
	mkperf_free(m);
}

/* The numbers of all samples' ips, as text. */
static const char *samples(bool big_endian)
{
	static char text[4096];
	struct raw_record raw;
	size_t at = 0;

	text[0] = '\0';
	for (bool more = true; !reader_next(r, &raw, &more) && more;) {
		if (raw.type == RECORD_SAMPLE)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%llu ",
					       (unsigned long long)load_u64(raw.data + 8, big_endian));
		ck_assert_uint_lt(at, sizeof(text));
	}
	return text;
}

/* u32 size, @size bytes of text, and zeros up to 8 bytes. */
static struct mkbytes kallsyms(size_t size)
{
	struct mkbytes body = mkperf_body(m);

	mkbytes_u32(&body, (uint32_t)size);
	for (size_t i = 0; i < size; i++)
		mkbytes_u8(&body, (uint8_t)('a' + i % 23));
	mkbytes_zeros(&body, -size % 8);
	return body;
}

static void expect_kallsyms(size_t size)
{
	const struct simpleperf *sp = reader_recording(r)->simpleperf;

	ck_assert_ptr_nonnull(sp);
	ck_assert_uint_eq(sp->kallsyms_size, size);
	for (size_t i = 0; i < size; i++)
		ck_assert_int_eq(sp->kallsyms[i], 'a' + (int)(i % 23));
}

START_TEST(the_size_of_own_records_has_32_bits)
{
	static const size_t sizes[] = { 0, 5, 65536 - 20, 65536, 200001 };

	for (int kind = 0; kind < 2; kind++) { /* nobody compresses such */
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			BEGIN(kinds[kind], USUAL);
			mkperf_event(m, .attr = plain_attr);
			mkperf_sample(m, .ip = 1);
			struct mkbytes body = kallsyms(sizes[i]);
			mkperf_simpleperf_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, &body);
			mkperf_sample(m, .ip = 2);
			open_made();
			ck_assert_str_eq(samples(kind), "1 2 ");
			ck_assert_ptr_null(diag_entry(diag, 0));
			expect_kallsyms(sizes[i]);
			end();
		}
	}
}
END_TEST

START_TEST(what_was_cut_up_is_put_together)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		BEGIN(kinds[kind], USUAL);
		mkperf_event(m, .attr = plain_attr);
		struct mkbytes body = kallsyms(200001);
		mkperf_split_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, &body, 65527);
		mkperf_sample(m, .ip = 1);
		body = kallsyms(10);
		mkperf_split_record(m, 32770, &body, 3); /* a type that nobody wants */
		mkperf_sample(m, .ip = 2);
		open_made();
		ck_assert_str_eq(samples(kinds[kind].big_endian), "1 2 ");
		ck_assert_ptr_null(diag_entry(diag, 0));
		expect_kallsyms(200001);
		end();
	}
}
END_TEST

START_TEST(joined_records_come_out)
{
	struct raw_record raw;
	bool more;

	BEGIN(kinds[0], USUAL);
	mkperf_event(m, .attr = plain_attr);
	struct mkbytes body = mkperf_body(m);
	mkbytes_u32(&body, 70000);
	mkbytes_zeros(&body, 70000);
	mkperf_split_record(m, SIMPLEPERF_RECORD_TRACING_DATA, &body, 40000);
	open_made();
	for (int i = 0; i < 3; i++)
		ck_assert(!reader_next(r, &raw, &more) && more);
	ck_assert_uint_eq(raw.type, SIMPLEPERF_RECORD_TRACING_DATA);
	ck_assert_uint_eq(raw.size + raw.payload_size, 8 + 4 + 70000);
	ck_assert_uint_eq(reader_recording(r)->features->tracing_data_size, 70000);
	end();
}
END_TEST

/* Nothing of simpleperf is believed in a recording without its features: misc is no size. */
START_TEST(recordings_of_perf_have_none_of_it)
{
	m = mkperf_new(kinds[0]);
	diag = diag_new();
	mkperf_event(m, .attr = plain_attr);
	mkperf_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, 1, "\4\0\0\0abcd", 8, NULL);
	mkperf_record(m, SIMPLEPERF_RECORD_SPLIT_END, 0, "", 0, NULL);
	for (int i = 0; i < 5000; i++)
		mkperf_sample(m, .ip = 1);
	mkperf_sample(m, .ip = 2);
	open_made();
	ck_assert_ptr_null(reader_recording(r)->simpleperf);
	struct raw_record raw;
	bool more;
	for (int i = 0; i < 5003; i++)
		ck_assert(!reader_next(r, &raw, &more) && more);
	ck_assert_str_eq(samples(false), "");
	ck_assert_ptr_null(diag_entry(diag, 0));
	end();
}
END_TEST

/* A size that nothing can hold costs that record only, as long as its lower half is right. */
START_TEST(forged_sizes_cost_one_record)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		BEGIN(kinds[kind], USUAL);
		mkperf_event(m, .attr = plain_attr);
		mkperf_sample(m, .ip = 1);
		mkperf_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, 0xffff, "\4\0\0\0abcd", 8, NULL);
		mkperf_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, 0, "\xff\xff\xff\xff", 4, NULL);
		mkperf_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, 0, "", 0, NULL);
		mkperf_record(m, SIMPLEPERF_RECORD_EVENT_ID, 0, "", 0, NULL);
		mkperf_record(m, SIMPLEPERF_RECORD_TRACING_DATA, 0, "\x7f\0\0\x7f", 4, NULL);
		mkperf_sample(m, .ip = 2);
		open_made();
		ck_assert_str_eq(samples(kinds[kind].big_endian), "1 2 ");
		ck_assert_uint_eq(diag_total(diag, BAD), kinds[kind].big_endian ? 5 : 4);
		end();
	}
}
END_TEST

static void bad_pieces(const void *first, size_t size)
{
	mkperf_record(m, SIMPLEPERF_RECORD_SPLIT, 0, first, size, NULL);
	mkperf_record(m, SIMPLEPERF_RECORD_SPLIT_END, 0, "", 0, NULL);
}

START_TEST(pieces_that_make_no_record_are_counted)
{
	BEGIN(kinds[0], USUAL);
	mkperf_event(m, .attr = plain_attr);
	mkperf_record(m, SIMPLEPERF_RECORD_SPLIT_END, 0, "", 0, NULL);
	bad_pieces("", 0);
	bad_pieces("\1\x80\0\0\0\0\7", 7);
	bad_pieces("\1\x80\0\0\0\0\7\0", 8);
	bad_pieces("\1\x80\0\0\0\0\x09\0", 8);
	bad_pieces("\1\x80\0\0\1\0\x08\0", 8);
	bad_pieces("\x09\0\0\0\0\0\x08\0", 8); /* a sample */
	bad_pieces("\4\x80\0\0\0\0\x08\0", 8); /* a piece of nothing: of no use, but whole */
	mkperf_sample(m, .ip = 1);
	mkperf_record(m, SIMPLEPERF_RECORD_SPLIT, 0, "\1\x80\0\0\0\0\x08\0", 8, NULL);
	mkperf_sample(m, .ip = 2);
	open_made();
	ck_assert_str_eq(samples(false), "1 2 ");
	ck_assert_uint_eq(diag_total(diag, BAD), 8);
	end();
}
END_TEST

static const char *name_of(unsigned event)
{
	return reader_recording(r)->evlist->events.at[event]->name;
}

START_TEST(events_have_the_names_of_their_types)
{
	struct attr attr = plain_attr;

	BEGIN(kinds[0], "app_type\0debuggable\0event_type_info\0cpu-cycles,0,0\nsched:sched_switch,2,316\n"
			"armv8_pmuv3/stall/,8,36\nother,0,0\nraw-br,4,18446744073709551615\n"
			"big,4,18446744073709551616\nno,4\n,4,7\nno,4,8x\nno\n\nno,-1,8\0" USUAL);
	mkperf_event(m, .attr = attr);
	attr.flags |= UINT64_C(1) << ATTR_EXCLUDE_KERNEL | UINT64_C(1) << ATTR_EXCLUDE_HV;
	mkperf_event(m, .attr = attr);
	attr.type = ATTR_RAW;
	attr.config = UINT64_MAX;
	mkperf_event(m, .attr = attr);
	attr.config = 8;
	mkperf_event(m, .attr = attr);
	attr.flags = MK_SAMPLE_ID_ALL;
	attr.type = ATTR_TRACEPOINT;
	attr.config = 316;
	mkperf_event(m, .attr = attr);
	attr.type = 8;
	attr.config = 36;
	mkperf_event(m, .attr = attr);
	open_made();
	ck_assert_str_eq(name_of(0), "cpu-cycles");
	ck_assert_str_eq(name_of(1), "cpu-cycles:u");
	ck_assert_str_eq(name_of(2), "raw-br:u");
	ck_assert_str_eq(name_of(3), "raw 0x8:u");
	ck_assert_str_eq(name_of(4), "sched:sched_switch");
	ck_assert_str_eq(name_of(5), "armv8_pmuv3/stall/");
	ck_assert_ptr_null(diag_entry(diag, 0));
	end();
}
END_TEST

START_TEST(names_of_the_recording_come_first)
{
	BEGIN(kinds[0], "event_type_info\0cpu-cycles,0,0\0");
	mkperf_event(m, .attr = plain_attr, .name = "cycles");
	open_made();
	ck_assert_str_eq(name_of(0), "cycles");
	end();
}
END_TEST

START_TEST(cut_meta_info_is_counted)
{
	static const char info[] = "event_type_info\0cpu-cycles,0,0\0key\0value";

	for (size_t size = 1; size < sizeof(info); size++) {
		m = mkperf_new(kinds[0]);
		diag = diag_new();
		meta_info(info, size);
		mkperf_event(m, .attr = plain_attr);
		open_made();
		ck_assert_str_eq(name_of(0), size < 31 ? "cycles" : "cpu-cycles");
		ck_assert_uint_eq(diag_total(diag, "feature sections that could not be read"), size != 31);
		end();
	}
}
END_TEST

static void event_ids(const uint64_t *pairs, uint64_t count, uint64_t there)
{
	struct mkbytes body = mkperf_body(m);

	mkbytes_u64(&body, count);
	for (uint64_t i = 0; i < 2 * there; i++)
		mkbytes_u64(&body, pairs[i]);
	mkperf_simpleperf_record(m, SIMPLEPERF_RECORD_EVENT_ID, &body);
}

START_TEST(ids_come_in_records)
{
	static const uint64_t pairs[] = { 0, 700, 1, 701, 1, 702 };
	static const uint64_t wrong[] = { 2, 703 };

	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		BEGIN(kinds[kind], USUAL);
		mkperf_event(m, .attr = plain_attr, .no_ids = true);
		mkperf_event(m, .attr = plain_attr, .no_ids = true);
		event_ids(pairs, 3, 3);
		event_ids(wrong, 1, 1);
		event_ids(wrong, UINT64_MAX / 16 + 2, 1);
		mkperf_sample(m, .ip = 1, .id = 700);
		mkperf_sample(m, .ip = 2, .id = 702);
		open_made();
		const struct recording *recording = reader_recording(r);
		struct raw_record raw;
		bool more;
		for (int i = 0; i < 3; i++)
			ck_assert(!reader_next(r, &raw, &more) && more);
		for (unsigned i = 0; i < 2; i++) {
			ck_assert(!reader_next(r, &raw, &more) && more);
			ck_assert_ptr_eq(evlist_of(recording->evlist, &raw), recording->evlist->events.at[i]);
		}
		ck_assert_uint_eq(diag_total(diag, BAD), 2);
		end();
	}
}
END_TEST

/* FILE */

static void put_string(struct mkbytes *b, const char *text)
{
	mkbytes_data(b, text, strlen(text) + 1);
}

static void put_part(struct mkbytes *b, const struct mkbytes *part)
{
	mkbytes_u32(b, (uint32_t)part->bytes.count);
	mkbytes_data(b, part->bytes.at, part->bytes.count);
}

static void plain_file(struct mkbytes *b, const char *path, uint32_t type, bool has_offset)
{
	struct mkbytes whole = { .big_endian = b->big_endian };

	put_string(&whole, path);
	mkbytes_u32(&whole, type);
	mkbytes_u64(&whole, 0x2000);
	mkbytes_u32(&whole, 2);
	mkbytes_u64(&whole, 0x2010);
	mkbytes_u32(&whole, 0x20);
	put_string(&whole, "first");
	mkbytes_u64(&whole, 0x3000);
	mkbytes_u32(&whole, 0x10);
	put_string(&whole, "");
	if (type == SIMPLEPERF_DEX) {
		mkbytes_u32(&whole, 1);
		mkbytes_u64(&whole, 0x28);
	}
	if (has_offset)
		mkbytes_u64(&whole, 0x1000);
	put_part(b, &whole);
	mkbytes_free(&whole);
}

static void put_varint(struct mkbytes *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		mkbytes_u8(b, (uint8_t)(v | 0x80));
	mkbytes_u8(b, (uint8_t)v);
}

static void put_number(struct mkbytes *b, unsigned field, uint64_t v)
{
	mkbytes_u8(b, (uint8_t)(field << 3));
	put_varint(b, v);
}

static void put_bytes(struct mkbytes *b, unsigned field, const void *bytes, size_t size)
{
	mkbytes_u8(b, (uint8_t)(field << 3 | 2));
	put_varint(b, size);
	mkbytes_data(b, bytes, size);
}

static void message_symbol(struct mkbytes *b, uint64_t vaddr, uint64_t size, const char *name)
{
	struct mkbytes symbol = { 0 };

	put_number(&symbol, 1, vaddr);
	put_number(&symbol, 2, size);
	if (*name)
		put_bytes(&symbol, 3, name, strlen(name));
	put_bytes(b, 4, symbol.bytes.at, symbol.bytes.count);
	mkbytes_free(&symbol);
}

static void message_file(struct mkbytes *b, const char *path, uint32_t type, bool has_offset)
{
	static const uint8_t unknown[] = { 15 << 3 | 1, 1, 2, 3, 4, 5, 6, 7, 8, 14 << 3 | 5, 1, 2, 3, 4 };
	struct mkbytes whole = { 0 }, offset = { 0 };

	put_bytes(&whole, 1, path, strlen(path));
	put_number(&whole, 2, type);
	put_number(&whole, 3, 0x2000);
	message_symbol(&whole, 0x2010, 0x20, "first");
	mkbytes_data(&whole, unknown, sizeof(unknown));
	message_symbol(&whole, 0x3000, 0x10, "");
	put_number(&offset, 1, 0x1000);
	if (has_offset)
		put_bytes(&whole, 6, offset.bytes.at, offset.bytes.count);
	put_part(b, &whole);
	mkbytes_free(&offset);
	mkbytes_free(&whole);
}

typedef void file_maker(struct mkbytes *b, const char *path, uint32_t type, bool has_offset);

static const struct {
	unsigned feature;
	file_maker *make;
} forms[] = {
	{ SIMPLEPERF_FEATURE_FILE, plain_file },
	{ SIMPLEPERF_FEATURE_FILE2, message_file },
};

static void expect_file(const struct simpleperf_file *f, const char *path, uint32_t type, bool has_offset)
{
	struct simpleperf_symbols symbols = f->symbols;
	struct simpleperf_symbol symbol;

	ck_assert_str_eq(f->path, path);
	ck_assert_uint_eq(f->type, type);
	ck_assert_uint_eq(f->min_vaddr, 0x2000);
	ck_assert_int_eq(f->has_offset, has_offset);
	ck_assert_uint_eq(f->min_vaddr_offset, has_offset ? 0x1000 : 0);
	ck_assert(simpleperf_next_symbol(&symbols, &symbol));
	ck_assert_uint_eq(symbol.vaddr, 0x2010);
	ck_assert_uint_eq(symbol.size, 0x20);
	ck_assert_uint_eq(symbol.name_size, 5);
	ck_assert_mem_eq(symbol.name, "first", 5);
	ck_assert(simpleperf_next_symbol(&symbols, &symbol));
	ck_assert_uint_eq(symbol.vaddr, 0x3000);
	ck_assert_uint_eq(symbol.size, 0x10);
	ck_assert_uint_eq(symbol.name_size, 0);
	ck_assert(!simpleperf_next_symbol(&symbols, &symbol));
	ck_assert(!simpleperf_next_symbol(&symbols, &symbol));
}

START_TEST(files_tell_their_symbols)
{
	for (unsigned form = 0; form < 2; form++) {
		for (int big_endian = 0; big_endian < 2; big_endian++) {
			struct simpleperf *sp = simpleperf_new(big_endian);
			struct mkbytes b = { .big_endian = big_endian };
			forms[form].make(&b, "/system/lib64/libc.so", SIMPLEPERF_ELF, true);
			forms[form].make(&b, "[kernel.kallsyms]", SIMPLEPERF_KERNEL, false);
			forms[form].make(&b, "/app/base.vdex", SIMPLEPERF_DEX, false);
			forms[form].make(&b, "/old.so", SIMPLEPERF_ELF, false);
			ck_assert_ptr_null(
				simpleperf_add_feature(sp, forms[form].feature, b.bytes.at, b.bytes.count));
			ck_assert_uint_eq(sp->files.count, 4);
			expect_file(&sp->files.at[0], "/system/lib64/libc.so", SIMPLEPERF_ELF, true);
			expect_file(&sp->files.at[1], "[kernel.kallsyms]", SIMPLEPERF_KERNEL, false);
			expect_file(&sp->files.at[2], "/app/base.vdex", SIMPLEPERF_DEX, false);
			expect_file(&sp->files.at[3], "/old.so", SIMPLEPERF_ELF, false);
			mkbytes_free(&b);
			simpleperf_free(sp);
		}
	}
}
END_TEST

/* Each in memory of exactly its size, so that a sanitizer sees what is read behind it. */
START_TEST(cut_files_cost_themselves)
{
	for (unsigned form = 0; form < 2; form++) {
		struct mkbytes b = { 0 };
		forms[form].make(&b, "/first", SIMPLEPERF_ELF, true);
		size_t first = b.bytes.count;
		forms[form].make(&b, "/second", SIMPLEPERF_ELF, true);
		for (size_t size = 0; size <= b.bytes.count; size++) {
			struct simpleperf *sp = simpleperf_new(false);
			AUTOFREE uint8_t *cut = xmemdup(b.bytes.at, size);
			const char *why = simpleperf_add_feature(sp, forms[form].feature, cut, size);
			bool whole = size == 0 || size == first || size == b.bytes.count;
			ck_assert_int_eq(!why, whole);
			ck_assert_uint_eq(sp->files.count, (size >= first) + (size == b.bytes.count));
			simpleperf_free(sp);
		}
		mkbytes_free(&b);
	}
}
END_TEST

/* No crash, no endless loop, nothing read outside. */
START_TEST(changed_bytes_do_no_harm)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (unsigned form = 0; form < 2; form++) {
		struct mkbytes b = { 0 };
		forms[form].make(&b, "/first", SIMPLEPERF_ELF, true);
		for (size_t at = 0; at < b.bytes.count; at++) {
			for (size_t i = 0; i < sizeof(values); i++) {
				struct simpleperf *sp = simpleperf_new(false);
				AUTOFREE uint8_t *bytes = xmemdup(b.bytes.at, b.bytes.count);
				struct simpleperf_symbol symbol;
				size_t sum = 0;
				bytes[at] = values[i];
				(void)simpleperf_add_feature(sp, forms[form].feature, bytes, b.bytes.count);
				for (size_t n = 0; n < sp->files.count; n++) {
					struct simpleperf_symbols symbols = sp->files.at[n].symbols;
					while (simpleperf_next_symbol(&symbols, &symbol)) {
						for (size_t k = 0; k < symbol.name_size; k++)
							sum += (uint8_t)symbol.name[k];
					}
				}
				ck_assert_uint_lt(sum, 255 * b.bytes.count);
				simpleperf_free(sp);
			}
		}
		mkbytes_free(&b);
	}
}
END_TEST

/* Whole runs */

#define LIB UINT64_C(0x7000000000)
#define KERNEL UINT64_C(0xffffffc008000000)

/* An app on a phone: two events, told apart by records. Samples follow. */
static void begin_phone(struct mkperf_options options)
{
	static const uint64_t ids[] = { 0, 700, 1, 701 };
	struct attr attr = plain_attr;

	attr.sample_type |= SAMPLE_CALLCHAIN | SAMPLE_CPU;
	BEGIN(options, USUAL "event_type_info\0cpu-cycles,0,0\nsched:sched_switch,2,316\0");
	mkperf_event(m, .attr = attr, .no_ids = true);
	attr.type = ATTR_TRACEPOINT;
	attr.config = 316;
	mkperf_event(m, .attr = attr, .no_ids = true);
	mkperf_string_feature(m, FEATURE_ARCH, "aarch64");
	event_ids(ids, 2, 2);
	mkperf_mmap(m, .misc = CPUMODE_KERNEL, .pid = UINT32_MAX, .len = UINT64_MAX,
		    .filename = "[kernel.kallsyms]");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "com.example.app");
	mkperf_comm(m, .pid = 100, .tid = 101, .comm = "RenderThread");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = LIB, .len = 0x2000, .pgoff = 0x1000,
		     .filename = "/data/app/base.apk!/lib/libapp.so");
}

static void phone_samples(void)
{
	mkperf_sample(m, .id = 700, .pid = 100, .tid = 101, .time = 1000000000, .period = 10,
		      .ip = LIB + 0x14, MK_CHAIN(LIB + 0x14, LIB + 0x1008));
	mkperf_sample(m, .id = 701, .pid = 100, .tid = 100, .time = 1000001000, .period = 1,
		      .ip = KERNEL + 0x24, .misc = CPUMODE_KERNEL,
		      MK_CHAIN(CHAIN_KERNEL, KERNEL + 0x24, CHAIN_USER, LIB + 0x20));
}

/* @expected: on standard output. Nothing may be said but which names are missing. */
static void expect_text(const char *options, const char *expected)
{
	mkperf_write(m, file);
	ck_assert_str_eq(text(options), expected);
	ck_assert_msg(!strstr(messages, "records ") && !strstr(messages, "feature "), "said: %s", messages);
}

START_TEST(a_recording_is_converted_to_its_end)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		whole_run_begin();
		begin_phone(kinds[kind]);
		struct mkbytes body = kallsyms(100000);
		mkperf_split_record(m, 32770, &body, 65527);
		phone_samples();
		expect_text("--sysroot root -F comm,tid,time,event,ip,sym,dso perf.data",
			    "RenderThread     101     1.000000:         cpu-cycles: \n"
			    "\t      7000000014 [unknown] (/data/app/base.apk!/lib/libapp.so)\n"
			    "\t      7000001008 [unknown] (/data/app/base.apk!/lib/libapp.so)\n\n"
			    "com.example.app     100     1.000001: sched:sched_switch: \n"
			    "\tffffffc008000024 [unknown] ([kernel.kallsyms])\n"
			    "\t      7000000020 [unknown] (/data/app/base.apk!/lib/libapp.so)\n\n");
		mkelf_remove(folder);
		end();
	}
}
END_TEST

/* mid begins with its call. */
#define SPIN_CHAIN                                                                                           \
	.ip = LIB + SPIN_LEAF + 4, MK_CHAIN(LIB + SPIN_LEAF + 4, LIB + SPIN_MID, LIB + SPIN_MAIN + 8)

static void write_spin(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/root/usr/bin/%s", folder, name);
	mkspin_write(path, (struct mkspin){ .machine = EM_AARCH64 });
}

/* simpleperf goes back from return addresses to the calls: done once more, another function is found. */
START_TEST(chains_are_of_calls)
{
	whole_run_begin();
	write_spin("spin");
	begin_phone(kinds[0]);
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = LIB, .len = 0x2000, .filename = "/usr/bin/spin");
	mkperf_sample(m, .id = 700, .pid = 100, .tid = 101, .time = 1, .period = 10, SPIN_CHAIN);
	expect_text("--sysroot root --folded perf.data", "RenderThread;main;mid;leaf 10\n");
	mkelf_remove(folder);
	end();
}
END_TEST

#define APP "/data/app/base.apk!/lib/libapp.so"
#define JIT "/data/local/tmp/perf.data_jit_app_cache:1080272-1090264"
#define VDEX "/data/app/base.vdex"

struct one_symbol {
	const char *path;
	uint32_t type;
	uint64_t min_vaddr, offset, vaddr, size; /* offset UINT64_MAX: not recorded */
	const char *name;
};

static void plain_one(struct mkbytes *b, const struct one_symbol *s)
{
	struct mkbytes whole = { .big_endian = b->big_endian };

	put_string(&whole, s->path);
	mkbytes_u32(&whole, s->type);
	mkbytes_u64(&whole, s->min_vaddr);
	mkbytes_u32(&whole, 1);
	mkbytes_u64(&whole, s->vaddr);
	mkbytes_u32(&whole, (uint32_t)s->size);
	put_string(&whole, s->name);
	if (s->type == SIMPLEPERF_DEX)
		mkbytes_u32(&whole, 0);
	if (s->type == SIMPLEPERF_ELF && s->offset != UINT64_MAX)
		mkbytes_u64(&whole, s->offset);
	put_part(b, &whole);
	mkbytes_free(&whole);
}

static void message_one(struct mkbytes *b, const struct one_symbol *s)
{
	struct mkbytes whole = { 0 }, offset = { 0 };

	put_bytes(&whole, 1, s->path, strlen(s->path));
	if (s->type)
		put_number(&whole, 2, s->type);
	put_number(&whole, 3, s->min_vaddr);
	message_symbol(&whole, s->vaddr, s->size, s->name);
	put_number(&offset, 1, s->offset);
	if (s->type == SIMPLEPERF_ELF && s->offset != UINT64_MAX)
		put_bytes(&whole, 6, offset.bytes.at, offset.bytes.count);
	put_part(b, &whole);
	mkbytes_free(&offset);
	mkbytes_free(&whole);
}

static void put_files(unsigned form, const struct one_symbol *symbols, size_t count)
{
	struct mkbytes b = mkperf_body(m);

	for (size_t i = 0; i < count; i++) {
		if (forms[form].feature == SIMPLEPERF_FEATURE_FILE)
			plain_one(&b, &symbols[i]);
		else
			message_one(&b, &symbols[i]);
	}
	mkperf_bytes_feature(m, forms[form].feature, &b);
}

static void sample_at(uint64_t ip, uint16_t misc)
{
	static uint64_t time = 1000;

	mkperf_sample(m, .id = 700, .pid = 100, .tid = 101, .time = time++, .period = 1, .ip = ip,
		      .misc = misc, MK_CHAIN(misc == CPUMODE_KERNEL ? CHAIN_KERNEL : CHAIN_USER, ip));
}

static void map_file(uint64_t start, uint64_t pgoff, uint32_t prot, const char *name)
{
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = start, .len = 0x1000, .pgoff = pgoff, .prot = prot,
		     .filename = name);
}

START_TEST(names_come_from_the_recording)
{
	static const struct one_symbol symbols[] = {
		{ APP, SIMPLEPERF_ELF, 0x5000, 0x1000, 0x5010, 0x10, "_ZN3app4drawEv" },
		{ "/old.so", SIMPLEPERF_ELF, 0x8000, UINT64_MAX, 0x8100, 8, "old" },
		{ VDEX, SIMPLEPERF_DEX, 0, 0, 0x2800, 0x40, "com.example.Main.run" },
		{ JIT, SIMPLEPERF_ELF, 0, 0, LIB + 0x300010, 0x10, "com.example.Main.jitted" },
		{ "perf-100.map", SIMPLEPERF_SYMBOL_MAP, 0, 0, LIB + 0x400010, 0x10, "mapped" },
		{ "[kernel.kallsyms]", SIMPLEPERF_KERNEL, 0, 0, KERNEL + 0x20, 0x10, "schedule" },
		{ "[kernel.kallsyms]", SIMPLEPERF_KERNEL, 0, 0, KERNEL + 0x1000010, 0x10, "poll [gpu_drv]" },
		{ "[gpu_drv]", SIMPLEPERF_MODULE, 0, 0, 0x10, 0x10, "wrong" },
	};

	for (unsigned form = 0; form < 2; form++) {
		whole_run_begin();
		begin_phone(kinds[0]);
		put_files(form, symbols, sizeof(symbols) / sizeof(symbols[0]));
		mkperf_mmap(m, .misc = CPUMODE_KERNEL, .pid = UINT32_MAX, .start = KERNEL + 0x1000000,
			    .len = 0x1000, .filename = "[gpu-drv]");
		map_file(LIB + 0x101000, 0, PROT_FLAG_READ, "/old.so");
		map_file(LIB + 0x100000, 0x3000, PROT_FLAG_READ | PROT_FLAG_EXEC, "/old.so");
		map_file(LIB + 0x102000, 0x4000, PROT_FLAG_READ | PROT_FLAG_EXEC, "/old.so");
		map_file(LIB + 0x200000, 0x2000, PROT_FLAG_READ, VDEX);
		map_file(LIB + 0x300000, 0x40, 0x4000, JIT);
		map_file(LIB + 0x400000, 0, PROT_FLAG_EXEC, "//anon");
		sample_at(LIB + 0x10, CPUMODE_USER);
		sample_at(LIB + 0x1f, CPUMODE_USER);
		sample_at(LIB + 0x20, CPUMODE_USER);
		sample_at(LIB + 0x100104, CPUMODE_USER);
		sample_at(LIB + 0x200830, CPUMODE_USER);
		sample_at(LIB + 0x300018, CPUMODE_USER);
		sample_at(LIB + 0x400018, CPUMODE_USER);
		sample_at(KERNEL + 0x2f, CPUMODE_KERNEL);
		sample_at(KERNEL + 0x30, CPUMODE_KERNEL);
		sample_at(KERNEL + 0x1000018, CPUMODE_KERNEL);
		expect_text("--sysroot root --folded perf.data", "RenderThread;[[kernel.kallsyms]] 1\n"
								 "RenderThread;[libapp.so] 1\n"
								 "RenderThread;app::draw 2\n"
								 "RenderThread;com.example.Main.jitted 1\n"
								 "RenderThread;com.example.Main.run 1\n"
								 "RenderThread;mapped 1\n"
								 "RenderThread;old 1\n"
								 "RenderThread;poll 1\n"
								 "RenderThread;schedule 1\n");
		mkelf_remove(folder);
		end();
	}
}
END_TEST

/* A function of the file in front of those that were recorded: what is found only there. */
static const char *leaf_name(const uint8_t *build_id, bool stripped)
{
	static const struct one_symbol symbol = { "/usr/bin/spin", SIMPLEPERF_ELF, 0,	      0,
						  SPIN_LEAF,	   SPIN_SIZE,	   "recorded" };
	char path[256];

	whole_run_begin();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin", folder);
	mkspin_write(path, (struct mkspin){ .machine = EM_AARCH64, .stripped = stripped });
	begin_phone(kinds[0]);
	put_files(1, &symbol, 1);
	if (build_id)
		mkperf_build_id(m, CPUMODE_USER, -1, build_id, "/usr/bin/spin");
	map_file(LIB + 0x100000, 0x1000, PROT_FLAG_READ | PROT_FLAG_EXEC, "/usr/bin/spin");
	sample_at(LIB + 0x100104, CPUMODE_USER);
	mkperf_write(m, file);
	const char *got = text("--sysroot root --folded perf.data");
	mkelf_remove(folder);
	end();
	return got;
}

START_TEST(the_file_itself_comes_first)
{
	static const uint8_t other_id[20] = { 1, 2, 3 };

	ck_assert_str_eq(leaf_name(NULL, false), "RenderThread;leaf 1\n");
	ck_assert_str_eq(leaf_name(NULL, true), "RenderThread;recorded 1\n");
	ck_assert_str_eq(leaf_name(other_id, false), "RenderThread;recorded 1\n");
	ck_assert_str_eq(messages, "");
}
END_TEST

/* As long as no other is given. */
START_TEST(kernel_names_come_from_its_kallsyms)
{
	static const char lines[] = "ffffffc008000000 T _text\nffffffc008000020 T schedule\n"
				    "ffffffc008000040 T idle\nffffffc009000000 t poll\t[gpu]\n";
	static const char given[] = "ffffffc008000000 T given\n";
	struct mkbytes body;

	whole_run_begin();
	begin_phone(kinds[0]);
	body = mkperf_body(m);
	mkbytes_u32(&body, sizeof(lines) - 1);
	mkbytes_data(&body, lines, sizeof(lines) - 1);
	mkperf_split_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, &body, 50);
	mkperf_mmap(m, .misc = CPUMODE_KERNEL, .pid = UINT32_MAX, .start = KERNEL + 0x1000000, .len = 0x1000,
		    .filename = "/vendor/lib/modules/gpu.ko");
	sample_at(KERNEL + 0x24, CPUMODE_KERNEL);
	sample_at(KERNEL + 0x1000018, CPUMODE_KERNEL);
	expect_text("--sysroot root --folded perf.data", "RenderThread;poll 1\nRenderThread;schedule 1\n");
	AUTOFREE char *path = xasprintf("%s/given", folder);
	mkelf_text(path, given, sizeof(given) - 1);
	expect_text("--sysroot root --folded --kallsyms given perf.data",
		    "RenderThread;[[gpu]] 1\nRenderThread;given 1\n");
	mkelf_remove(folder);
	end();
}
END_TEST

CHECK_SUITE("simpleperf", the_size_of_own_records_has_32_bits, what_was_cut_up_is_put_together,
	    joined_records_come_out, recordings_of_perf_have_none_of_it, forged_sizes_cost_one_record,
	    pieces_that_make_no_record_are_counted, events_have_the_names_of_their_types,
	    names_of_the_recording_come_first, cut_meta_info_is_counted, ids_come_in_records,
	    files_tell_their_symbols, cut_files_cost_themselves, changed_bytes_do_no_harm,

	    a_recording_is_converted_to_its_end, chains_are_of_calls, names_come_from_the_recording,
	    the_file_itself_comes_first, kernel_names_come_from_its_kallsyms)
