#include "about.h"

#include "output/script_header.h"
#include "util/cursor.h"

void about_header(struct writer *to, const struct options *o, const struct recording *recording)
{
	struct script_header header = {
		.header = &recording->header,
		.features = recording->features,
		.evlist = recording->evlist,
		.mtime = recording->mtime,
	};

	if (o->header || o->header_only)
		script_header_write(to, &header, o->show_info);
}

void about_feature(struct writer *to, const struct options *o, const struct recording *recording,
		   const struct raw_record *raw)
{
	bool asked = o->header || o->header_only || o->show_info || o->dump_raw;

	if (!asked || !recording->header.pipe || raw->size < RECORD_HEADER_SIZE + 8)
		return;
	script_header_arrived(to, recording->features, recording->evlist,
			      (unsigned)load_u64(raw->data + RECORD_HEADER_SIZE, recording->big_endian),
			      o->show_info || o->dump_raw);
}
