/*
 * check_run - the frame of a unit test program: one suite, one file, a plain main().
 *
 *	CHECK_SUITE("maps", a_new_map_cuts_what_it_overlaps, ...)
 *	CHECK_SUITE_WITH("dso_find", set_up, tear_down, links_are_followed_inside_of_the_sysroot, ...)
 */
#ifndef PERF2TXT_CHECK_RUN_H
#define PERF2TXT_CHECK_RUN_H

#include <check.h>
#include <stdlib.h>

#define CHECK_SUITE(name, ...) CHECK_SUITE_WITH(name, NULL, NULL, __VA_ARGS__)

#define CHECK_SUITE_WITH(name, set_up, tear_down, ...)                           \
	int main(void)                                                           \
	{                                                                        \
		const TTest *const tests[] = { __VA_ARGS__ };                    \
		Suite *suite = suite_create(name);                               \
		TCase *tcase = tcase_create(name);                               \
		tcase_set_timeout(tcase, 60);                                    \
		tcase_add_checked_fixture(tcase, set_up, tear_down);             \
		for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)    \
			tcase_add_test(tcase, tests[i]);                         \
		suite_add_tcase(suite, tcase);                                   \
		SRunner *runner = srunner_create(suite);                         \
		srunner_run_all(runner, CK_NORMAL);                              \
		int failed = srunner_ntests_failed(runner);                      \
		srunner_free(runner);                                            \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                     \
	}

#endif
