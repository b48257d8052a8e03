#include "symbolize/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

/* The longest mangled name that is looked at, and the longest text that one may become. */
#define MAX_NAME ((size_t)64 * 1024)
#define MAX_TEXT ((size_t)256 * 1024)

/*
 * libiberty's: <libiberty/demangle.h> cannot be included, it declares another xmemdup() than util/xalloc.h.
 * The C++ part is the source of libstdc++'s __cxa_demangle(), but this entry takes no bare types, allocates
 * nothing and can be left in the middle.
 */
typedef int demangler_function(const char *mangled, int options,
			       void (*callback)(const char *piece, size_t size, void *opaque), void *opaque);
demangler_function cplus_demangle_v3_callback, rust_demangle_callback;
#define DMGL_PARAMS 1

struct text {
	VEC(char) chars;
	const char *mangled; /* of what it is made; NULL: of no one name */
	jmp_buf too_long;
};

static void add(struct text *text, const char *piece, size_t size)
{
	vec_reserve(&text->chars, text->chars.count + size + 1);
	if (size)
		memcpy(text->chars.at + text->chars.count, piece, size);
	text->chars.count += size;
}

static void add_string(struct text *text, const char *piece)
{
	add(text, piece, strlen(piece));
}

static char *finish(struct text *text)
{
	add(text, "", 1);
	return text->chars.at;
}

static char *give_up(struct text *text)
{
	vec_free(&text->chars);
	return NULL;
}

static bool is_lower_hex(char c)
{
	return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

/*
 * Rust's v0 shows a constant that needs more than 64 bits by its digits in the name, which a '_' ends.
 * libiberty (2.40) begins one byte too late, at the second digit, and so ends with the '_'.
 */
static bool is_constant_one_byte_late(const struct text *text, const char *piece, size_t size)
{
	size_t count = text->chars.count;

	if (size <= 16 || piece[size - 1] != '_' || count < 2 || memcmp(text->chars.at + count - 2, "0x", 2))
		return false;
	/* It has to be a part of the name, and not its first byte. */
	if (!text->mangled || (uintptr_t)piece - (uintptr_t)text->mangled - 1 >= strlen(text->mangled))
		return false;
	for (const char *at = piece - 1; at < piece + size - 1; at++)
		if (!is_lower_hex(*at))
			return false;
	return true;
}

static void add_bounded(const char *piece, size_t size, void *opaque)
{
	struct text *text = opaque;

	if (size > MAX_TEXT - text->chars.count)
		longjmp(text->too_long, 1);
	add(text, is_constant_one_byte_late(text, piece, size) ? piece - 1 : piece, size);
}

/*
 * Back references let a name of a few hundred bytes stand for 2^100 of text, and one number in Rust's v0 can
 * ask for 2^64 lifetimes: only leaving the library in the middle of its work bounds it. What it holds then is
 * on its stack, but for one buffer no longer than the name when that name is in Rust's punycode.
 */
static bool add_demangled(struct text *text, demangler_function *demangler, const char *mangled)
{
	return !setjmp(text->too_long) && demangler(mangled, DMGL_PARAMS, add_bounded, text);
}

static char *demangle_by(demangler_function *demangler, const char *mangled)
{
	struct text text = { .mangled = mangled };

	return add_demangled(&text, demangler, mangled) ? finish(&text) : give_up(&text);
}

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* A path of plain names: _ZN3foo3barE, and what follows it. */
struct path {
	const char *elements; /* "3foo3bar" */
	const char *end;      /* of them: the E */
	const char *last;     /* characters of the last one */
	size_t last_size;
};

/* The element that begins at *at with its decimal length; false when none does. */
static bool next_element(const char **at, const char **ret, size_t *ret_size)
{
	size_t size = 0;
	const char *digits = *at;

	while (isdigit((unsigned char)**at) && size < MAX_NAME)
		size = size * 10 + (size_t)(*(*at)++ - '0');
	if (*at == digits || !size || strnlen(*at, size) < size)
		return false;
	*ret = *at;
	*ret_size = size;
	*at += size;
	return true;
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text & 0x80)
			return false;
	return true;
}

