#include "events/tracepoint.h"

#include <stdio.h>
#include <string.h>

#include "check_run.h"
#include "util/vec.h"

/* ---- a writer of bytes in either order ---- */

struct bytes {
	VEC(uint8_t) data;
	bool big_endian;
};

static void put(struct bytes *b, const void *data, size_t size)
{
	vec_reserve(&b->data, b->data.count + size);
	memcpy(b->data.at + b->data.count, data, size);
	b->data.count += size;
}

static void put_number(struct bytes *b, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		vec_push(&b->data, (uint8_t)(value >> 8 * (b->big_endian ? size - 1 - i : i)));
}

static void put_string(struct bytes *b, const char *text)
{
	put(b, text, strlen(text) + 1);
}

#define COMMON                                                                                               \
	"format:\n"                                                                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                               \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                               \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                       \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELDS                                                                                               \
	"name: ev\nID: 7\n" COMMON "\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"                          \
	"\tfield:s8 b;\toffset:9;\tsize:1;\tsigned:1;\n"                                                     \
	"\tfield:u16 c;\toffset:10;\tsize:2;\tsigned:0;\n"                                                   \
	"\tfield:s16 d;\toffset:12;\tsize:2;\tsigned:1;\n"                                                   \
	"\tfield:u32 e;\toffset:16;\tsize:4;\tsigned:0;\n"                                                   \
	"\tfield:int f;\toffset:20;\tsize:4;\tsigned:1;\n"                                                   \
	"\tfield:u64 g;\toffset:24;\tsize:8;\tsigned:0;\n"                                                   \
	"\tfield:s64 h;\toffset:32;\tsize:8;\tsigned:1;\n"                                                   \
	"\tfield:unsigned long l;\toffset:40;\tsize:8;\tsigned:0;\n"                                         \
	"\tfield:void * p;\toffset:48;\tsize:8;\tsigned:0;\n"                                                \
	"\tfield:char s[8];\toffset:56;\tsize:8;\tsigned:0;\n"                                               \
	"\tfield:u8 mac[6];\toffset:64;\tsize:6;\tsigned:0;\n"                                               \
	"\tfield:u16 h2;\toffset:70;\tsize:2;\tsigned:0;\n"                                                  \
	"\tfield:u32 arr[3];\toffset:72;\tsize:12;\tsigned:0;\n"                                             \
	"\tfield:__data_loc char[] n;\toffset:84;\tsize:4;\tsigned:0;\n"                                     \
	"\tfield:__data_loc u32[] dyn;\toffset:88;\tsize:4;\tsigned:0;\n"                                    \
	"\tfield:__data_loc unsigned long[] mask;\toffset:92;\tsize:4;\tsigned:0;\n"                         \
	"\tfield:__rel_loc char[] rel;\toffset:96;\tsize:4;\tsigned:0;\n"                                    \
	"\tfield:u8 ip4[4];\toffset:100;\tsize:4;\tsigned:0;\n"                                              \
	"\tfield:u8 ip6[16];\toffset:104;\tsize:16;\tsigned:0;\n"                                            \
	"\tfield:__data_loc char[] none;\toffset:120;\tsize:4;\tsigned:0;\n"                                 \
	"\tfield:u8 sa[8];\toffset:124;\tsize:8;\tsigned:0;\n"                                               \
	"\tfield:__data_loc u8[] dsa;\toffset:156;\tsize:4;\tsigned:0;\n"                                    \
	"\tfield:u32 probe[];\toffset:72;\tsize:12;\tsigned:0;\n\n"

