/*
 * load_plt - symbols for the entries of a procedure linkage table, which have none of their own.
 *
 * Linkers make one jump per imported function; its name is that of the relocation that fills in its target.
 * Names and places are those of perf script (as in perf 7.2): "NAME@plt", ".plt" for the table's first
 * entry, "offset_0xOFF@plt" for one without a name.
 */
#ifndef PERF2TXT_LOAD_PLT_H
#define PERF2TXT_LOAD_PLT_H

struct image;
struct symtab;

/** Add them for @image, the file that is mapped. All its other symbols are in @symtab, the last pass ended.
 */
void load_plt(const struct image *image, struct symtab *symtab);

#endif
