// Clock and reset of the system, until it says that it is done.
#include "Vsystem.h"
#include "verilated.h"

int main(int argc, char **argv) {
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vsystem system{&context};
    for (long cycle = 0; !context.gotFinish(); ++cycle) {
        system.rst_n = cycle >= 3;
        for (int clk = 0; clk < 2; ++clk) {
            system.clk = clk;
            system.eval();
        }
    }
    system.final();
    return 0;
}
