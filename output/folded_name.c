#include <string.h>

#include "output/folded.h"

/* Deeper nesting than any compiler writes: such a name stays whole. */
#define DEPTH_MAX 256

struct scan {
	char open[DEPTH_MAX];
	unsigned depth;
	size_t group_start, group_end; /* of the last (...) that is in nothing else; end behind the ')' */
	bool failed;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static bool starts_with(const char *text, const char *what)
{
	return !strncmp(text, what, strlen(what));
}

/* Length of "operator" and a following operator made of brackets or signs; 0 when there is none at @at. */
static size_t operator_length(const char *name, size_t at)
{
	static const char *const signs[] = { "()",  "[]", "<=>", "<<=", "<<",  "<=", "<",
					     ">>=", ">>", ">=",	 ">",	"->*", "->" };

	if (!starts_with(name + at, "operator") || (at && is_word(name[at - 1])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (starts_with(name + at + 8, signs[i]))
			return 8 + strlen(signs[i]);
	}
	return 0;
}

static void open_bracket(struct scan *scan, char c, size_t at)
{
	if (scan->depth == DEPTH_MAX) {
		scan->failed = true;
		return;
	}
	if (!scan->depth && c == '(')
		scan->group_start = at;
	scan->open[scan->depth++] = c;
}

/* A closing bracket ends what it matches and every '<' inside, which was a comparison then. */
static void close_bracket(struct scan *scan, char open, size_t at)
{
	unsigned depth = scan->depth;

	while (depth && scan->open[depth - 1] == '<' && open != '<')
		depth--;
	if (!depth || scan->open[depth - 1] != open)
		return;
	scan->depth = depth - 1;
	if (!scan->depth && open == '(')
		scan->group_end = at + 1;
}

static void scan_name(struct scan *scan, const char *name)
{
	for (size_t i = 0; name[i] && !scan->failed;) {
		size_t skip = name[i] == 'o' ? operator_length(name, i) : 0;
		if (skip) {
			i += skip;
			continue;
		}
		switch (name[i]) {
		case '(':
		case '<':
		case '{':
		case '[':
			open_bracket(scan, name[i], i);
			break;
		case ')':
			close_bracket(scan, '(', i);
			break;
		case '}':
			close_bracket(scan, '{', i);
			break;
		case ']':
			close_bracket(scan, '[', i);
			break;
		case '>':
			/* Not the arrow of "dyn FnOnce() -> R". */
			if (!i || name[i - 1] != '-')
				close_bracket(scan, '<', i);
			break;
		}
		i++;
	}
}

/* Is @text all that may follow a parameter list: qualifiers and the compiler's notes? */
static bool is_behind_parameters(const char *text)
{
	static const char *const words[] = {
		" const", " volatile", " &&", " &", "&&", "&", " noexcept", " ["
	};

	while (*text) {
		size_t i = 0, nr = sizeof(words) / sizeof(words[0]);
		while (i < nr && !starts_with(text, words[i]))
			i++;
		if (i == nr)
			return *text == '@'; /* NAME(...)@plt */
		text += strlen(words[i]);
		if (words[i][1] == '[') {
			const char *end = strchr(text, ']');
			if (!end)
				return false;
			text = end + 1;
		}
	}
	return true;
}

static bool ends_with_parameters(const struct scan *scan, const char *name)
{
	if (scan->failed || scan->depth || !scan->group_start)
		return false;
	/* "ns::(anonymous class)", Go's "pkg.(*Type)", "JS:~ (anonymous)": a name, not a list. */
	char before = name[scan->group_start - 1];
	return !strchr(":. ", before) && is_behind_parameters(name + scan->group_end);
}

char *folded_name(const char *name, char *ret)
{
	struct scan scan;
	size_t length = strlen(name);

	scan.depth = 0;
	scan.group_start = scan.group_end = 0;
	scan.failed = false;
	scan_name(&scan, name);
	memcpy(ret, name, length + 1);
	if (ends_with_parameters(&scan, name)) {
		const char *plt = strchr(name + scan.group_end, '@');
		size_t left = plt ? strlen(plt) : 0;
		memmove(ret + scan.group_start, plt ? plt : "", left);
		ret[scan.group_start + left] = '\0';
	}
	for (char *at = ret; *at; at++) {
		if (*at == ';')
			*at = ':';
		else if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '_';
	}
	return ret;
}
