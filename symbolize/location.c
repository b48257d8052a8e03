#include "symbolize/location.h"

uint64_t location_new_owner(void)
{
	static uint64_t last;

	return last += 2;
}
