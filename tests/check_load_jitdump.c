#include "symbolize/load_jitdump.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check_run.h"
#include "tests/mkjitdump.h"

static char folder[64], path[128];
static struct jitdump dump;

static void begin(void)
{
	strcpy(folder, "/tmp/check_load_jitdump.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/jit-7.dump", folder);
	dump = (struct jitdump){ 0 };
}

static void end(void)
{
	jitdump_free(&dump);
	unlink(path);
	rmdir(folder);
}

/* The codes of the first @size bytes, as text. */
static const char *load(const struct mkbytes *b, size_t size)
{
	static char text[1024];
	size_t used = 0;

	mkjit_write(path, b, size);
	jitdump_free(&dump);
	const char *reason = load_jitdump(path, &dump);
	if (reason)
		return reason;
	for (size_t i = 0; i < dump.codes.count; i++) {
		const struct jitdump_code *code = &dump.codes.at[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llu:%llx-%llx=%s ",
					 (unsigned long long)code->time, (unsigned long long)code->start,
					 (unsigned long long)code->end, code->name);
		ck_assert_uint_eq(code->serial, i);
	}
	return text;
}

static struct mkbytes example(bool big_endian)
{
	struct mkbytes b = { .big_endian = big_endian };

	mkjit_header(&b, EM_AARCH64, 0);
	mkjit_other(&b, 2, 33);
	mkjit_load(&b, 10, 0x1000, 0x20, 1, "LazyCompile:~main /a b.js:1");
	mkjit_other(&b, 4, 100);
	mkjit_load(&b, 11, 0x2000, 0x20, 2, "g");
	mkjit_move(&b, 12, 0x1000, 0x3000, 0x20, 1);
	mkjit_other(&b, 3, 0);
	return b;
}

#define EXAMPLE                                           \
	"10:1000-1020=LazyCompile:~main /a b.js:1 "       \
	"11:2000-2020=g "                                 \
	"12:3000-3020=LazyCompile:~main /a b.js:1 "

START_TEST(loads_and_moves_are_taken_in_both_byte_orders)
{
	begin();
	for (int big = 0; big < 2; big++) {
		struct mkbytes b = example(big);
		ck_assert_str_eq(load(&b, b.bytes.count), EXAMPLE);
		ck_assert_uint_eq(dump.machine, EM_AARCH64);
		ck_assert(!dump.arch_timestamps);
		mkbytes_free(&b);
	}
	end();
}
END_TEST

START_TEST(the_header_says_which_clock)
{
	struct mkbytes b = { 0 };

	begin();
	mkjit_header(&b, EM_X86_64, MKJIT_ARCH_TIMESTAMPS);
	mkjit_load(&b, 10, 0x1000, 1, 1, "f");
	load(&b, b.bytes.count);
	ck_assert(dump.arch_timestamps);
	mkbytes_free(&b);
	end();
}
END_TEST

START_TEST(a_file_is_good_as_far_as_it_goes)
{
	struct mkbytes b = example(false);

	begin();
	for (size_t size = 0; size < b.bytes.count; size++) {
		const char *text = load(&b, size);
		if (size < 40)
			ck_assert_str_eq(text, "not a jitdump");
		else if (strcmp(text, "holds no symbols") != 0)
			ck_assert_int_eq(strncmp(text, EXAMPLE, 41), 0);
	}
	/* The size of a record that makes it end before it begins. */
	memset(b.bytes.at + 44, 0, 4);
	ck_assert_str_eq(load(&b, b.bytes.count), "holds no symbols");
	mkbytes_free(&b);
	end();
}
END_TEST

START_TEST(what_makes_no_sense_is_left_out)
{
	struct mkbytes b = { 0 };

	begin();
	mkjit_header(&b, EM_X86_64, 0);
	mkjit_load(&b, 1, 0x1000, 0, 1, "empty");
	mkjit_load(&b, 2, UINT64_MAX - 3, 8, 2, "around");
	mkjit_move(&b, 3, 0x1000, 0x2000, 8, 77);
	mkjit_move(&b, 3, 0x1000, UINT64_MAX, 8, 1);
	mkjit_other(&b, 0, 8);
	mkjit_other(&b, 1, 8);
	mkjit_other(&b, 99, 8);
	mkjit_load(&b, 4, 0x4000, 8, 2, "");
	ck_assert_str_eq(load(&b, b.bytes.count), "4:4000-4008= ");
	mkbytes_free(&b);
	end();
}
END_TEST

