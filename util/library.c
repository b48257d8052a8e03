#include "util/library.h"

#include <dlfcn.h>

bool library_is_there(struct library *library)
{
	if (library->tried)
		return library->is_there;
	library->tried = true;
	void *handle = dlopen(library->file, RTLD_NOW);
	library->is_there = handle;
	for (size_t i = 0; handle && i < library->nr_functions; i++) {
		*library->functions[i].address = dlsym(handle, library->functions[i].name);
		library->is_there &= *library->functions[i].address != NULL;
	}
	return library->is_there;
}
