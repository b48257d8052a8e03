/* The containers and helpers of util/. */
#include "tests/check_run.h"

#include <stdio.h>
#include <string.h>

#include "tests/bytes.h"
#include "util/arena.h"
#include "util/build_id.h"
#include "util/cursor.h"
#include "util/diag.h"
#include "util/err.h"
#include "util/hash.h"
#include "util/strtab.h"
#include "util/vec.h"

START_TEST(a_cursor_reads_both_byte_orders)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct cursor le = cursor_make(bytes, sizeof(bytes), false);
	struct cursor be = cursor_make(bytes, sizeof(bytes), true);

	ck_assert_uint_eq(cursor_u8(&le), 1);
	ck_assert_uint_eq(cursor_u16(&le), 0x0302);
	ck_assert_uint_eq(cursor_u32(&le), 0x07060504);
	ck_assert_uint_eq(cursor_u64(&le), 0x0f0e0d0c0b0a0908u);
	ck_assert_uint_eq(cursor_u8(&be), 1);
	ck_assert_uint_eq(cursor_u16(&be), 0x0203);
	ck_assert_uint_eq(cursor_u32(&be), 0x04050607);
	ck_assert_uint_eq(cursor_u64(&be), 0x08090a0b0c0d0e0fu);
	ck_assert(!cursor_bad(&le) && !cursor_bad(&be));
}
END_TEST

START_TEST(a_cursor_reads_leb128)
{
	static const uint8_t bytes[] = { 0x00, 0x7f, 0x80, 0x01, 0xe5, 0x8e, 0x26,
					 0x7f, 0x40, 0xff, 0x00, 0x80, 0x7f };
	/* Eleven bytes, of which the last ones say nothing that fits. */
	static const uint8_t longest[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	struct cursor c = cursor_make(bytes, sizeof(bytes), false);

	ck_assert_uint_eq(cursor_uleb128(&c), 0);
	ck_assert_uint_eq(cursor_uleb128(&c), 127);
	ck_assert_uint_eq(cursor_uleb128(&c), 128);
	ck_assert_uint_eq(cursor_uleb128(&c), 624485);
	ck_assert_int_eq(cursor_sleb128(&c), -1);
	ck_assert_int_eq(cursor_sleb128(&c), -64);
	ck_assert_int_eq(cursor_sleb128(&c), 127);
	ck_assert_int_eq(cursor_sleb128(&c), -128);
	ck_assert(!cursor_bad(&c));
	c = cursor_make(longest, sizeof(longest), false);
	ck_assert_uint_eq(cursor_uleb128(&c), UINT64_MAX);
	c = cursor_make(longest, sizeof(longest), false);
	ck_assert_int_eq(cursor_sleb128(&c), -1);
	ck_assert_uint_eq(cursor_left(&c), 0);
	c = cursor_make(longest, 3, false);
	cursor_uleb128(&c);
	ck_assert(cursor_bad(&c));
	ck_assert_int_eq(cursor_sleb128(&c), 0);
}
END_TEST

START_TEST(a_cursor_stays_bad_after_the_first_overrun)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct cursor c = cursor_make(bytes, sizeof(bytes), false);

	ck_assert_uint_eq(cursor_u32(&c), 0);
	ck_assert(cursor_bad(&c));
	ck_assert_uint_eq(cursor_u8(&c), 0);
	ck_assert_ptr_null(cursor_bytes(&c, 0));
	ck_assert_ptr_null(cursor_string(&c));
}
END_TEST

START_TEST(a_cursor_string_must_end_inside)
{
	struct cursor c = cursor_make("ab\0cd", 5, false);

	ck_assert_str_eq(cursor_string(&c), "ab");
	ck_assert_ptr_null(cursor_string(&c));
	ck_assert(cursor_bad(&c));
}
END_TEST