/* What may follow a path: nothing, or a suffix as ".cold". */
static bool is_suffix(const char *text)
{
	if (*text && *text != '.')
		return false;
	for (; *text; text++)
		if (*text < '!' || *text > '~')
			return false;
	return true;
}

static bool parse_path(const char *name, struct path *ret)
{
	const char *at = name + strspn(name, "_");

	if (at - name > 2 || !starts_with(at, "ZN"))
		return false;
	at += 2;
	*ret = (struct path){ .elements = at };
	while (next_element(&at, &ret->last, &ret->last_size))
		;
	ret->end = at;
	return ret->last && *at == 'E' && is_suffix(at + 1) && is_ascii(name);
}

/* Rust ends each path in a hash of 16 digits. perf takes any number of them, so that C++'s foo::head lost its
 * head. */
static bool ends_in_hash(const struct path *path)
{
	if (path->last_size != 17 || path->last[0] != 'h')
		return false;
	for (size_t i = 1; i < 17; i++)
		if (!is_lower_hex(path->last[i]))
			return false;
	return true;
}

static void add_utf8(struct text *text, uint32_t c)
{
	char bytes[4];

	if (c < 0x80) {
		bytes[0] = (char)c;
		add(text, bytes, 1);
	} else if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		add(text, bytes, 2);
	} else if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		add(text, bytes, 3);
	} else {
		bytes[0] = (char)(0xf0 | c >> 18);
		bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (c & 0x3f));
		add(text, bytes, 4);
	}
}

static bool is_printable_code_point(uint32_t c)
{
	return c >= 0x20 && (c < 0x7f || c > 0x9f) && (c < 0xd800 || c > 0xdfff) && c <= 0x10ffff;
}

/* "u7e": the character with that number. */
static bool add_rust_code_point(struct text *text, const char *escape, size_t size)
{
	uint32_t c = 0;

	if (size < 2 || size > 7 || escape[0] != 'u')
		return false;
	for (size_t i = 1; i < size; i++) {
		if (!is_lower_hex(escape[i]))
			return false;
		c = c << 4 |
		    (uint32_t)(isdigit((unsigned char)escape[i]) ? escape[i] - '0' : escape[i] - 'a' + 10);
	}
	if (!is_printable_code_point(c))
		return false;
	add_utf8(text, c);
	return true;
}

/* What stands between two dollar signs. */
static bool add_rust_escape(struct text *text, const char *escape, size_t size)
{
	static const struct {
		const char *name, *meaning;
	} escapes[] = {
		{ "SP", "@" }, { "BP", "*" }, { "RF", "&" }, { "LT", "<" },
		{ "GT", ">" }, { "LP", "(" }, { "RP", ")" }, { "C", "," },
	};

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (strlen(escapes[i].name) != size || memcmp(escapes[i].name, escape, size))
			continue;
		add_string(text, escapes[i].meaning);
		return true;
	}
	return add_rust_code_point(text, escape, size);
}

/* Takes what stands at @at, one character or an escape; 0 when it is an escape that nobody knows. */
static size_t add_rust_char(struct text *text, const char *at, size_t size)
{
	if (size > 1 && at[0] == '.' && at[1] == '.') {
		add_string(text, "::");
		return 2;
	}
	if (*at != '$') {
		add(text, at, 1);
		return 1;
	}
	const char *end = memchr(at + 1, '$', size - 1);
	if (!end || !add_rust_escape(text, at + 1, (size_t)(end - at - 1)))
		return 0;
	return (size_t)(end - at) + 1;
}

static void add_rust_element(struct text *text, const char *element, size_t size)
{
	if (size > 1 && element[0] == '_' && element[1] == '$') {
		element++;
		size--;
	}
	while (size) {
		size_t taken = add_rust_char(text, element, size);
		if (!taken) {
			add(text, element, size);
			return;
		}
		element += taken;
		size -= taken;
	}
}

