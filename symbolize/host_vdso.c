#include "symbolize/host_vdso.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/xalloc.h"

#define MAX_SIZE 0x100000 /* it has a few pages */

void *host_vdso(size_t *ret_size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t start = 0, end = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, " [vdso]") && sscanf(line, "%zx-%zx", &start, &end) == 2)
			break;
		start = end = 0;
	}
	if (maps)
		fclose(maps);
	if (end <= start || end - start > MAX_SIZE)
		return NULL;
	*ret_size = end - start;
	return xmemdup((const void *)start, end - start);
}