static void put_record(struct bytes *b)
{
	put_number(b, 7, 2);
	put_number(b, 0, 2);
	put_number(b, 42, 4);
	put_number(b, 200, 1);
	put_number(b, 0xfb, 1); /* -5 */
	put_number(b, 60000, 2);
	put_number(b, 0xfffe, 2); /* -2 */
	put_number(b, 0, 2);
	put_number(b, 4000000000u, 4);
	put_number(b, 0xfffffff9, 4); /* -7 */
	put_number(b, 9223372036854775809u, 8);
	put_number(b, (uint64_t)-6, 8);
	put_number(b, 0xff, 8);
	put_number(b, 0xffffffff81000005, 8);
	put(b, "abcd\0fg", 8);
	put(b, "\x00\x11\x22\x33\x44\xff", 6);
	put_number(b, 0x1234, 2);
	put_number(b, 1, 4);
	put_number(b, 2, 4);
	put_number(b, 0xffffffff, 4);
	put_number(b, 132 | 6 << 16, 4);
	put_number(b, 140 | 8 << 16, 4);
	put_number(b, 148 | 8 << 16, 4);
	put_number(b, (132 - 100) | 6 << 16, 4);
	put(b, "\x7f\0\0\1", 4);
	put(b, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	put_number(b, 12, 4);
	put_number(b, 2, 2);
	put(b, "\0\x50\x0a\1\2\3", 6);
	put(b, "hello\0\0\0", 8);
	put_number(b, 1, 4);
	put_number(b, 2, 4);
	put_number(b, 0xf1, 8);
	put_number(b, 160 | 28 << 16, 4);
	put_number(b, 10, 2);
	put(b, "\0\x50\0\0\0\0", 6);
	put(b, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0", 20);
	ck_assert_uint_eq(b->data.count, 188);
}

/* Tracing data with one ftrace format and one of "sys"; what the print format's line says follows "print fmt:
 * ". */
static void put_tracing_data(struct bytes *b, int long_size, const char *fields, const char *print_format)
{
	static const char ftrace[] =
		"name: function\nID: 1\n" COMMON "\nprint fmt: \" %ps\", (void *)REC->ip\n";
	static const char strings[] = "0xff : \"a string\\n\"\n0x100 : \"other\"\n";

	put(b, "\x17\x08\x44tracing", 10);
	put_string(b, "0.6");
	put_number(b, b->big_endian, 1);
	put_number(b, (uint64_t)long_size, 1);
	put_number(b, 4096, 4);
	put_string(b, "header_page");
	put_number(b, 0, 8);
	put_string(b, "header_event");
	put_number(b, 3, 8);
	put(b, "xyz", 3);
	put_number(b, 1, 4);
	put_number(b, strlen(ftrace), 8);
	put(b, ftrace, strlen(ftrace));
	put_number(b, 1, 4);
	put_string(b, "sys");
	put_number(b, 1, 4);
	put_number(b, strlen(fields) + strlen("print fmt: ") + strlen(print_format) + 1, 8);
	put(b, fields, strlen(fields));
	put(b, "print fmt: ", strlen("print fmt: "));
	put(b, print_format, strlen(print_format));
	put(b, "\n", 1);
	put_number(b, 0, 4);
	put_number(b, strlen(strings), 4);
	put(b, strings, strlen(strings));
	put_number(b, 0, 8);
}

static const char *resolve(void *context, uint64_t *address)
{
	(void)context;
	if (*address < 0xffffffff81000000 || *address > 0xffffffff81000fff)
		return NULL;
	*address = 0xffffffff81000000;
	return "ksym";
}

static void expect_bytes(const char *print_format, bool big_endian, const char *expected,
			 size_t expected_size)
{
	struct bytes data = { .big_endian = big_endian }, record = { .big_endian = big_endian };
	const char *why;
	size_t size = 0;

	put_tracing_data(&data, 8, FIELDS, print_format);
	put_record(&record);
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);

	ck_assert_ptr_nonnull(t);
	ck_assert_ptr_null(why);
	tracepoint_set_resolver(t, resolve, NULL);
	const char *text = tracepoint_format(t, record.data.at, record.data.count, &size);

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(size == expected_size && !memcmp(text, expected, size),
		      "%s\n  gives <%.*s>\n  not   <%s>", print_format, (int)size, text, expected);
	tracepoint_free(t);
	vec_free(&data.data);
	vec_free(&record.data);
}

static void expect_text(const char *print_format, bool big_endian, const char *expected)
{
	expect_bytes(print_format, big_endian, expected, strlen(expected));
}

struct expectation {
	const char *print_format, *text;
};

static void expect_all(const struct expectation *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		expect_text(all[i].print_format, false, all[i].text);
		expect_text(all[i].print_format, true, all[i].text);
	}
}
#define EXPECT_ALL(table) expect_all(table, sizeof(table) / sizeof(table[0]))