/* The elements without the hash, which is the last one. */
static char *rust_legacy(const struct path *path)
{
	struct text text = { 0 };
	const char *at = path->elements, *element;
	size_t size;

	while (next_element(&at, &element, &size) && element != path->last) {
		if (text.chars.count)
			add_string(&text, "::");
		add_rust_element(&text, element, size);
	}
	if (!text.chars.count)
		return give_up(&text);
	add_string(&text, path->end + 1);
	return finish(&text);
}

/* @prefix + @size bytes of @middle through @demangler, and then @suffix. */
static char *demangle_part(demangler_function *demangler, const char *prefix, const char *middle, size_t size,
			   const char *suffix)
{
	struct text part = { 0 }, whole = { 0 };

	add_string(&part, prefix);
	add(&part, middle, size);
	AUTOFREE char *mangled = finish(&part);
	AUTOFREE char *demangled = demangle_by(demangler, mangled);
	if (!demangled)
		return NULL;
	add_string(&whole, demangled);
	add_string(&whole, suffix);
	return finish(&whole);
}

/* Where LLVM's mark of a symbol that it made global begins ("foo.llvm.1234ABCD"), or the end of the name. */
static size_t length_without_llvm_mark(const char *name)
{
	const char *mark = strstr(name, ".llvm.");

	if (mark && !mark[6 + strspn(mark + 6, "0123456789ABCDEF@")])
		return (size_t)(mark - name);
	return strlen(name);
}

/*
 * Paths of plain names, _ZN3foo3barE: Rust with its hash, else C++ variables. perf takes all for Rust, which
 * is right in how it prints suffixes: foo::bar.cold, not "foo::bar [clone .cold]".
 */
static char *demangle_path(const char *name)
{
	struct path path;

	if (!parse_path(name, &path))
		return NULL;
	if (ends_in_hash(&path))
		return rust_legacy(&path);
	return demangle_part(cplus_demangle_v3_callback, "_ZN", path.elements,
			     (size_t)(path.end + 1 - path.elements), path.end + 1);
}

static char *demangle_rust_v0(const char *name)
{
	size_t size = strcspn(name, ".");

	if (!starts_with(name, "_R") || !is_ascii(name) || !is_suffix(name + size))
		return NULL;
	return demangle_part(rust_demangle_callback, "", name, size, name + size);
}

/* "_GLOBAL__I_foo": constructors of a translation unit, as old compilers named them. */
static bool is_global_constructor(const char *name)
{
	return starts_with(name, "_GLOBAL_") && name[8] && strchr("_.$", name[8]) &&
	       (name[9] == 'I' || name[9] == 'D') && name[10] == '_';
}

static char *demangle_cpp(const char *name)
{
	if (starts_with(name, "__Z"))
		name++;
	if (!starts_with(name, "_Z") && !is_global_constructor(name))
		return NULL;
	return demangle_by(cplus_demangle_v3_callback, name);
}

static int hex_value(const char *at)
{
	const char *digits = "0123456789abcdef";
	const char *high = at[0] ? strchr(digits, tolower((unsigned char)at[0])) : NULL;
	const char *low = high && at[1] ? strchr(digits, tolower((unsigned char)at[1])) : NULL;

	return low ? (int)(16 * (high - digits) + (low - digits)) : -1;
}

/* camlStdlib__List__map_123 -> Stdlib.List.map_123; operators are in hex: $2b. */
static char *demangle_ocaml(const char *name)
{
	struct text text = { 0 };

	if (!starts_with(name, "caml") || !isupper((unsigned char)name[4]))
		return NULL;
	for (const char *at = name + 4; *at;) {
		int byte = *at == '$' ? hex_value(at + 1) : -1;
		if (byte > ' ' && byte != 0x7f) {
			char c = (char)byte;
			add(&text, &c, 1);
			at += 3;
		} else if (at[0] == '_' && at[1] == '_') {
			add(&text, ".", 1);
			at += 2;
		} else {
			add(&text, at++, 1);
		}
	}
	return finish(&text);
}