START_TEST(a_vec_inserts_and_removes)
{
	VEC(int) v = { 0 };

	for (int i = 0; i < 20; i++)
		vec_push(&v, i);
	vec_insert(&v, 3, 100);
	ck_assert_int_eq(v.at[2], 2);
	ck_assert_int_eq(v.at[3], 100);
	ck_assert_int_eq(v.at[20], 19);
	vec_remove(&v, 0, 4);
	ck_assert_int_eq(v.at[0], 3);
	ck_assert_uint_eq(v.count, 17);
	vec_free(&v);
}
END_TEST

START_TEST(a_hash_keeps_many_keys_apart)
{
	struct hash h = { 0 };

	ck_assert_uint_eq(hash_get(&h, 1, 2), HASH_NONE);
	for (uint64_t i = 0; i < 5000; i++)
		hash_put(&h, i, ~i, i * 3);
	hash_put(&h, 7, ~(uint64_t)7, 1);
	ck_assert_uint_eq(h.count, 5000);
	ck_assert_uint_eq(hash_get(&h, 7, ~(uint64_t)7), 1);
	for (uint64_t i = 8; i < 5000; i++)
		ck_assert_uint_eq(hash_get(&h, i, ~i), i * 3);
	ck_assert_uint_eq(hash_get(&h, 7, 7), HASH_NONE);
	hash_clear(&h);
	ck_assert_uint_eq(hash_get(&h, 8, ~(uint64_t)8), HASH_NONE);
	hash_free(&h);
}
END_TEST

