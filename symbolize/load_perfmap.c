#include "symbolize/load_perfmap.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbolize/read_text.h"
#include "symbolize/symtab.h"

/* strtoull() takes blanks before it and 0x, as perf's own reader does, but a sign and too many digits too. */
static bool parse_hex(char **at, uint64_t *ret)
{
	char *end;

	while (**at == ' ' || **at == '\t')
		(*at)++;
	if (**at == '-' || **at == '+')
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 16);
	if (end == *at || errno || (*end != ' ' && *end != '\t'))
		return false;
	*at = end + 1;
	return true;
}

static bool add_line(char *line, struct symtab *symtab)
{
	uint64_t start, size, end;

	if (!parse_hex(&line, &start) || !parse_hex(&line, &size) || !*line)
		return false;
	if (__builtin_add_overflow(start, size, &end))
		return false;
	symtab_add(symtab, start, end, line, SYMBOL_FUNC, SYMBOL_GLOBAL);
	return true;
}

static const char *reason_of_errno(void)
{
	if (errno == ENOENT || errno == ENOTDIR)
		return "not found";
	return errno == EINVAL ? "not a regular file" : "cannot be read";
}

const char *load_perfmap(const char *path, struct symtab *symtab)
{
	size_t size;
	char *text = read_text(path, true, &size);
	bool any = false;

	if (!text)
		return reason_of_errno();
	char *at = text;
	for (char *line; (line = read_text_line(&at, text + size));)
		any |= add_line(line, symtab);
	free(text);
	symtab_fix_sizes(symtab);
	return any ? NULL : "holds no symbols";
}