START_TEST(numbers_are_read_unsigned_and_printed_by_their_conversion)
{
	static const struct expectation table[] = {
		{ "\"%d %u %x\", REC->f, REC->f, REC->f", "-7 4294967289 fffffff9" },
		{ "\"%d %d %u %x\", REC->b, REC->d, REC->h, REC->b", "251 65534 4294967290 fb" },
		{ "\"%lld %llu %Ld\", REC->h, REC->g, REC->h", "-6 9223372036854775809 -6" },
		{ "\"%lx %#lx %#x %X %o\", REC->l, REC->l, REC->e, REC->e, REC->a",
		  "ff 0xff 0xee6b2800 EE6B2800 310" },
		{ "\"%5lu|%-5lu|%05lu|%.5lu|%+d\", REC->a, REC->a, REC->a, REC->a, REC->a",
		  "  200|200  |00200|00200|+200" },
		{ "\"%08lx %016llx %3d %05d\", REC->l, REC->l, REC->f, REC->f",
		  "000000ff 00000000000000ff  -7 -0007" },
		{ "\"%hhd %hd %zu %i\", REC->a, REC->c, REC->l, REC->f", "-56 -5536 255 -7" },
		{ "\"%*d|%-*d|\", 5, REC->a, 5, REC->a", "  200|200  |" },
		{ "\"%c%c\", 65, REC->a - 134", "AB" },
		{ "\"% d\", REC->a", "> <d" },
		{ "\"[%c%c]%d\", REC->a ? 'F' : ' ', REC->a == 'F' ? 'S' : '.', 'a'", "[F.]97" },
		{ "\"%s\", __print_symbolic(REC->a - 103, { 'b', \"b\" }, { 'a', \"a\" })", "a" },
	};

	EXPECT_ALL(table);
}
END_TEST

START_TEST(strings_end_where_their_field_ends)
{
	static const struct expectation table[] = {
		{ "\"%s|%.*s|%8s|%-8s|%.2s\", REC->s, 3, REC->s, REC->s, REC->s, REC->s",
		  "abcd|abc|    abcd|abcd    |ab" },
		{ "\"%s %s|%s|\", __get_str(n), __get_rel_str(rel), __get_str(none)", "hello hello||" },
		{ "\"a\\tb\\n\\\\ %%\"", "a\tb\n\\ %" },
		{ "\"\"", "" },
		{ "\"one \" \"two %s\", \"x\" \"y\"", "one two xy" },
		{ "\"%s %s\", REC->l, REC->p", "a string ffffffff81000005" },
		{ "\"%s\", REC->nosuch", "" },
	};

	EXPECT_ALL(table);
}
END_TEST

