#include "name_list.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/check_run.h"
#include "util/xalloc.h"

static struct name_list list_of(const char *text)
{
	struct name_list l;
	struct err *err = name_list_read(text, &l);

	ck_assert_msg(!err, "%s", err ? err_text(err) : "");
	return l;
}

START_TEST(names_between_commas)
{
	struct name_list l = list_of("sh,work(int, char),sh");

	ck_assert(name_list_has(&l, "sh") && name_list_has(&l, "work(int, char)"));
	ck_assert(!name_list_has(&l, "work") && !name_list_has(&l, "s") && !name_list_has(&l, "shell"));
	name_list_free(&l);
	l = list_of(NULL);
	ck_assert(!name_list_has(&l, "") && !name_list_has(&l, "sh"));
	name_list_free(&l);
}
END_TEST

/* As perf script: each line is a name as it is. */
START_TEST(names_in_files)
{
	char path[] = "/tmp/check_name_list.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	ck_assert_ptr_nonnull(file);
	fputs("thr,two\n  blanks\n\nb\na", file);
	fclose(file);
	AUTOFREE char *text = xasprintf("x,file://%s,y", path);
	struct name_list l = list_of(text);
	unlink(path);
	static const char *const in[] = { "x", "y", "a", "b", "thr,two", "  blanks" };
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		ck_assert_msg(name_list_has(&l, in[i]), "not %s", in[i]);
	ck_assert(!name_list_has(&l, "thr") && !name_list_has(&l, "blanks") && !name_list_has(&l, "c"));
	name_list_free(&l);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_error)
{
	struct name_list l;
	struct err *err = name_list_read("a,file:///nowhere/names,b", &l);

	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err_text(err), "/nowhere/names: cannot read: No such file or directory");
	err_free(err);
	name_list_free(&l);
}
END_TEST

CHECK_SUITE("name_list", names_between_commas, names_in_files, a_file_that_is_not_there_is_an_error)
