/* The text of a chain is the same whether its outer frames are put together anew or copied. */
#include "tests/check_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/chain_text.h"
#include "output/fields.h"
#include "symbolize/dso.h"
#include "util/xalloc.h"

static struct dso dso = { .name = "/bin/app" };
static struct location locations[40];
static struct inline_call inlined[2] = { { .name = "in2" }, { .name = "in1" } };
static struct frame_texts texts;
static struct frame_text_options options;
static struct chain_texts *chains;

static void begin(void)
{
	static char names[40][8];

	frame_texts_init(&texts, FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO, &options);
	chains = chain_texts_new();
	for (uint32_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		locations[i] =
			(struct location){ .id = i, .dso = &dso, .name = names[i], .symbol_start = 0x800 };
	}
	locations[7].one_address = true;
	locations[7].inlines = inlined;
	locations[7].nr_inlines = 2;
}

static void end(void)
{
	chain_texts_free(chains);
	frame_texts_deinit(&texts);
}

/* What @put writes, NUL-terminated. */
static char *text_of(const struct view *view)
{
	static char text[65536];
	char path[] = "/tmp/check_chain_textXXXXXX";
	int fd = mkstemp(path);
	struct writer *w = writer_new(fd, path);

	chain_text_put(chains, w, &texts, view);
	ck_assert_ptr_null(writer_close(w));
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
	ck_assert_int_ge(size, 0);
	text[size] = '\0';
	close(fd);
	unlink(path);
	return text;
}

static struct view make_view(struct view_frame *frames, const char *chain, struct view_reuse reuse)
{
	size_t n = strlen(chain);

	for (size_t i = 0; i < n; i++) {
		unsigned number = (unsigned)(chain[i] - 'a');
		frames[i] = (struct view_frame){ .ip = 0x1000 + number,
						 .spot = { &locations[number], 0x800 + number } };
	}
	return (struct view){ .frames = frames, .nr_frames = n, .reuse = reuse };
}

/* Each letter is a frame, callee first: @next has the last @same letters of the chain before. */
static void expect_same(const char *next, uint32_t same, uint64_t serial, uint64_t of_serial, uint32_t recent)
{
	struct view_frame frames[64];
	struct view view = make_view(frames, next, (struct view_reuse){ serial, of_serial, same, recent });
	char *with = xstrdup(text_of(&view));

	view.reuse = (struct view_reuse){ UINT64_MAX, 0, 0, VIEW_RECENT_CHAINS - 1 };
	ck_assert_str_eq(with, text_of(&view));
	free(with);
}

START_TEST(a_frame_is_a_tab_the_address_and_its_tail)
{
	struct view_frame frames[4];

	begin();
	struct view view = make_view(frames, "ba", (struct view_reuse){ 1, 0, 0, 0 });
	ck_assert_str_eq(text_of(&view), "\t            1001 f1+0x1 (/bin/app)\n"
					 "\t            1000 f0+0x0 (/bin/app)\n");
	end();
}
END_TEST

START_TEST(outer_frames_that_stay_are_copied)
{
	begin();
	expect_same("edcba", 0, 1, 0, 3);
	expect_same("gfcba", 3, 2, 1, 3);
	expect_same("a", 1, 3, 2, 3);
	expect_same("jihgfedcba", 1, 4, 3, 3);
	expect_same("jihgfedcba", 10, 5, 4, 3);
	expect_same("bbbb", 0, 6, 5, 3);
	end();
}
END_TEST

START_TEST(inlined_calls_have_lines_of_their_own)
{
	struct view_frame frames[4];

	begin();
	struct view view = make_view(frames, "ha", (struct view_reuse){ 1, 0, 0, 0 });
	ck_assert_str_eq(text_of(&view), "\t            1007 in2+0x7 (inlined)\n"
					 "\t            1007 in1+0x7 (inlined)\n"
					 "\t            1007 f7+0x7 (/bin/app)\n"
					 "\t            1000 f0+0x0 (/bin/app)\n");
	expect_same("chba", 0, 2, 1, 0);
	expect_same("dhba", 3, 3, 2, 0);
	end();
}
END_TEST

START_TEST(a_chain_that_was_not_seen_is_not_reused)
{
	begin();
	expect_same("edcba", 0, 1, 0, 2);
	/* Chain 2 went to nobody: its frames are not those that are kept here. */
	expect_same("xhzba", 4, 3, 2, 2);
	end();
}
END_TEST

START_TEST(long_chains_grow_in_front)
{
	char chain[61];

	begin();
	for (uint32_t n = 1; n <= 60; n++) {
		for (uint32_t i = 0; i < n; i++)
			chain[i] = (char)('a' + (n - 1 - i) % 26);
		chain[n] = '\0';
		expect_same(chain, n - 1, n, n - 1, 5);
	}
	end();
}
END_TEST

CHECK_SUITE("chain_text", a_frame_is_a_tab_the_address_and_its_tail, outer_frames_that_stay_are_copied,
	    inlined_calls_have_lines_of_their_own, a_chain_that_was_not_seen_is_not_reused,
	    long_chains_grow_in_front)
