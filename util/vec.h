/*
 * vec - a growing array: VEC(struct map) maps; vec_push(&maps, map); maps.at[0]; maps.count.
 *
 * Starts as all zeros. Pointers into it are good until the next push. The elements are plain data.
 */
#ifndef PERF2TXT_VEC_H
#define PERF2TXT_VEC_H

#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define VEC(type)               \
	struct {                \
		type *at;       \
		size_t count;   \
		size_t room;    \
	}

/** Room for @wanted elements in all. */
#define vec_reserve(v, wanted)                                                                  \
	do {                                                                                    \
		size_t _wanted = (wanted);                                                      \
		if (_wanted > (v)->room) {                                                      \
			size_t _room = (v)->room ? 2 * (v)->room : 8;                           \
			if (_room < _wanted)                                                    \
				_room = _wanted;                                                \
			(v)->at = xreallocarray((v)->at, _room, sizeof(*(v)->at));              \
			(v)->room = _room;                                                      \
		}                                                                               \
	} while (0)

#define vec_push(v, element)                              \
	do {                                              \
		vec_reserve((v), (v)->count + 1);         \
		(v)->at[(v)->count++] = (element);        \
	} while (0)

/** Put @element before position @pos (0..count). */
#define vec_insert(v, pos, element)                                                             \
	do {                                                                                    \
		size_t _pos = (pos);                                                            \
		vec_reserve((v), (v)->count + 1);                                               \
		memmove((v)->at + _pos + 1, (v)->at + _pos,                                     \
			((v)->count - _pos) * sizeof(*(v)->at));                                \
		(v)->at[_pos] = (element);                                                      \
		(v)->count++;                                                                   \
	} while (0)

/** Take @n elements out from position @pos on. */
#define vec_remove(v, pos, n)                                                                   \
	do {                                                                                    \
		size_t _pos = (pos), _n = (n);                                                  \
		memmove((v)->at + _pos, (v)->at + _pos + _n,                                    \
			((v)->count - _pos - _n) * sizeof(*(v)->at));                           \
		(v)->count -= _n;                                                               \
	} while (0)

#define vec_clear(v) ((void)((v)->count = 0))

#define vec_free(v)                             \
	do {                                    \
		free((v)->at);                  \
		memset((v), 0, sizeof(*(v)));   \
	} while (0)

#endif
