#include "symbolize/demangle.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/check_run.h"
#include "util/xalloc.h"

/* NULL: the name is printed as it is. */
static void expect(const char *raw, const char *wanted)
{
	AUTOFREE char *got = demangle_symbol(raw);

	if (wanted)
		ck_assert_msg(got && !strcmp(got, wanted), "%s: %s, not %s", raw, got ? got : "(raw)",
			      wanted);
	else
		ck_assert_msg(!got, "%s: %s, not raw", raw, got);
}

/* Texts that perf script 7.2 prints too, unless a comment says otherwise. */

START_TEST(cpp_functions_have_their_parameters)
{
	expect("_ZN3foo3barEv", "foo::bar()");
	expect("_Z1fiPKc", "f(int, char const*)");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_ZTV3Foo", "vtable for Foo");
	expect("_ZN3foo3barEv.part.0", "foo::bar() [clone .part.0]");
	expect("_ZN3foo3barEv.llvm.123", "foo::bar() [clone .llvm.123]");
	expect("_ZNSs6appendEPKc", "std::string::append(char const*)");
	expect("_GLOBAL__I_foo", "global constructors keyed to foo");
	expect("_GLOBAL__sub_I_main", NULL);
	expect("__ZN3foo3barEv", "foo::bar()"); /* perf: raw */
}
END_TEST

START_TEST(cpp_variables_are_not_taken_for_rust)
{
	expect("_ZN3foo3barE", "foo::bar");
	expect("_ZN3foo3barE.cold", "foo::bar.cold");
	expect("_ZN3foo3barE.llvm.12AB", "foo::bar");
	expect("ZN3abc1zE", "abc::z");
	expect("_ZN3foo4headE", "foo::head");				 /* perf: foo */
	expect("_ZN3foo1hE", "foo::h");					 /* perf: foo */
	expect("_ZN12_GLOBAL__N_13fooE", "(anonymous namespace)::foo");	 /* perf: _GLOBAL__N_1::foo */
	expect("_ZN3foo16h0123456789abcdeE", "foo::h0123456789abcde");	 /* 15 digits */
	expect("_ZN3foo17h0123456789ABCDEFE", "foo::h0123456789ABCDEF"); /* Rust's are lower case */
}
END_TEST

START_TEST(c_names_are_no_types)
{
	/* perf: float, int, void, double, char* ... */
	static const char *const names[] = {
		"f",	"i",	  "v",	 "d",  "x",  "a",      "Pc",
		"main", "printf", "",	 "_",  "__", "_start", "__libc_start_main",
		"_Z",	"_R",	  "_ZN", "_Zq"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], NULL);
}
END_TEST

START_TEST(legacy_rust_loses_its_hash)
{
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect("__ZN3foo3bar17h05af221e174051e9E", "foo::bar");
	expect("ZN3foo3bar17h05af221e174051e9E", "foo::bar");
	expect("_ZN3foo17h05af221e174051e9E.llvm.9D1C9369", "foo");
	expect("_ZN3foo17h05af221e174051e9E.llvm.9D1C9369@@16", "foo");
	expect("_ZN3foo17h05af221e174051e9E.cold.12", "foo.cold.12");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
	       "3bar17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
	expect("_ZN11$RF$testing17h0123456789abcdefE", "&testing");
	expect("_ZN31_$SP$$BP$$RF$$C$$LP$$RP$$u7e$.a17h0123456789abcdefE", "@*&,()~.a");
	expect("_ZN8$u263a$x17h0123456789abcdefE", "\xe2\x98\xbax");
	expect("_ZN14a$bogus$b$LT$c17h0123456789abcdefE", "a$bogus$b$LT$c"); /* unknown: the rest is raw */
	expect("_ZN6$u0a$x17h0123456789abcdefE", "$u0a$x");		     /* no line ends in names */
}
END_TEST

