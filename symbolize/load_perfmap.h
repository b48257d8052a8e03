/*
 * load_perfmap - the functions that a JIT compiler wrote into /tmp/perf-PID.map.
 *
 * Lines "START SIZE NAME", numbers in hex; the name is the rest of the line, blanks and all, and is printed
 * as it is. The file grows while the program runs and nothing is ever taken back, so of two lines with one
 * start the last is right, and the older function keeps what reaches beyond it. Lines that are none are
 * skipped. Addresses are the process's own.
 */
#ifndef PERF2TXT_LOAD_PERFMAP_H
#define PERF2TXT_LOAD_PERFMAP_H

struct symtab;

/** NULL, or a static reason why @symtab (made without a demangler) got nothing. The caller finishes @symtab.
 */
const char *load_perfmap(const char *path, struct symtab *symtab);

#endif