START_TEST(names_stand_for_bits_and_values)
{
	static const struct expectation table[] = {
		{ "\"%s\", __print_flags(REC->a, \"|\", { 0x80, \"A\" }, { 0x40, \"B\" }, { 1, \"C\" })",
		  "A|B|0x8" },
		{ "\"%s|\", __print_flags(0, \"|\", { 0, \"NONE\" })", "|" },
		{ "\"%s\", __print_flags(1, \"|\", { 1, \"one\" }, { 0, ((void *)0) })", "one" },
		{ "\"%s %s\", __print_symbolic(0, { 0, ((void *)0) }), __print_symbolic(0, { 0, NULL })",
		  "0 NULL" },
		{ "\"%s\", __print_symbolic(1, { 1, 2 + 3 })", "5" },
		/* Not as perf (DIFFERENCES). */
		{ "\"%s|\", __print_flags(0, \"|\", { NOBODY_KNOWS, \"A\" })", "|" },
		{ "\"%s|\", __print_flags(REC->a & (1 | 2), \"|\", { 1, \"A\" }, { 2, \"B\" })", "|" },
		{ "\"%s\", __print_flags(REC->a & 0xc0, \"\", { 1 << 7, \"x\" }, { (unsigned long)(1UL << "
		  "6), \"y\" })",
		  "xy" },
		{ "\"%s %s\", __print_symbolic(REC->a, { 1, \"one\" }, { 200, \"hit\" }), "
		  "__print_symbolic(REC->a, { 1, \"one\" })",
		  "hit 0xc8" },
		{ "\"%s %s\", __print_symbolic(REC->f, { -7, \"minus\" }), __print_symbolic(REC->arr[2], { "
		  "-1, \"m\" })",
		  "0xfffffff9 0xffffffff" },
		{ "\"%s\", __print_symbolic(REC->a - 199, { HI_SOFTIRQ, \"HI\" }, { TIMER_SOFTIRQ, \"TIMER\" "
		  "})",
		  "TIMER" },
	};

	EXPECT_ALL(table);
}
END_TEST

START_TEST(arrays_masks_and_bytes)
{
	static const struct expectation table[] = {
		{ "\"%s %s\", __print_hex(REC->mac, 3), __print_hex_str(REC->mac, 6)",
		  "00 11 22 0011223344ff" },
		{ "\"%s\", __print_array(REC->arr, 3, 4)", "{0x1,0x2,0xffffffff}" },
		{ "\"%s\", __print_array(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn) / 4, 4)",
		  "{0x1,0x2}" },
		{ "\"%s %s\", __print_dynamic_array(dyn, 4), __print_dynamic_array(dyn, sizeof(u32))",
		  "{0x1,0x2} {0x1,0x2}" },
		{ "\"%s %s\", __get_bitmask(mask), __get_cpumask(mask)", "00000000,000000f1 0,4-7" },
		{ "\"%d %d\", REC->arr[1], ((u32 *)__get_dynamic_array(dyn))[1]", "2 2" },
		{ "\"%d %d\", __get_dynamic_array_len(n), sizeof(REC->arr)", "6 12" },
		{ "\"%*ph %*phC\", 2, __get_dynamic_array(n), 64, __get_dynamic_array(n)",
		  "68 65 68:65:6c:6c:6f:00" },
		{ "\"%ph\", __get_dynamic_array(n)", "68" },
		/* Not as perf (DIFFERENCES). */
		{ "\"{0x%x,0x%x}\", REC->probe[1], REC->probe[2]", "{0x2,0xffffffff}" },
		{ "\"%3phN\", __get_dynamic_array(n)", "68656c" },
	};

	EXPECT_ALL(table);
}
END_TEST

