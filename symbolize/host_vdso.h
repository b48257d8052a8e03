/*
 * host_vdso - the vdso of the kernel that runs here: the image that it maps into every process.
 */
#ifndef PERF2TXT_HOST_VDSO_H
#define PERF2TXT_HOST_VDSO_H

#include <stddef.h>

/** A copy, free()d by the caller; NULL: there is none. */
void *host_vdso(size_t *ret_size);

#endif
