#include "symbolize/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/dso_find.h"
#include "util/xalloc.h"

/* Links lead where they lead in there: a container does not choose which of our files are read. */
char *container_file(uint32_t pid, const char *path)
{
	char *root AUTOFREE = xasprintf("/proc/%" PRIu32 "/root", pid);

	return dso_find_inside(root, path);
}

/* "NStgid:	4711	23	1": its number in each namespace, its own last; 0: no such process. */
static uint32_t own_number(uint32_t pid)
{
	char *path AUTOFREE = xasprintf("/proc/%" PRIu32 "/status", pid);
	FILE *status = fopen(path, "re");
	char line[1024];
	uint32_t number = 0;

	while (status && !number && fgets(line, sizeof(line), status)) {
		const char *last = strncmp(line, "NStgid:", 7) ? NULL : strrchr(line, '\t');
		if (last)
			number = (uint32_t)strtoul(last, NULL, 10);
	}
	if (status)
		fclose(status);
	return number;
}

char *container_perf_map(uint32_t pid)
{
	uint32_t number = own_number(pid);

	if (!number)
		return NULL;
	char *path AUTOFREE = xasprintf("/tmp/perf-%" PRIu32 ".map", number);
	return container_file(pid, path);
}