START_TEST(a_hash_is_the_same_without_wide_numbers)
{
	static const uint64_t odd[] = {
		0, 1, 2, UINT32_MAX, (uint64_t)1 << 32, INT64_MAX, UINT64_MAX - 1, UINT64_MAX
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		for (size_t k = 0; k < sizeof(odd) / sizeof(odd[0]); k++)
			ck_assert_uint_eq(hash_fold_by_halves(odd[i], odd[k]), hash_fold(odd[i], odd[k]));
	}
	/* (2^64 - 1)^2 = 2^128 - 2^65 + 1 */
	ck_assert_uint_eq(hash_fold_by_halves(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(a_strtab_gives_equal_strings_one_number)
{
	struct strtab s = { 0 };
	char text[16];

	for (int i = 0; i < 1000; i++) {
		int length = snprintf(text, sizeof(text), "name%d", i);
		ck_assert_uint_eq(strtab_number(&s, text, (size_t)length), (unsigned)i);
	}
	ck_assert_uint_eq(strtab_number(&s, "name77", 6), 77);
	ck_assert_uint_eq(strtab_number(&s, "name7\0", 6), 1000);
	ck_assert_str_eq(strtab_text(&s, 999), "name999");
	ck_assert_ptr_eq(strtab_intern(&s, "name5"), strtab_text(&s, 5));
	strtab_free(&s);
}
END_TEST

START_TEST(an_arena_block_is_aligned_and_stays)
{
	struct arena a = { 0 };
	char *first = arena_strndup(&a, "first", 5);

	for (size_t size = 1; size < 100000; size += 999)
		ck_assert_uint_eq((uintptr_t)arena_alloc(&a, size) % 16, 0);
	ck_assert_str_eq(first, "first");
	arena_free(&a);
}
END_TEST

START_TEST(a_diag_counts_a_kind_once)
{
	struct diag *d = diag_new();

	diag_note(d, "bad records", 1, "at %d", 5);
	diag_note(d, "bad records", 2, "at %d", 9);
	diag_count(d, "lost", 7);
	ck_assert_uint_eq(diag_total(d, "bad records"), 3);
	ck_assert_str_eq(diag_entry(d, 0)->example, "at 5");
	ck_assert_ptr_null(diag_entry(d, 1)->example);
	ck_assert_ptr_null(diag_entry(d, 2));
	ck_assert_uint_eq(diag_total(d, "nothing"), 0);
	diag_free(d);
}
END_TEST

START_TEST(an_error_names_file_offset_and_reason)
{
	struct err *err = err_at("x.data", 0x68, "size %d is too small", 3);

	ck_assert_str_eq(err_text(err), "x.data: offset 0x68: size 3 is too small");
	err_free(err);
	err_free(NULL);
}
END_TEST

START_TEST(build_ids_compare_without_their_padding)
{
	static const uint8_t bytes[20] = { 0xab, 0x01, 0, 0 };
	struct build_id shorter = build_id_make(bytes, 2), longer = build_id_make(bytes, 20);
	struct build_id none = build_id_make("\0\0", 2);
	char hex[BUILD_ID_HEX];

	ck_assert(build_id_equal(&shorter, &longer));
	ck_assert(!build_id_differs(&shorter, &longer));
	ck_assert(!build_id_equal(&none, &none));
	ck_assert(!build_id_differs(&none, &longer));
	ck_assert_str_eq(build_id_hex(&shorter, hex), "ab01");
}
END_TEST

/* A note whose parts begin at multiples of @align from the first one on; it begins at one. */
static void put_note(struct bytes *b, size_t align, const char *name, uint32_t type, const void *contents,
		     uint32_t size)
{
	put_u32(b, (uint32_t)strlen(name) + 1);
	put_u32(b, size);
	put_u32(b, type);
	put_bytes(b, name, strlen(name) + 1);
	put_zeros(b, -b->size % align);
	put_bytes(b, contents, size);
	put_zeros(b, -b->size % align);
}

/* Where the build-id is cut off there is none. */
static void check_cut_notes(const struct bytes *b, size_t id_end, size_t align)
{
	struct build_id id;

	for (size_t cut = 0; cut <= b->size; cut++) {
		uint8_t *copy = xmemdup(b->at, cut);
		ck_assert_int_eq(build_id_of_notes(copy, cut, align, b->big_endian, &id), cut >= id_end);
		free(copy);
	}
}

START_TEST(the_build_id_is_found_among_notes)
{
	static const uint8_t bytes[20] = { 1, 2, 3, 4, 5, 6, 7 }, zeros[20];
	static struct bytes b;
	struct build_id id, wanted = build_id_make(bytes, 5);

	EACH_ORDER(big_endian) {
		for (size_t align = 4; align <= 8; align += 4) {
			bytes_start(&b, big_endian);
			put_note(&b, align, "Linux", 0x101, "x", 1);
			put_note(&b, align, "Xen", 3, bytes, 8); /* another's type 3 */
			put_note(&b, align, "GNU", 1, bytes, 16);
			put_note(&b, align, "GNU", 3, bytes, 0);
			put_note(&b, align, "GNU", 3, zeros, 20);
			ck_assert(!build_id_of_notes(b.at, b.size, align, big_endian, &id));
			size_t before = b.size;
			put_note(&b, align, "GNU", 3, bytes, 5);
			size_t end = before + 16 + 5;
			put_note(&b, align, "GNU", 3, bytes, 20);
			ck_assert(build_id_of_notes(b.at, b.size, align, big_endian, &id));
			ck_assert_uint_eq(id.size, 5);
			ck_assert(build_id_equal(&id, &wanted));
			check_cut_notes(&b, end, align);
		}
	}
}
END_TEST

START_TEST(notes_of_any_bytes_are_read)
{
	uint8_t notes[200];
	struct build_id id;

	memset(notes, 0xff, sizeof(notes));
	ck_assert(!build_id_of_notes(notes, sizeof(notes), 8, false, &id));
	memset(notes, 0, sizeof(notes));
	ck_assert(!build_id_of_notes(notes, sizeof(notes), 0, true, &id));
	ck_assert(!build_id_of_notes(notes, 0, 4, true, &id));
}
END_TEST

CHECK_SUITE("util", a_cursor_reads_both_byte_orders, a_cursor_reads_leb128,
	    a_cursor_stays_bad_after_the_first_overrun, a_cursor_string_must_end_inside,
	    a_vec_inserts_and_removes, a_hash_keeps_many_keys_apart, a_hash_is_the_same_without_wide_numbers,
	    a_strtab_gives_equal_strings_one_number, an_arena_block_is_aligned_and_stays,
	    a_diag_counts_a_kind_once, an_error_names_file_offset_and_reason,
	    build_ids_compare_without_their_padding, the_build_id_is_found_among_notes,
	    notes_of_any_bytes_are_read)
