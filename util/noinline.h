/*
 * noinline - functions that few samples need, in a path that all of them take.
 *
 * A compiler puts a function that is called from one place into its caller, which then saves and spills
 * registers for it each time: without this a plain sample took 40 more instructions to print (gcc 12 -O3).
 */
#ifndef PERF2TXT_NOINLINE_H
#define PERF2TXT_NOINLINE_H

#define NOINLINE __attribute__((noinline))

#endif