START_TEST(pointers_and_addresses)
{
	static const struct expectation table[] = {
		{ "\"%pS %ps %pF %pf\", REC->p, (void *)REC->p, REC->p, REC->p",
		  "ksym+0x5 ksym ksym+0x5 ksym" },
		{ "\"%pS %ps %p\", REC->l, REC->l, REC->l", "0xff 0xff 0xff" },
		{ "\"%pB %px %pK %p\", REC->l, REC->l, REC->l, 0", "0xffB 0xffx 0xffK (nil)" },
		{ "\"%pM %pMF %pm\", REC->mac, REC->mac, REC->mac",
		  "00:11:22:33:44:ff 00-11-22-33-44-ff 0011223344ff" },
		{ "\"%pMR %pmR %pmF\", REC->mac, REC->mac, (u8 *)REC->mac",
		  "ff:44:33:22:11:00 ff4433221100 0011223344ff" },
		{ "\"%pI4 %pi4\", REC->ip4, REC->ip4", "127.0.0.1 127.000.000.001" },
		{ "\"%pI4n %pi4b %pI4l\", (u8 *)REC->ip4, REC->ip4, REC->ip4",
		  "127.0.0.1 127.000.000.001 1.0.0.127" },
		{ "\"%pI6 %pI6c\", REC->ip6, REC->ip6",
		  "2001:0db8:0000:0000:0000:0000:0000:0001 2001:db8::1" },
		{ "\"%pISp %pISl\", REC->sa, (struct sockaddr *)REC->sa", "10.1.2.3:80 3.2.1.10" },
		{ "\"%pISpc %pISpsc %pIS\", __get_sockaddr(dsa), __get_dynamic_array(dsa), 5",
		  "[2001:db8::1]:80 [2001:0db8:0000:0000:0000:0000:0000:0001]:80 "
		  "ARG NOT FIELD NOR DYNAMIC ARRAY BUT TYPE 1" },
		{ "\"%pUb %pUL\", REC->ip6, REC->ip6",
		  "20010db8-0000-0000-0000-000000000001 B80D0120-0000-0000-0000-000000000001" },
		{ "\"%pM %pI4 %pI6\", REC->s, REC->a, 5", "INVALIDMAC INVALIDIPv4 ARG TYPE NOT FIELD BUT 1" },
	};

	EXPECT_ALL(table);
}
END_TEST

START_TEST(expressions_are_those_of_c_in_64_unsigned_bits)
{
	static const struct expectation table[] = {
		/* Most of these are not as perf's (DIFFERENCES). */
		{ "\"%d %d %d\", 2 + 3 * 4 - 5 - 6, 9 - 4 + 3, 100 / 10 / 2", "3 8 5" },
		{ "\"%d %d %d\", 0 < (1 < 2 ? 7 : 8), REC->a * -1, (u8)-1", "1 -200 255" },
		{ "\"%*.*d\", 6, 4, REC->a", "  0200" },
		{ "\"%s\", REC->a > 5 && REC->a < 10 ? \"T\" : \"F\"", "F" },
		{ "\"%d %d\", REC->a / 0, REC->a % 0", "0 0" },
		{ "\"%d,%d\", ((unsigned int) ((REC->e) >> 20)), ((unsigned int) ((REC->e) & ((1U << 20) - "
		  "1)))",
		  "3814,731136" },
		{ "\"%s%s\", REC->a ? REC->c ? \"x\" : \"y\" : \"z\", REC->a & 1 ? \"+\" : \"\"", "x" },
		{ "\"%s\", REC->a == 3 && REC->b != 4 || REC->c >= 10 ? \"T\" : \"F\"", "T" },
		{ "\"%d %d %lld\", !REC->a, -REC->a, ~REC->l", "0 -200 -256" },
		{ "\"%lld %lld\", (int)REC->h, (s8)REC->b", "4294967290 251" },
		{ "\"%d%d%d%d\", 1 < 2, 2 <= 1, 1 > 2, 2 >= 1", "1001" },
		{ "\"%x\", 0xf0 ^ 0x0f | 0x100 & ~0", "1ff" },
		{ "\"%lld\", (REC->a) - 1", "199" },
		{ "\"%d %d\", __builtin_expect(!!(REC->a > 1), 0) ? 5 : 6, __builtin_expect(REC->a, 1) + 1",
		  "5 201" },
	};

	EXPECT_ALL(table);
}
END_TEST

START_TEST(the_order_of_an_address_is_that_of_the_recorded_machine)
{
	expect_text("\"%pI4h %pISh\", REC->ip4, REC->sa", false, "1.0.0.127 3.2.1.10");
	expect_text("\"%pI4h %pISh\", REC->ip4, REC->sa", true, "127.0.0.1 10.1.2.3");
}
END_TEST

