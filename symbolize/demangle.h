/*
 * demangle - names as the programmer wrote them: Rust, C++, OCaml, Java.
 *
 * The text is that of perf script 7.2 but where perf is plainly wrong: a C++ variable is
 * no Rust function that lost its hash, and a C function named `f` is no `float` (see DIFFERENCES). Names come
 * from files that nobody vouches for: the time, memory and stack that one takes are bounded.
 * Knows no symbol tables; which library does the work is hidden here.
 */
#ifndef PERF2TXT_DEMANGLE_H
#define PERF2TXT_DEMANGLE_H

/**
 * The readable form, free()d by the caller; NULL when the name is to be printed as it is. A suffix "@plt"
 * stays behind the demangled rest. Fits symtab_new().
 */
char *demangle_symbol(const char *raw_name);

#endif
