/* Fixed texts of generated files. The sign @ stands for the prefix of the model.
 *
 * Sines and cosines: x = k pi/2 + y0 + y1, pi/2 in three parts of which products with k are exact; then polynomials of degree 13 and 14 on
 * [-pi/4, pi/4], interpolated at Chebyshev's points in quadruple precision, with the tail y1 in first order. The error is below one unit in the
 * last place for |x| <= 1e6 (test_generate measures it); beyond, libm is asked.
 */
#include "generate/listing.h"

/* R: the type. F(a, b, c): a b + c. */
#define KERNEL(R, F)                                                                                                                                 \
    "    const " R " r = x - k * 0x1.921fb54400000p+0, w = k * 0x1.0b4611a600000p-34, s1 = r - w, e = (r - s1) - w;\n"                               \
    "    const " R " w3 = k * 0x1.3198a2e037073p-69, y0 = s1 - w3, y1 = ((s1 - y0) - w3) + e;\n"                                                     \
    "    const " R " z = y0 * y0, v = z * y0, hz = 0.5 * z, o = 1.0 - hz;\n"                                                                         \
    "    " R " ps = " F "(z, 0x1.5e0b05bff20f2p-33, -0x1.ae600aca92c64p-26), pc = " F "(z, -0x1.907d8f29fe831p-37, 0x1.1eeb68cd22f56p-29);\n"        \
    "    ps = " F "(z, ps, 0x1.71de379654304p-19);\n"                                                                                                \
    "    pc = " F "(z, pc, -0x1.27e4fa17bf139p-22);\n"                                                                                               \
    "    ps = " F "(z, ps, -0x1.a01a019e83816p-13);\n"                                                                                               \
    "    pc = " F "(z, pc, 0x1.a01a019f4e9b4p-16);\n"                                                                                                \
    "    ps = " F "(z, ps, 0x1.1111111110bb2p-7);\n"                                                                                                 \
    "    pc = " F "(z, pc, -0x1.6c16c16c16967p-10);\n"                                                                                               \
    "    pc = " F "(z, pc, 0x1.5555555555555p-5);\n"                                                                                                 \
    "    const " R " ys = y0 - ((z * (0.5 * y1 - v * ps) - y1) - v * -0x1.5555555555555p-3);\n"                                                      \
    "    const " R " yc = o + (((1.0 - o) - hz) + (z * z * pc - y0 * y1));\n"

const char dal_text_sincos[] =
    "/* Sine and cosine, within one unit in the last place; libm's beyond a million. */\n"
    "static inline void @_sincos(double x, double *s, double *c)\n"
    "{\n"
    "    const double t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = t - 0x1.8p52;\n"
    "    uint64_t bits;\n"
    "    if (!(fabs(x) <= 1e6)) {\n"
    "        *s = sin(x);\n"
    "        *c = cos(x);\n"
    "        return;\n"
    "    }\n"
    "    memcpy(&bits, &t, sizeof bits);\n" KERNEL("double", "@_FMA") "    {\n"
                                                                      "        const double a = bits & 1 ? yc : ys, b = bits & 1 ? ys : yc;\n"
                                                                      "        *s = bits & 2 ? -a : a;\n"
                                                                      "        *c = (bits + 1) & 2 ? -b : b;\n"
                                                                      "    }\n"
                                                                      "}\n\n";

/* Long functions without a branch want to be put in order before registers are given out, which gcc does not do by itself on usual machines; and the
 * pairs of numbers that it finds in them cost more to build than they save. */