START_TEST(sched_switch_as_the_kernel_writes_it)
{
	static const char states[] = "\"prev_comm=%s prev_pid=%d prev_state=%s%s ==> next=%s\", REC->s, "
				     "REC->f, (REC->h2 & ((((0x00000000 | 0x00000001 | "
				     "0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | "
				     "0x00000040) + 1) << 1) - 1)) ? "
				     "__print_flags(REC->h2 & ((((0x00000000 | 0x00000001 | 0x00000002 | "
				     "0x00000004 | 0x00000008 | 0x00000010 | "
				     "0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" "
				     "}, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "
				     "{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { "
				     "0x00000040, \"P\" }, { 0x00000080, \"I\" }) : "
				     "\"R\", REC->h2 & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 "
				     "| 0x00000008 | 0x00000010 | 0x00000020 | "
				     "0x00000040) + 1) << 1) ? \"+\" : \"\", __get_str(n)";

	expect_text(states, false, "prev_comm=abcd prev_pid=-7 prev_state=T|X|Z ==> next=hello");
	expect_text(states, true, "prev_comm=abcd prev_pid=-7 prev_state=T|X|Z ==> next=hello");
}
END_TEST

#define FAILED                                                                                               \
	"[FAILED TO PARSE] a=200 b=-5 c=60000 d=-2 e=4000000000 f=-7 g=9223372036854775809 h=-6 l=0xff "     \
	"p=0xffffffff81000005 s=abcd mac= h2=4660 arr=ARRAY[01, 00, 00, 00, 02, 00, 00, 00, ff, ff, ff, "    \
	"ff] n=hello "                                                                                       \
	"dyn=ARRAY[01, 00, 00, 00, 02, 00, 00, 00] mask=ARRAY[f1, 00, 00, 00, 00, 00, 00, 00] rel=hello "    \
	"ip4=ARRAY[7f, 00, 00, 01] ip6=ARRAY[20, 01, 0d, b8, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, "   \
	"01] none= "                                                                                         \
	"sa=ARRAY[02, 00, 00, 50, 0a, 01, 02, 03] "                                                          \
	"dsa=\n probe=ARRAY[01, 00, 00, 00, 02, 00, 00, 00, ff, ff, ff, ff]"

START_TEST(what_is_not_understood_shows_its_fields)
{
	static const char *const formats[] = {
		"\"%d\", some_function(REC->a)",
		"\"%d\", ({ int x = 1; x; })",
		"\"%d\"", /* an argument is missing */
		"\"%d\", *(u32 *)REC->arr",
		"\"%s\", __print_ns_to_secs(REC->g)",
		"\"%d\", REC->a REC->b",
		"\"%d\", (REC->a",
		"\"unterminated",
		"no string",
		"\"%d\", REC->a, __builtin_nothing(1)",
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		expect_text(formats[i], false, FAILED);
}
END_TEST

/* Not as perf (DIFFERENCES). */
START_TEST(a_zero_byte_and_bytes_that_are_no_text_change_nothing_behind_them)
{
	struct bytes data = { 0 }, record = { 0 };
	const char *why;
	size_t size;

	expect_bytes("\"%c|%d\", REC->a - REC->a, REC->a", false, "\0|200", 5);
	put_tracing_data(&data, 8, FIELDS, "\"%d\"");
	put_record(&record);
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);

	record.data.at[56] = 1;
	const char *text = tracepoint_format(t, record.data.at, record.data.count, &size);

	ck_assert_ptr_nonnull(memmem(text, size, "s=ARRAY[01, 62, 63, 64, 00", 26));
	record.data.at[56] = 'a';
	text = tracepoint_format(t, record.data.at, record.data.count, &size);
	ck_assert_ptr_nonnull(memmem(text, size, " s=abcd ", 8));
	tracepoint_free(t);
	vec_free(&data.data);
	vec_free(&record.data);
}
END_TEST

