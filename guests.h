/*
 * guests - the virtual machines of a recording: which one a record or sample is of, and where its names come
 * from.
 *
 * A guest is known by the pid of its process on the host. It is there when the recording tells of it: by a
 * map of its own, a build-id, or the ids of its events (perf inject --guest-data). What is of none of these
 * is of one more, whose pid is 0: perf records with --guestkallsyms or --guestvmlinux as if that were the
 * only one.
 *
 * A guest's files are in --guestmount's folder of its pid, and nothing of the host is used for it but what a
 * build-id proves; only with --guest-code it runs the code of its process on the host.
 */
#ifndef PERF2TXT_GUESTS_H
#define PERF2TXT_GUESTS_H

#include "arch/arch.h"
#include "events/id_index.h"
#include "events/record.h"
#include "events/sample.h"
#include "options.h"
#include "symbolize/machine.h"
#include "symbolize/symbolizer.h"

struct guests;

/* All must outlive the guests. */
struct guests_of {
	const struct options *options;
	const struct arch *arch; /* the recording's */
	const struct id_index *id_index;
	struct dsos *dsos; /* of the host */
	struct machine *host;
	struct symbolizer *symbolizer; /* that knows the host */
};
struct guests *guests_new(const struct guests_of *of);

/** To be called behind symbolizer_free(). NULL is fine. */
void guests_free(struct guests *g);

/** Is anything to be shown of guests: did the user ask for it, or has the recording ids of theirs? */
bool guests_are_shown(const struct guests *g);

/** Whose sample or record is it? The host, whatever it is, when nothing is shown of guests. */
struct machine *guests_machine_of_sample(struct guests *g, const struct sample *sample);
struct machine *guests_machine_of_record(struct guests *g, const struct record *record);

/**
 * An entry of the recording's build-id table that is no file of the host. It is kept also when nothing is
 * shown of guests: that may change with the next ids.
 */
void guests_build_id(struct guests *g, int32_t pid, bool kernel, const char *filename,
		     const struct build_id *id);

#endif
