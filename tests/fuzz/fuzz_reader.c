/* Bytes of a recording -> its header, features and plain records: as a file and as a stream. */
#include "events/reader.h"
#include "tests/fuzz/fuzz.h"

static void read_all(const uint8_t *data, size_t size, bool stream)
{
	struct diag *diag = diag_new();
	struct reader *reader = NULL;
	struct raw_record raw;
	bool more = true;
	struct err *err = reader_open_memory("fuzz", data, size, stream, diag, &reader);

	while (!err && more) {
		err = reader_next(reader, &raw, &more);
		for (size_t i = 0; !err && more && i < raw.size; i++)
			fuzz_use(raw.data[i]);
	}
	if (reader)
		fuzz_use(reader_position(reader) + reader_total(reader));
	err_free(err);
	reader_free(reader);
	diag_free(diag);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	read_all(data, size, false);
	read_all(data, size, true);
	return 0;
}