START_TEST(rust_v0_is_read)
{
	expect("_RNvC3foo3bar", "foo::bar");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvC3foo3bar.cold", "foo::bar.cold");
	expect("_RNvC3foo3bar.llvm.12AB", "foo::bar");
	expect("_RNvC3foo3barC3baz", "foo::bar");
	expect("_RNCNvC3foo3bar0B5_", "foo::bar::{closure#0}");
	expect("_RMCs4fqI2P2rA04_13const_genericINtB0_4UnitKj3_E", "<const_generic::Unit<3>>");
	expect("_RINvC3foo3barAhj3_E", "foo::bar::<[u8; 3]>");
	expect("_RINvC3foo3barKxn3_E", "foo::bar::<-3>");
	expect("_RINvC3foo3barKb1_E", "foo::bar::<true>");
	/* Constants of 128 bits. */
	expect("_RINvC3foo3barKoffffffffffffffff_E", "foo::bar::<18446744073709551615>");
	expect("_RINvC3foo3barKnn80000000000000000_Ko123456789abcdef01_E",
	       "foo::bar::<-0x80000000000000000, 0x123456789abcdef01>");
	expect("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	       "utf8_idents::"
	       "\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x90"
	       "\xe1\x83\x93_"
	       "\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a"
	       "\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98");
	expect("_RNvC3foo", NULL);
	expect("_ReadFile", NULL);
}
END_TEST

START_TEST(ocaml_names_have_dots)
{
	expect("camlStdlib__List__map_123", "Stdlib.List.map_123");
	expect("camlFoo__$2b$3d_1", "Foo.+=_1");
	expect("camlFoo__$0a_$zz$", "Foo.$0a_$zz$");
	expect("caml_alloc", NULL);
	expect("camlp4", NULL);
}
END_TEST

START_TEST(java_descriptors_become_types)
{
	expect("Ljava/lang/StringLatin1;equals([B[B)Z", "java.lang.StringLatin1.equals(byte[], byte[])");
	expect("La/B;m(ILa/C;La/D;)V", "a.B.m(int, a.C, a.D)");
	expect("La/B$C;run()V", "a.B$C.run()");
	expect("Ljava/lang/Object;<init>()V", "java.lang.Object<init>()");
	expect("La/B;m([Ljava/lang/String;I)V", "a.B.m(java.lang.String[], int)"); /* perf: String, int[] */
	expect("La/B;_m([[BJ)Z", "a.B._m(byte[][], long)");			   /* perf: a.B_m( */
	expect("net/http.(*Client).Do", NULL);
	expect("La/B;m(Q)V", NULL);
	expect("La/B;m(I", NULL);
	expect("La/B;m(I)", NULL);
	expect("La/B;(I)V", NULL);
	expect("L;m(I)V", NULL);
	expect("Lambda(x)", NULL);
}
END_TEST

START_TEST(plt_suffixes_stay)
{
	expect("_ZN3foo3barEv@plt", "foo::bar()@plt");
	expect("_ZN3foo3bar17h05af221e174051e9E@plt", "foo::bar@plt");
	expect("_RNvC3foo3bar@plt", "foo::bar@plt");
	expect("memcpy@plt", NULL);
	expect("@plt", NULL);
	expect("_@plt", NULL);
}
END_TEST

START_TEST(other_languages_stay_raw)
{
	expect("_D3std5stdio7writelnFZv", NULL);
	expect("$s4main3fooyyF", NULL);
	expect("main.(*T).foo", NULL);
}
END_TEST

static char *repeated(const char *head, const char *part, size_t times, const char *tail)
{
	size_t size = strlen(head) + times * strlen(part) + strlen(tail) + 1;
	char *name = xmalloc(size), *at = stpcpy(name, head);

	while (times--)
		at = stpcpy(at, part);
	strcpy(at, tail);
	return name;
}

/* Whatever comes of it: it comes soon, within bounded memory and stack. */
static void survive(char *name)
{
	char *got = demangle_symbol(name);

	ck_assert(!got || strlen(got) <= 300 * 1024);
	free(got);
	free(name);
}

/* A<int, int>, A<A<int, int>, A<int, int>> ...: each of some 10 bytes doubles what it stands for. */
static char *doubling_cpp(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = xmalloc(2000), *at = stpcpy(name, "_Z1f1AIiiE");

	for (int i = 0; i < 36; i++)
		at += sprintf(at, "S_IS%c_S%c_E", digits[i], digits[i]);
	return name;
}