static const char *java_base_type(char letter)
{
	static const char *const types[26] = {
		['B' - 'A'] = "byte",  ['C' - 'A'] = "char", ['D' - 'A'] = "double",
		['F' - 'A'] = "float", ['I' - 'A'] = "int",  ['J' - 'A'] = "long",
		['S' - 'A'] = "short", ['V' - 'A'] = "void", ['Z' - 'A'] = "boolean",
	};

	return letter >= 'A' && letter <= 'Z' ? types[letter - 'A'] : NULL;
}

/* "Ljava/lang/String;" -> java.lang.String; *at goes behind it. */
static bool add_java_class(struct text *text, const char **at)
{
	size_t size = strcspn(*at, ";()[");

	if (**at != 'L' || size < 2 || (*at)[size] != ';')
		return false;
	for (size_t i = 1; i < size; i++)
		add(text, (*at)[i] == '/' ? "." : *at + i, 1);
	*at += size + 1;
	return true;
}

static bool add_java_type(struct text *text, const char **at)
{
	size_t dimensions = strspn(*at, "[");

	*at += dimensions;
	const char *base = java_base_type(**at);
	if (base) {
		add_string(text, base);
		(*at)++;
	} else if (!add_java_class(text, at)) {
		return false;
	}
	while (dimensions--)
		add_string(text, "[]");
	return true;
}

/* The method's name with what joins it to its class; perf joins <init> without a dot. */
static bool add_java_method(struct text *text, const char **at)
{
	size_t size = strcspn(*at, "();[/");

	if (!size || (*at)[size] != '(')
		return false;
	if (**at != '<')
		add(text, ".", 1);
	add(text, *at, size + 1);
	*at += size + 1;
	return true;
}

/* JVM descriptors, as JIT images name methods: La/B;m(I[J)V -> a.B.m(int, long[]); no return type. */
static char *demangle_java(const char *name)
{
	struct text text = { 0 }, unused = { 0 };

	if (!strchr(name, ')') || !add_java_class(&text, &name) || !add_java_method(&text, &name))
		return give_up(&text);
	for (bool first = true; *name != ')'; first = false) {
		if (!first)
			add_string(&text, ", ");
		if (!add_java_type(&text, &name))
			return give_up(&text);
	}
	add_string(&text, ")");
	name++;
	bool whole = add_java_type(&unused, &name) && !*name;
	vec_free(&unused.chars);
	return whole ? finish(&text) : give_up(&text);
}

static char *demangle_plain(const char *name)
{
	AUTOFREE char *unmarked = xstrndup(name, length_without_llvm_mark(name));
	char *text = demangle_rust_v0(unmarked);

	text = text ? text : demangle_path(unmarked);
	text = text ? text : demangle_cpp(name);
	text = text ? text : demangle_ocaml(name);
	return text ? text : demangle_java(name);
}

/* Few names are mangled at all: say so before anything is allocated. */
static bool may_be_mangled(const char *name)
{
	if (name[0] == '_')
		return strchr("ZRG", name[1]) || (name[1] == '_' && name[2] == 'Z');
	return starts_with(name, "ZN") || starts_with(name, "caml") || (name[0] == 'L' && strchr(name, ')'));
}

char *demangle_symbol(const char *raw_name)
{
	static const char plt[] = "@plt";
	size_t size, plt_size = sizeof(plt) - 1;

	if (!may_be_mangled(raw_name) || (size = strnlen(raw_name, MAX_NAME + 1)) > MAX_NAME)
		return NULL;
	if (size <= plt_size || strcmp(raw_name + size - plt_size, plt))
		return demangle_plain(raw_name);

	AUTOFREE char *base_name = xstrndup(raw_name, size - plt_size);
	AUTOFREE char *base = demangle_plain(base_name);
	struct text text = { 0 };
	if (!base)
		return NULL;
	add_string(&text, base);
	add_string(&text, plt);
	return finish(&text);
}
