/*
 * setup - what the options and the recording together say about where names come from.
 *
 * Which architecture was recorded, whether this machine is the recorded one, where binaries and kernel
 * symbols are. Decided once, before the first record is applied. And what a folded output shall hold.
 */
#ifndef PERF2TXT_SETUP_H
#define PERF2TXT_SETUP_H

#include "arch/arch.h"
#include "events/evlist.h"
#include "events/features.h"
#include "events/reader.h"
#include "options.h"
#include "output/fields.h"
#include "output/folded.h"
#include "symbolize/dso_find.h"
#include "symbolize/kernel.h"
#include "symbolize/recorded.h"
#include "util/diag.h"

/** What can be wrong with options before any file is looked at. */
struct err *setup_check_options(const struct options *o, const struct fields *fields) ERR_CHECK;

/** Can the kernel's files that the options name be read? Folders that cannot be searched are counted only. */
struct err *setup_check_files(const struct options *o, struct diag *diag) ERR_CHECK;

/**
 * The file of -o, to be closed by the caller, or standard output. The one that is read, @input ("-": standard
 * input), is refused: it would be empty before its first record is read.
 */
struct err *setup_open_output(const struct options *o, const char *input, int *ret_fd) ERR_CHECK;

/** A checked --arch, else what the recording says; &arch_unknown when neither does. */
const struct arch *setup_arch(const struct options *o, const struct features *features);

/** Are all times of the recording those of CLOCK_MONOTONIC (perf record -k mono)? */
bool setup_is_monotonic(const struct evlist *evlist);

/** What fields ask of the recording. @is_stream: it may still tell of its clock. */
struct fields_recording setup_fields_recording(const struct features *features, bool is_stream);

/** How many branches the recorded processor keeps; 0: not recorded, or no event has call stacks of them. */
uint32_t setup_lbr_registers(const struct features *features, const struct evlist *evlist);

/** @ret's strings are lent by @o and @recording, @recorded (NULL: there is none) by the caller. */
struct dso_find *setup_dso_find(const struct options *o, const struct recording *recording,
				struct recorded *recorded, const struct arch *arch);

/** The same; @find must outlive the kernel. */
struct kernel *setup_kernel(const struct options *o, const struct recording *recording,
			    struct recorded *recorded, struct dso_find *find);

/** The same for a guest, whose files are in @root (NULL: not known where), its kallsyms (NULL: none) too. */
struct dso_find *setup_guest_find(const struct options *o, const struct arch *arch, const char *root);
struct kernel *setup_guest_kernel(const struct options *o, const char *root, const char *kallsyms,
				  struct dso_find *find);

/** --folded, --event-filter and --weight. @ret's strings are lent by @o. */
struct err *setup_folded(const struct options *o, struct folded_options *ret) ERR_CHECK;

/** The items of a comma list (NULL: none), into @ret; they lie in *keep, which is to be free()d. */
void setup_list(const char *list, text_list *ret, char **keep);

#endif