START_TEST(a_name_may_be_long)
{
	static char name[10000];
	struct mkbytes b = { 0 };

	begin();
	memset(name, 'x', sizeof(name) - 1);
	mkjit_header(&b, EM_X86_64, 0);
	mkjit_load(&b, 1, 0x1000, 8, 1, name);
	mkjit_load(&b, 2, 0x2000, 8, 2, "f");
	load(&b, 40 + 16 + 40 + sizeof(name) + 8); /* the first record */
	ck_assert_uint_eq(dump.codes.count, 1);
	ck_assert_uint_eq(strlen(dump.codes.at[0].name), 4096);
	mkjit_write(path, &b, b.bytes.count);
	jitdump_free(&dump);
	ck_assert_ptr_null(load_jitdump(path, &dump));
	ck_assert_uint_eq(dump.codes.count, 2);
	ck_assert_str_eq(dump.codes.at[1].name, "f");
	mkbytes_free(&b);
	end();
}
END_TEST

/* A load after unwinding information that says to have so many bytes. */
static void load_with(uint64_t size, uint64_t header_size, size_t really)
{
	struct mkbytes b = { 0 };

	mkjit_header(&b, EM_X86_64, 0);
	mkjit_prefix(&b, 4, 24 + really, 1);
	mkbytes_u64(&b, size);
	mkbytes_u64(&b, header_size);
	mkbytes_u64(&b, 0);
	for (size_t i = 0; i < really; i++)
		mkbytes_u8(&b, (uint8_t)i);
	mkjit_load(&b, 1, 0x1000, 13, 1, "f");
	mkjit_load(&b, 2, 0x2000, 13, 2, "g");
	ck_assert_str_eq(load(&b, b.bytes.count), "1:1000-100d=f 2:2000-200d=g ");
	mkbytes_free(&b);
}

START_TEST(unwinding_information_is_of_the_next_code)
{
	begin();
	load_with(30, 10, 30);
	ck_assert(dump.has_eh_frames);
	ck_assert_uint_eq(dump.codes.at[0].eh_frame_size, 20);
	ck_assert_uint_eq(dump.codes.at[0].eh_frame[19], 19);
	ck_assert_uint_eq(jitdump_eh_frame_address(&dump.codes.at[0]), 0x1010);
	ck_assert_uint_eq(dump.codes.at[1].eh_frame_size, 0);
	static const uint64_t none[][3] = { { 30, 30, 30 }, { 30, 31, 30 },	   { 31, 10, 30 },
					    { 0, 0, 0 },    { UINT64_MAX, 1, 30 }, { 100000, 10, 100000 } };
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		load_with(none[i][0], none[i][1], none[i][2]);
		ck_assert(!dump.has_eh_frames);
		ck_assert_uint_eq(dump.codes.at[0].eh_frame_size, 0);
	}
	end();
}
END_TEST

START_TEST(what_is_no_jitdump)
{
	struct mkbytes b = { 0 };

	begin();
	ck_assert_str_eq(load_jitdump(path, &dump), "not found");
	ck_assert_str_eq(load_jitdump(folder, &dump), "not a regular file");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_str_eq(load_jitdump(path, &dump), "not a regular file");
	unlink(path);
	mkbytes_zeros(&b, 100);
	ck_assert_str_eq(load(&b, 100), "not a jitdump");
	mkbytes_free(&b);
	end();
}
END_TEST

START_TEST(names_of_jitdumps)
{
	ck_assert(jitdump_is_name("/root/.debug/jit/node-20.1/jit-7.dump"));
	ck_assert(jitdump_is_name("/jit-123456.dump"));
	ck_assert(!jitdump_is_name("jit-7.dump"));
	ck_assert(!jitdump_is_name("/tmp/jit-.dump"));
	ck_assert(!jitdump_is_name("/tmp/jit-7.dump.gz"));
	ck_assert(!jitdump_is_name("/tmp/jit-7x.dump"));
	ck_assert(!jitdump_is_name("/jit-7.dump/a"));
	ck_assert(!jitdump_is_name(""));
}
END_TEST

CHECK_SUITE("load_jitdump", loads_and_moves_are_taken_in_both_byte_orders, the_header_says_which_clock,
	    a_file_is_good_as_far_as_it_goes, what_makes_no_sense_is_left_out, a_name_may_be_long,
	    unwinding_information_is_of_the_next_code, what_is_no_jitdump, names_of_jitdumps)