/* Numbers in Rust's v0: "_" is 0, "0_" is 1 ... */
static char *put_base_62(char *at, size_t number)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (number > 62)
		*at++ = digits[(number - 1) / 62];
	if (number)
		*at++ = digits[(number - 1) % 62];
	*at++ = '_';
	*at = '\0';
	return at;
}

/* The same with tuples, which refer back to the place of the one before; @leaf is the innermost type. */
static char *doubling_rust(const char *leaf, int times)
{
	char *name = xmalloc(4000), *at = name + sprintf(name, "_RINvC1a1bT%suE", leaf);
	size_t before = 8;

	while (times--) {
		size_t here = (size_t)(at - name) - 2;
		at = stpcpy(at, "TB");
		at = put_base_62(at, before);
		at = stpcpy(at, "B");
		at = put_base_62(at, before);
		at = stpcpy(at, "E");
		before = here;
	}
	strcpy(at, "E");
	return name;
}

START_TEST(hostile_names_are_bounded)
{
	clock_t before = clock();

	survive(doubling_cpp());
	survive(doubling_rust("u", 200));
	survive(doubling_rust("FGZZZZ_EuE", 100));
	survive(repeated("_RINvC1a1bF", "GZZZZZZZZZ_", 1, "EuE"));
	survive(repeated("_Z1f", "P", 1000, "i"));
	survive(repeated("_Z1f", "P", 60000, "i"));
	survive(repeated("_Z", "N", 60000, ""));
	survive(repeated("_Z", "F", 60000, ""));
	survive(repeated("_Z1fI", "N", 500, "E"));
	survive(repeated("_R", "NC", 30000, ""));
	survive(repeated("_RINvC1a1b", "R", 60000, "hE"));
	survive(repeated("_RNvC1a1b", "I", 60000, ""));
	survive(repeated("_ZN3fooE.", "x", 60000, ""));
	survive(repeated("_ZN", "9", 60000, "aE"));
	survive(repeated("_ZN", "1a", 30000, "E"));
	survive(repeated("_ZN", "1a", 30000, "17h0123456789abcdefE"));
	survive(repeated("caml", "A", 60000, ""));
	survive(repeated("L", "a/", 20000, ";m(I)V"));
	survive(repeated("La;m(", "[", 60000, "I)V"));
	survive(repeated("_Z1f", "1a", 100000, ""));
	ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 10);
}
END_TEST

START_TEST(a_name_that_would_fill_memory_stays_raw)
{
	AUTOFREE char *cpp = doubling_cpp();
	AUTOFREE char *rust = doubling_rust("u", 200);
	AUTOFREE char *short_rust = doubling_rust("u", 1);

	expect(cpp, NULL);
	expect(rust, NULL);
	/* the same with few doublings is fine */
	expect("_Z1f1AIiiES_IS0_S0_E", "f(A<int, int>, A<A<int, int>, A<int, int> >)");
	expect(short_rust, "a::b::<((), ()), (((), ()), ((), ()))>");
}
END_TEST

START_TEST(every_truncation_is_survived)
{
	static const char *const names[] = {
		"_ZNSt6vectorIiSaIiEE9push_backEOi.part.0",
		("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
		 "3bar17h930b740aa94f1d3aE"),
		"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		"_RMCs4fqI2P2rA04_13const_genericINtB0_4UnitKj3_E.llvm.1@plt",
		"Ljava/lang/String;equals([B[Ljava/lang/Object;)Z",
		"camlFoo__$2b$3d_1",
		"_GLOBAL__I_foo",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t size = 0; size <= strlen(names[i]); size++)
			survive(xstrndup(names[i], size));
}
END_TEST

CHECK_SUITE("demangle", cpp_functions_have_their_parameters, cpp_variables_are_not_taken_for_rust,
	    c_names_are_no_types, legacy_rust_loses_its_hash, rust_v0_is_read, ocaml_names_have_dots,
	    java_descriptors_become_types, plt_suffixes_stay, other_languages_stay_raw,
	    hostile_names_are_bounded, a_name_that_would_fill_memory_stays_raw, every_truncation_is_survived)