const char dal_text_order[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                              "#pragma GCC optimize(\"schedule-insns\", \"sched-pressure\", \"no-tree-slp-vectorize\")\n"
                              "#endif\n\n";

const char dal_text_four_sines[] =
    "/* The same of four angles at once, where the machine can. */\n"
    "static inline void @_sincos4(double x0, double x1, double x2, double x3, double *sine, double *cosine)\n"
    "{\n"
    "#if defined(__AVX2__) && defined(__FMA__)\n"
    "    typedef double four __attribute__((vector_size(32)));\n"
    "    typedef int64_t mask __attribute__((vector_size(32)));\n"
    "    if (fabs(x0) <= 1e6 && fabs(x1) <= 1e6 && fabs(x2) <= 1e6 && fabs(x3) <= 1e6) {\n"
    "    const four x = {x0, x1, x2, x3}, t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = t - 0x1.8p52;\n"
    "    const mask one = {1, 1, 1, 1}, two = {2, 2, 2, 2}, bits = (mask)t;\n" KERNEL(
        "four", "@_FMA") "    const mask odd = (bits & one) == one, top = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};\n"
                         "    const mask a = ((mask)yc & odd) | ((mask)ys & ~odd), b = ((mask)ys & odd) | ((mask)yc & ~odd);\n"
                         "    const mask s = a ^ (((bits & two) == two) & top), c = b ^ ((((bits + one) & two) == two) & top);\n"
                         "    memcpy(sine, &s, sizeof s);\n"
                         "    memcpy(cosine, &c, sizeof c);\n"
                         "    return;\n"
                         "    }\n"
                         "#endif\n"
                         "    @_sincos(x0, sine, cosine);\n"
                         "    @_sincos(x1, sine + 1, cosine + 1);\n"
                         "    @_sincos(x2, sine + 2, cosine + 2);\n"
                         "    @_sincos(x3, sine + 3, cosine + 3);\n"
                         "}\n\n";

const char dal_text_lanes[] = "/* ---- lanes: four copies at once ---- */\n\n"
                              "#if defined(__GNUC__)\n"
                              "#pragma GCC diagnostic ignored \"-Wpsabi\" /* lanes are passed between functions of this file alone */\n"
                              "#endif\n"
                              "#if defined(__GNUC__)\n"
                              "#define @_INLINE static inline __attribute__((always_inline)) /* lanes are passed in registers or not at all */\n"
                              "#else\n"
                              "#define @_INLINE static inline\n"
                              "#endif\n"
                              "typedef double @_lanes __attribute__((vector_size(32)));\n"
                              "typedef int64_t @_mask __attribute__((vector_size(32)));\n\n"
                              "#if defined(__FMA__) && defined(__AVX2__)\n"
                              "#include <immintrin.h>\n"
                              "#define @_WFMA(a, b, c) ((@_lanes)_mm256_fmadd_pd((__m256d)@_W(a), (__m256d)@_W(b), (__m256d)@_W(c)))\n"
                              "#else\n"
                              "@_INLINE @_lanes @_fma4(@_lanes a, @_lanes b, @_lanes c)\n"
                              "{\n"
                              "    @_lanes r = {fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1]), fma(a[2], b[2], c[2]), fma(a[3], b[3], c[3])};\n"
                              "    return r;\n"
                              "}\n"
                              "#define @_WFMA(a, b, c) @_fma4(@_W(a), @_W(b), @_W(c))\n"
                              "#endif\n"
                              "#define @_W(x) ((x) - (@_lanes){0.0, 0.0, 0.0, 0.0}) /* of a number or of lanes: lanes */\n\n"
                              "@_INLINE @_lanes @_load(const double *from)\n"
                              "{\n"
                              "    @_lanes x;\n"
                              "    memcpy(&x, from, sizeof x);\n"
                              "    return x;\n"
                              "}\n\n"
                              "@_INLINE void @_store(double *to, @_lanes x)\n"
                              "{\n"
                              "    memcpy(to, &x, sizeof x);\n"
                              "}\n\n"
                              "@_INLINE @_lanes @_wfabs(@_lanes x)\n"
                              "{\n"
                              "    const @_mask low = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};\n"
                              "    return (@_lanes)((@_mask)x & low);\n"
                              "}\n\n"
                              "#define @_EACH(name, call)                              \\\n"
                              "    @_INLINE @_lanes name(@_lanes x, @_lanes y) \\\n"
                              "    {                                                        \\\n"
                              "        @_lanes r;                                      \\\n"
                              "        (void)y;                                             \\\n"
                              "        for (int i = 0; i < 4; i++) {                        \\\n"
                              "            const double a = x[i], b = y[i];                 \\\n"
                              "            (void)b;                                         \\\n"
                              "            r[i] = call;                                     \\\n"
                              "        }                                                    \\\n"
                              "        return r;                                            \\\n"
                              "    }\n\n";

const char dal_text_lane_sines[] =
    "@_INLINE @_lanes @_choose(@_mask m, @_lanes a, @_lanes b)\n"
    "{\n"
    "    return (@_lanes)(((@_mask)a & m) | ((@_mask)b & ~m));\n"
    "}\n\n"
    "@_INLINE void @_wsincos(@_lanes x, @_lanes *s, @_lanes *c)\n"
    "{\n"
    "    const @_mask large = ~(@_wfabs(x) <= @_W(1e6));\n"
    "    if (large[0] | large[1] | large[2] | large[3]) {\n"
    "        for (int i = 0; i < 4; i++) {\n"
    "            double si, ci;\n"
    "            @_sincos(x[i], &si, &ci);\n"
    "            (*s)[i] = si;\n"
    "            (*c)[i] = ci;\n"
    "        }\n"
    "        return;\n"
    "    }\n"
    "    {\n"
    "    const @_lanes t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = t - 0x1.8p52;\n"
    "    const @_mask one = {1, 1, 1, 1}, two = {2, 2, 2, 2}, bits = (@_mask)t;\n" KERNEL(
        "@_lanes", "@_WFMA") "    const @_mask odd = (bits & one) == one, top = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};\n"
                             "    const @_lanes a = @_choose(odd, yc, ys), b = @_choose(odd, ys, yc);\n"
                             "    *s = (@_lanes)((@_mask)a ^ (((bits & two) == two) & top));\n"
                             "    *c = (@_lanes)((@_mask)b ^ ((((bits + one) & two) == two) & top));\n"
                             "    }\n"
                             "}\n\n";

/* With a mode: its piece, extrapolated beyond its end; without a mode: the piece that holds. */
const char *dal_text_switch(dal_op op)
{
    switch (op) {
    case DAL_OP_SIGN:
        return "static double @_sign(int mode, double a)\n"
               "{\n"
               "    return mode != @_FREE ? mode : a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : NAN;\n"
               "}\n\n";
    case DAL_OP_FLOOR:
        return "static double @_floor(int mode, double a)\n"
               "{\n"
               "    return mode != @_FREE ? mode : floor(a);\n"
               "}\n\n";
    case DAL_OP_LESS:
        return "static double @_less(int mode, double a, double b)\n"
               "{\n"
               "    return mode != @_FREE ? mode : a < b;\n"
               "}\n\n";
    case DAL_OP_LEQ:
        return "static double @_leq(int mode, double a, double b)\n"
               "{\n"
               "    return mode != @_FREE ? mode : a <= b;\n"
               "}\n\n";
    case DAL_OP_EQUAL:
        return "static double @_equal(int mode, double a, double b)\n"
               "{\n"
               "    return mode != @_FREE ? mode == 0 : a == b;\n"
               "}\n\n";
    default: return NULL;
    }
}

const char dal_text_table[] = "/* A piecewise cubic: its derivative of any order, not a number outside of a table that ends there. outside: 0 none, "
                              "1 held, 2 periodic. The mode\n"
                              " * is an interval (all), or -1, 0, 1 before, inside and behind the table. */\n"
                              "static double @_table(int mode, int all, int n, const double *x, const double *c, int outside, int order, double at)\n"
                              "{\n"
                              "    const double first = x[0], last = x[n - 1], range = last - first, slack = outside == 0 ? 1e-12 * range : 0;\n"
                              "    double turns = 0;\n"
                              "    int low = 0, high = n - 1;\n"
                              "    if (mode != @_FREE && (all || mode != 0)) {\n"
                              "        turns = outside == 2 ? floor((double)mode / (n - 1)) : 0;\n"
                              "        low = !all ? (mode < 0 ? -1 : n - 1) : mode - (int)turns * (n - 1);\n"
                              "    } else if (mode == @_FREE && outside != 2 && (at < first - slack || at > last + slack)) {\n"
                              "        low = at < first ? -1 : n - 1;\n"
                              "    } else {\n"
                              "        turns = outside == 2 ? floor((at - first) / range) : 0;\n"
                              "        while (high - low > 1) {\n"
                              "            const int middle = (low + high) / 2;\n"
                              "            if (x[middle] <= at - turns * range)\n"
                              "                low = middle;\n"
                              "            else\n"
                              "                high = middle;\n"
                              "        }\n"
                              "    }\n"
                              "    if (low < 0 || low > n - 2)\n"
                              "        return outside == 0 ? NAN : order ? 0.0 : c[low < 0 ? 0 : 4 * (n - 1)];\n"
                              "    c += 4 * low;\n"
                              "    {\n"
                              "        const double d = at - (x[low] + turns * range);\n"
                              "        switch (order) {\n"
                              "        case 0: return c[0] + d * (c[1] + d * (c[2] + d * c[3]));\n"
                              "        case 1: return c[1] + d * (2 * c[2] + d * (3 * c[3]));\n"
                              "        case 2: return 2 * c[2] + d * (6 * c[3]);\n"
                              "        case 3: return 6 * c[3];\n"
                              "        default: return 0;\n"
                              "        }\n"
                              "    }\n"
                              "}\n\n";

/* The pieces that hold, and how far they do: as expr/evaluate.c decides both. */
const char dal_text_guards[] =
    "/* op: 0 sign, 1 floor, 2 less, 3 less or equal, 4 equal, 5 a table of which all intervals are pieces, 6 one of which the ends are. */\n"
    "typedef struct @_switch {\n"
    "    int op, n, outside;\n"
    "    const double *x;\n"
    "} @_switch;\n\n"
    "static int @_whole(double value)\n"
    "{\n"
    "    return fabs(value) <= 1e9 ? (int)value : INT32_MIN;\n"
    "}\n\n"
    "static int @_mode(const @_switch *s, double a, double b)\n"
    "{\n"
    "    double turns = 0, first, last, slack;\n"
    "    int low = 0, high = s->n - 1;\n"
    "    if (!(a == a && b == b))\n"
    "        return INT32_MIN;\n"
    "    switch (s->op) {\n"
    "    case 0: return (a > 0) - (a < 0);\n"
    "    case 1: return @_whole(floor(a));\n"
    "    case 2: return a < b;\n"
    "    case 3: return a <= b;\n"
    "    case 4: return (a > b) - (a < b);\n"
    "    default: break;\n"
    "    }\n"
    "    first = s->x[0];\n"
    "    last = s->x[high];\n"
    "    slack = s->outside == 0 ? 1e-12 * (last - first) : 0;\n"
    "    if (s->outside != 2 && (a < first - slack || a > last + slack)) {\n"
    "        low = a < first ? -1 : high;\n"
    "    } else {\n"
    "        turns = s->outside == 2 ? floor((a - first) / (last - first)) : 0;\n"
    "        while (high - low > 1) {\n"
    "            const int middle = (low + high) / 2;\n"
    "            if (s->x[middle] <= a - turns * (last - first))\n"
    "                low = middle;\n"
    "            else\n"
    "                high = middle;\n"
    "        }\n"
    "    }\n"
    "    if (s->op == 6)\n"
    "        return low < 0 ? -1 : low > s->n - 2;\n"
    "    return @_whole(low + turns * (s->n - 1));\n"
    "}\n\n"
    "static double @_guard(const @_switch *s, int mode, double a, double b)\n"
    "{\n"
    "    const int holds = @_mode(s, a, b);\n"
    "    double guard, turns, first, last;\n"
    "    int low;\n"
    "    if (holds == INT32_MIN || mode == INT32_MIN)\n"
    "        return holds == mode ? 1 : -1;\n"
    "    switch (s->op) {\n"
    "    case 0: guard = mode ? mode * a : a == 0 ? 1 : -1; break;\n"
    "    case 1: guard = (a - mode) * (mode + 1.0 - a); break;\n"
    "    case 2:\n"
    "    case 3: guard = mode ? b - a : a - b; break;\n"
    "    case 4: guard = mode ? mode * (a - b) : a == b ? 1 : -1; break;\n"
    "    default:\n"
    "        first = s->x[0];\n"
    "        last = s->x[s->n - 1];\n"
    "        turns = s->op == 5 && s->outside == 2 ? floor((double)mode / (s->n - 1)) : 0;\n"
    "        low = s->op == 6 ? (mode < 0 ? -1 : mode > 0 ? s->n - 1 : 0) : mode - (int)turns * (s->n - 1);\n"
    "        if (low >= 0 && low <= s->n - 2 && s->op == 5) {\n"
    "            const double shift = turns * (last - first);\n"
    "            first = s->x[low] + shift;\n"
    "            last = s->x[low + 1] + shift;\n"
    "        }\n"
    "        guard = low < 0 ? first - a : low > s->n - 2 ? a - last : (a - first) * ((last - a) / (last - first));\n"
    "    }\n"
    "    if (holds == mode)\n"
    "        return guard > 0 ? guard : 0; /* rounding at the end of a piece does not end it */\n"
    "    return guard == guard ? guard : -1;\n"
    "}\n\n";

/* Parts of functions with loops. Without noipa gcc 12.2 gave wrong results from -O1 on, and right ones at -O0, with -fno-ipa-modref and without
 * restrict; those of clang were right. doc/decisions/rolled-loops.md */
const char dal_text_loops[] = "#if defined __GNUC__ && __GNUC__ >= 8 && !defined __clang__\n#define %s_LOOPS __attribute__((noipa))\n"
                              "#elif defined __GNUC__\n#define %s_LOOPS __attribute__((noinline))\n#else\n#define %s_LOOPS\n#endif\n\n";