START_TEST(nesting_without_end_is_refused_not_followed)
{
	char format[20000] = "\"%d\", ";
	size_t start = strlen(format);

	memset(format + start, '(', sizeof(format) - start - 1);
	expect_text(format, false, FAILED);
	memset(format + start, '!', sizeof(format) - start - 1);
	expect_text(format, false, FAILED);
	for (size_t i = start; i + 3 < sizeof(format); i += 2)
		memcpy(format + i, "1+", 3);
	expect_text(format, false, FAILED);
	for (size_t i = start; i + 5 < sizeof(format); i += 4)
		memcpy(format + i, "1?1:", 5);
	expect_text(format, false, FAILED);
}
END_TEST

START_TEST(a_record_that_is_cut_reads_as_zeros_and_never_outside)
{
	static const char format[] = "\"%d %llx %s %s %s %s %s %pM %pI6c %pISpc %s %s\", REC->a, REC->g, "
				     "REC->s, __get_str(n), __get_bitmask(mask), "
				     "__print_array(REC->arr, 3, 4), __print_hex(__get_dynamic_array(dyn), "
				     "100), REC->mac, REC->ip6, REC->sa, "
				     "__get_rel_str(rel), __print_hex(REC->sa, REC->e)";

	for (int pass = 0; pass < 4; pass++) {
		struct bytes data = { .big_endian = pass & 1 }, record = { .big_endian = pass & 1 };
		const char *why;
		size_t size;

		put_tracing_data(&data, 8, FIELDS, pass & 2 ? "\"%d\"" : format);
		put_record(&record);
		struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);

		for (size_t cut = 0; cut <= record.data.count; cut++) {
			uint8_t *exact = malloc(cut ? cut : 1);

			memcpy(exact, record.data.at, cut);
			const char *text = tracepoint_format(t, exact, cut, &size);

			ck_assert_int_eq(text != NULL, cut >= 2);
			free(exact);
		}
		tracepoint_free(t);
		vec_free(&data.data);
		vec_free(&record.data);
	}
}
END_TEST

START_TEST(events_are_named_by_system_and_name)
{
	struct bytes data = { .big_endian = true };
	const char *why;

	put_tracing_data(&data, 8, FIELDS, "\"\"");
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);

	ck_assert_str_eq(tracepoint_event_name(t, 7), "sys:ev");
	ck_assert_str_eq(tracepoint_event_name(t, 1), "ftrace:function");
	ck_assert_ptr_null(tracepoint_event_name(t, 8));
	size_t size;

	ck_assert_ptr_null(tracepoint_format(t, "\0\x08", 2, &size));
	tracepoint_free(t);
	vec_free(&data.data);
}
END_TEST

START_TEST(tracing_data_that_is_cut_keeps_what_came_before)
{
	for (int order = 0; order < 2; order++) {
		struct bytes data = { .big_endian = order };

		put_tracing_data(&data, 8, FIELDS, "\"%d\", REC->a");
		size_t unneeded = 8; /* the size of the command names */

		for (size_t cut = 0; cut <= data.data.count; cut++) {
			uint8_t *exact = malloc(cut ? cut : 1);
			const char *why = "unset";

			memcpy(exact, data.data.at, cut);
			struct tracepoint *t = tracepoint_new(exact, cut, &why);

			free(exact);
			if (cut >= data.data.count - unneeded)
				ck_assert_ptr_null(why);
			else
				ck_assert_str_eq(why, t ? "tracing data: ends too early"
							: "tracing data: not recognized");
			if (t && cut >= data.data.count - unneeded - 4)
				ck_assert_str_eq(tracepoint_event_name(t, 7), "sys:ev");
			tracepoint_free(t);
		}
		vec_free(&data.data);
	}
}
END_TEST

