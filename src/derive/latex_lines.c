/* Formulas in LaTeX that are wider than a line.
 *
 * TeX does not break a display: a wide one exceeds the page. It breaks a formula in a paragraph at signs outside of groups. So a wide formula is
 * written as a paragraph, without \left and \right, and with a slash instead of a wide fraction.
 */
#include "derive/write.h"

#include <ctype.h>
#include <string.h>

/* The unit of widths is a letter. */
enum { NARROW = 12, MOST_IN_FUNCTION = 30, MOST_IN_FRACTION = 44 };

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The place after the brace that closes the one at `open`. */
static const char *behind_group(const char *open)
{
    int depth = 0;
    for (const char *c = open; *c; c++) {
        if (*c == '\\' && (c[1] == '{' || c[1] == '}')) {
            c++;
            continue;
        }
        depth += (*c == '{') - (*c == '}');
        if (!depth)
            return c + 1;
    }
    return open + strlen(open);
}

/* The place after the \right) that closes the \left( at `open`. */
static const char *behind_bracket(const char *open)
{
    int depth = 0;
    for (const char *c = open; *c; c++) {
        if (begins(c, "\\left"))
            depth++;
        else if (begins(c, "\\right") && --depth == 0)
            return c + strlen("\\right)");
    }
    return open + strlen(open);
}

static double width_of(const char *from, const char *end)
{
    static const char *const unseen[] = {"left", "right", "mathrm", "text", "operatorname", "frac", "dot", "ddot", "displaystyle"};
    double width = 0;
    bool index = false;
    for (const char *c = from; c < end; c++) {
        if (*c == '\\' && isalpha((unsigned char)c[1])) {
            const char *word = c + 1;
            size_t n = 0, k = 0;
            while (isalpha((unsigned char)word[n]))
                n++;
            while (k < sizeof unseen / sizeof *unseen && (strlen(unseen[k]) != n || strncmp(word, unseen[k], n) != 0))
                k++;
            width += k < sizeof unseen / sizeof *unseen ? 0 : n == 3 && strchr("scte", word[0]) ? 3 : 1; /* sin, cos, tan, exp */
            c = word + n - 1;
            continue;
        }
        index = *c == '_' || *c == '^' ? true : *c == '}' ? false : index;
        if (*c == '+' || *c == '-' || *c == '=')
            width += 1.7;
        else if (!strchr(" {}\\_^,", *c) || (*c == ',' && (c == from || c[-1] != '\\')))
            width += index ? 0.7 : 1;
        else if (*c == ',')
            width += 0.3;
    }
    return width;
}

double dal_latex_width(const char *text)
{
    return width_of(text, text + strlen(text));
}

static void break_part(dal_growing *out, const char *from, const char *end);

static void break_bracket(dal_growing *out, const char *from, const char *end)
{
    const char *inside = from + strlen("\\left("), *close = end - strlen("\\right)");
    const bool function = out->n && (isalpha((unsigned char)out->text[out->n - 1]) || out->text[out->n - 1] == '}');
    if (function && width_of(inside, close) <= MOST_IN_FUNCTION) {
        dal_grow(out, "%.*s", (int)(end - from), from);
        return;
    }
    dal_grow(out, "%c", from[strlen("\\left")]);
    break_part(out, inside, close);
    dal_grow(out, "%c", end[-1]);
}

/* \frac{A}{B} */
static void break_fraction(dal_growing *out, const char *above, const char *below, const char *end)
{
    const char *close = behind_group(above) - 1;
    if (width_of(below, end) <= NARROW) {
        dal_grow(out, "\\tfrac{1}{%.*s}\\,(", (int)(end - below - 2), below + 1);
        break_part(out, above + 1, close);
        dal_grow(out, ")");
        return;
    }
    dal_grow(out, "(");
    break_part(out, above + 1, close);
    dal_grow(out, ")/(");
    break_part(out, below + 1, end - 1);
    dal_grow(out, ")");
}

static void break_part(dal_growing *out, const char *from, const char *end)
{
    for (const char *c = from; c < end;) {
        if (begins(c, "\\left")) {
            const char *next = behind_bracket(c);
            break_bracket(out, c, next);
            c = next;
        } else if (begins(c, "\\frac{")) {
            const char *above = c + strlen("\\frac"), *below = behind_group(above), *next = behind_group(below);
            if (width_of(above, next) > MOST_IN_FRACTION)
                break_fraction(out, above, below, next);
            else
                dal_grow(out, "%.*s", (int)(next - c), c);
            c = next;
        } else if (begins(c, "\\sqrt{") && width_of(c, behind_group(c + strlen("\\sqrt"))) > MOST_IN_FRACTION) {
            const char *next = behind_group(c + strlen("\\sqrt"));
            const bool power = *next == '^'; /* of the root */
            dal_grow(out, power ? "((" : "(");
            break_part(out, c + strlen("\\sqrt{"), next - 1);
            dal_grow(out, power ? ")^{1/2})" : ")^{1/2}");
            c = next;
        } else if (*c == '{') {
            const char *next = behind_group(c);
            dal_grow(out, "%.*s", (int)(next - c), c);
            c = next;
        } else if (begins(c, "\\,")) { /* between factors, if there is no sign at which to break */
            dal_grow(out, "\\,\\penalty2000 ");
            c += 2;
        } else if (*c == ',') {
            dal_grow(out, ",\\penalty100 ");
            c++;
        } else
            dal_grow(out, "%c", *c++);
    }
}

const char *dal_latex_breakable(dal_arena *arena, const char *text)
{
    dal_growing out = {.arena = arena};
    dal_grow(&out, "%s", "");
    break_part(&out, text, text + strlen(text));
    return out.text;
}
