// How far the results of one function's hardware are from the exact ones: Verilator's model of the module that
// `allo-hls operator` writes, against the machine's functions of a much wider type.
//
// Built by scripts/accuracy with MODEL (the model's class), LATENCY (cycles), FORMAT (32 or 64), OPERANDS (1 or 2) and
// FUNCTION (its name). Reads lines from standard input and answers each with a line:
//   block N      the largest error of block N, "N ERROR ARGUMENT [ARGUMENT]"; of f32 and one operand, the blocks are
//                shares of all arguments, else seeds of random ones
//   case A [B]   the error of these operands (hexadecimal), "ERROR"
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <quadmath.h>
#include <string>

#define STRING(x) #x
#define HEADER(x) STRING(x.h)
#include HEADER(MODEL)

constexpr uint64_t BLOCK = 1 << 20, BLOCKS = 4096;

#if FORMAT == 32
// The machine's functions of f64 are off by less than one of its units, 2^-29 of a unit in the last place of f32.
typedef uint32_t Bits;
typedef double Wide;
constexpr int FRACTION = 23, LEAST = -126, MOST = 128;
constexpr Bits NOT_A_NUMBER = 0x7fc00000;
static Wide wide(Bits bits) { float x; memcpy(&x, &bits, sizeof x); return x; }
static int exponent(Wide x) { return std::ilogb(x); }
static Wide scaled(int e) { return std::ldexp(1.0, e); }
#define OF(name) name
#else
// Those of binary128 by some of its units, 2^-60 of one of f64.
typedef uint64_t Bits;
typedef __float128 Wide;
constexpr int FRACTION = 52, LEAST = -1022, MOST = 1024;
constexpr Bits NOT_A_NUMBER = 0x7ff8000000000000;
static Wide wide(Bits bits) { double x; memcpy(&x, &bits, sizeof x); return x; }
static int exponent(Wide x) { return ilogbq(x); }
static Wide scaled(int e) { return ldexpq(1, e); }
#define OF(name) name##q
#endif

namespace exact {
#define ONE(name) static Wide name(Wide x, Wide) { return ::OF(name)(x); }
ONE(exp) ONE(exp2) ONE(log) ONE(log2) ONE(sin) ONE(cos) ONE(tan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(erf)
static Wide rsqrt(Wide x, Wide) { return 1 / ::OF(sqrt)(x); }
static Wide pow(Wide x, Wide y) { return ::OF(pow)(x, y); }
}

// In units in the last place of the exact result; infinite if it is none that is allowed at all.
static double error(Bits bits, Wide exact) {
    const double WRONG = std::numeric_limits<double>::infinity();
    const Wide got = wide(bits), size = exact < 0 ? -exact : exact;
    if (exact != exact || got != got) return exact != exact && bits == NOT_A_NUMBER ? 0 : WRONG;
    const bool sign = bits >> (FORMAT - 1), negative = exact < 0 || (exact == 0 && 1 / exact < 0);
    const Wide limit = scaled(MOST - 1) * (2 - scaled(-FRACTION)), beyond = 2 * scaled(MOST - 1);
    const bool infinite = size > std::numeric_limits<double>::max() && size - size != 0;
    if (exact == 0 || infinite) return got == exact && sign == negative ? 0 : WRONG;
    if (got - got != 0 || size >= beyond) {
        // Beyond the largest number, it and infinity are the two neighbours.
        const bool near = (got - got != 0 || got == limit || got == -limit) && sign == negative;
        return near && size >= limit ? 0.5 : WRONG;
    }
    const int e = exponent(exact);
    const Wide distance = got - exact;
    return double((distance < 0 ? -distance : distance) / scaled((e < LEAST ? LEAST : e) - FRACTION));
}

struct Operands { Bits of[2]; };

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, figure 16).
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
};

static Operands argument(uint64_t block, uint64_t i, Random &random) {
    if (FORMAT == 32 && OPERANDS == 1) return {{Bits(i * BLOCKS + block), 0}};
    const Bits first = Bits(random.next()), fraction = first & ((Bits(1) << FRACTION) - 1);
    if (OPERANDS == 1) {
        if (i & 1) return {{first, 0}};
        // The binades around 1, where most functions are no trivial ones.
        const Bits biased = Bits(1 - LEAST - 1 + 8) - Bits(random.next() % 32);
        return {{(first >> (FORMAT - 1) << (FORMAT - 1)) | biased << FRACTION | fraction, 0}};
    }
    if (i % 16 == 0) return {{first, Bits(random.next())}};
    // Bases of every size, and exponents that keep the power among the numbers.
    const Bits base = first << 1 >> 1;
    const double size = std::fabs(double(::OF(log2)(wide(base))));
    const double share = double(int64_t(random.next())) / 9.3e18;
    const double power = share * (MOST + FRACTION) / (size > 1e-15 ? size : 1e-15);
    Bits bits = 0;
    if (FORMAT == 32) { float narrow = float(power); memcpy(&bits, &narrow, 4); }
    else memcpy(&bits, &power, 8);
    return {{base, bits}};
}

static std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
static std::unique_ptr<MODEL> model = std::make_unique<MODEL>(context.get());

static Bits cycle(Operands operands) {
    model->a = operands.of[0];
#if OPERANDS == 2
    model->b = operands.of[1];
#endif
    model->clk = 0;
    model->eval();
    model->clk = 1;
    model->eval();
    return model->result;
}

static double judged(Bits result, Operands operands) {
    return error(result, exact::FUNCTION(wide(operands.of[0]), wide(operands.of[1])));
}

static void block(uint64_t number) {
    Random random{number * 0x632be59bd9b4e019};
    Operands waiting[LATENCY] = {}, at = {};
    double most = -1;
    for (uint64_t i = 0; i < BLOCK + LATENCY - 1; i++) {
        waiting[i % LATENCY] = argument(number, i % BLOCK, random);
        const Bits result = cycle(waiting[i % LATENCY]);
        if (i + 1 < LATENCY) continue;
        const Operands &operands = waiting[(i + 1) % LATENCY];
        const double error = judged(result, operands);
        if (error > most) most = error, at = operands;
    }
    printf("%" PRIu64 " %.6f %0*" PRIx64, number, most, FORMAT / 4, uint64_t(at.of[0]));
    if (OPERANDS == 2) printf(" %0*" PRIx64, FORMAT / 4, uint64_t(at.of[1]));
    puts("");
}

int main() {
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint64_t a = 0, b = 0;
        if (sscanf(line, "block %" SCNu64, &a) == 1) block(a);
        else if (sscanf(line, "case %" SCNx64 " %" SCNx64, &a, &b) >= 1) {
            const Operands operands = {{Bits(a), Bits(b)}};
            Bits result = 0;
            for (int i = 0; i < LATENCY; i++) result = cycle(operands);
            printf("%.6f\n", judged(result, operands));
        }
        fflush(stdout);
    }
    return 0;
}