START_TEST(sizes_that_lie_end_the_reading)
{
	struct bytes data = { .big_endian = false };
	const char *why;

	put(&data, "\x17\x08\x44tracing", 10);
	put_string(&data, "0.6");
	put_number(&data, 0, 1);
	put_number(&data, 8, 1);
	put_number(&data, 4096, 4);
	put_string(&data, "header_page");
	put_number(&data, UINT64_MAX, 8);
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);

	ck_assert_str_eq(why, "tracing data: ends too early");
	tracepoint_free(t);
	vec_free(&data.data);
}
END_TEST

START_TEST(a_damaged_format_ends_the_reading)
{
	struct bytes data = { .big_endian = false };
	const char *why;

	put_tracing_data(&data, 8, "nothing here\n", "\"\"");
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);

	ck_assert_str_eq(why, "tracing data: a format is damaged");
	ck_assert_str_eq(tracepoint_event_name(t, 1), "ftrace:function");
	ck_assert_ptr_null(tracepoint_event_name(t, 7));
	tracepoint_free(t);
	vec_free(&data.data);
}
END_TEST

START_TEST(offsets_that_lie_read_nothing)
{
	static const char fields[] =
		"name: ev\nID: 7\n" COMMON "\tfield:u32 far;\toffset:4294967295;\tsize:4;\tsigned:0;\n"
		"\tfield:char big[9];\toffset:4;\tsize:4294967295;\tsigned:0;\n"
		"\tfield:__data_loc char[] loc;\toffset:8;\tsize:4;\tsigned:0;\n\n";
	const uint8_t record[12] = { 7, 0, 0, 0, 'a', 'b', 0, 0, 0xff, 0xff, 0xff, 0xff };
	struct bytes data = { .big_endian = false };
	const char *why;
	size_t size;

	put_tracing_data(&data, 8, fields,
			 "\"%d|%s|%s|%s\", REC->far, REC->big, __get_str(loc), __print_hex(REC->far, 9)");
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);
	const char *text = tracepoint_format(t, record, sizeof(record), &size);

	ck_assert_uint_eq(size, 6);
	ck_assert_mem_eq(text, "0|ab||", 6);
	tracepoint_free(t);
	vec_free(&data.data);
}
END_TEST

START_TEST(a_long_has_the_size_that_the_recorded_machine_had)
{
	static const char fields[] =
		"name: ev\nID: 7\n" COMMON "\tfield:const char * p;\toffset:8;\tsize:4;\tsigned:0;\n\n";
	struct bytes data = { .big_endian = false };
	const uint8_t record[12] = { 7, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0 };
	const char *why;
	size_t size;

	put_tracing_data(&data, 4, fields, "\"%s\", REC->p");
	struct tracepoint *t = tracepoint_new(data.data.at, data.data.count, &why);
	const char *text = tracepoint_format(t, record, sizeof(record), &size);

	ck_assert_uint_eq(size, 8);
	ck_assert_mem_eq(text, "a string", 8);
	tracepoint_free(t);
	vec_free(&data.data);
}
END_TEST

CHECK_SUITE("tracepoint", numbers_are_read_unsigned_and_printed_by_their_conversion,
	    strings_end_where_their_field_ends, names_stand_for_bits_and_values, arrays_masks_and_bytes,
	    pointers_and_addresses, expressions_are_those_of_c_in_64_unsigned_bits,
	    the_order_of_an_address_is_that_of_the_recorded_machine, sched_switch_as_the_kernel_writes_it,
	    what_is_not_understood_shows_its_fields,
	    a_zero_byte_and_bytes_that_are_no_text_change_nothing_behind_them,
	    nesting_without_end_is_refused_not_followed,
	    a_record_that_is_cut_reads_as_zeros_and_never_outside, events_are_named_by_system_and_name,
	    tracing_data_that_is_cut_keeps_what_came_before, sizes_that_lie_end_the_reading,
	    a_damaged_format_ends_the_reading, offsets_that_lie_read_nothing,
	    a_long_has_the_size_that_the_recorded_machine_had)
