/*
 * container - the files of a process that runs on this machine, as the process itself sees them: in a
 * container it has another root folder, other mounts and another number.
 *
 * Whether it is the recorded process is for the caller to know.
 */
#ifndef PERF2TXT_CONTAINER_H
#define PERF2TXT_CONTAINER_H

#include <stdint.h>

/**
 * Where the file is, on this machine, that process @pid knows as @path; free()d by the caller. NULL: there is
 * none, the process has ended, or it is not for us to see.
 */
char *container_file(uint32_t pid, const char *path);

/** The same of the process's perf-PID.map, which is called by the number that the process has for itself. */
char *container_perf_map(uint32_t pid);

#endif
