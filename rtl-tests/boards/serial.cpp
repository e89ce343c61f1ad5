// A board at the end of a serial line: what comes from the standard input goes in, bit by bit, and what it says goes out.
#include "Vsaxpy_uart.h"
#include "verilated.h"

#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace {

// Cycles of a bit, as the model is built.
constexpr int DIVISOR = 8;

// Bits of one byte on their way, and how long the first of them lasts still.
struct Line {
    unsigned bits = 0;
    int left = 0, wait = 0;
};

}  // namespace

int main() {
    VerilatedContext context;
    Vsaxpy_uart board{&context};
    Line in, out;
    bool is_open = true;
    // The first byte is late enough for the reset. It ends when nobody listens any more and all has been said.
    for (int idle = 0; is_open || idle < 10000; ++idle) {
        board.rx = in.left ? in.bits & 1 : 1;
        if (in.left && --in.wait == 0) {
            in = {in.bits >> 1, in.left - 1, DIVISOR};
        } else if (!in.left && is_open && idle % 64 == 63) {
            pollfd input = {STDIN_FILENO, POLLIN, 0};
            unsigned char byte;
            if (poll(&input, 1, 0) > 0) {
                is_open = read(STDIN_FILENO, &byte, 1) == 1;
                if (is_open) in = {0x200u | byte << 1, 10, DIVISOR};
                idle = 0;
            }
        }
        for (int clk = 0; clk < 2; ++clk) {
            board.clk = clk;
            board.eval();
        }
        if (!out.left && !board.tx) {
            out = {0, 9, DIVISOR + DIVISOR / 2};
        } else if (out.left && --out.wait == 0) {
            out = {out.bits >> 1 | static_cast<unsigned>(board.tx) << 8, out.left - 1, DIVISOR};
            // Without the stop bit.
            if (!out.left && std::putchar(out.bits & 0xff) >= 0) std::fflush(stdout);
        }
    }
    board.final();
    return 0;
}
