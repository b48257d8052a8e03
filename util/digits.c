#include "util/digits.h"

#define TEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
const char digits_pairs[201] =
	TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

/* Built by the compiler: a byte's two digits as the two bytes of a number in memory order. */
#define DIGIT(n) ((n) < 10 ? '0' + (n) : 'a' + (n)-10)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PAIR(n) (DIGIT((n) >> 4) | DIGIT((n)&15) << 8)
#else
#define PAIR(n) (DIGIT((n) >> 4) << 8 | DIGIT((n)&15))
#endif
#define PAIRS4(n) PAIR(n), PAIR((n) + 1), PAIR((n) + 2), PAIR((n) + 3)
#define PAIRS16(n) PAIRS4(n), PAIRS4((n) + 4), PAIRS4((n) + 8), PAIRS4((n) + 12)
#define PAIRS64(n) PAIRS16(n), PAIRS16((n) + 16), PAIRS16((n) + 32), PAIRS16((n) + 48)
const uint16_t digits_hex[256] = { PAIRS64(0), PAIRS64(64), PAIRS64(128), PAIRS64(192) };

#define KEEP(i, n) ((i) < (n) ? 0xef : 0xff)
#define KEEP4(i, n) KEEP(i, n), KEEP((i) + 1, n), KEEP((i) + 2, n), KEEP((i) + 3, n)
#define KEEP16(n)                                                                                            \
	{                                                                                                    \
		KEEP4(0, n), KEEP4(4, n), KEEP4(8, n), KEEP4(12, n)                                          \
	}
const uint8_t digits_blank[17][16] = {
	KEEP16(0),  KEEP16(1),	KEEP16(2),  KEEP16(3),	KEEP16(4),  KEEP16(5),
	KEEP16(6),  KEEP16(7),	KEEP16(8),  KEEP16(9),	KEEP16(10), KEEP16(11),
	KEEP16(12), KEEP16(13), KEEP16(14), KEEP16(15), KEEP16(16),
};
