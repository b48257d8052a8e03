/*
 * library - functions of a shared library that is loaded when it is first asked for.
 *
 * For what few runs need and is dear to load. Once loaded it stays. Knows none of the libraries.
 */
#ifndef PERF2TXT_LIBRARY_H
#define PERF2TXT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_function {
	const char *name;
	void **address; /* where it goes; NULL there: it is not known */
};

struct library {
	const char *file; /* "libNAME.so.VERSION", looked for as the system does */
	const struct library_function *functions;
	size_t nr_functions;
	bool tried, is_there; /* false at first */
};

/** Is it there, with all functions? Only then may they be called. Tried once. */
bool library_is_there(struct library *library);

#endif
