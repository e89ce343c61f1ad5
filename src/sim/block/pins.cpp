// A module at its pins: for each cycle the words of all inputs come in, and the words of all outputs go out before
// the edge. Included after the model's own sources and the generated `ports.h`, in one translation unit.

static bool take(Word* to, size_t words) { return std::fread(to, sizeof(Word), words, stdin) == words; }

int main(int argc, char** argv) {
    VerilatedContext context;
    // The initial state: a seed and how to use it.
    Word head[2];
    if (!take(head, 2)) return 0;
    context.randSeed(int(head[0] & 0x7fffffff) | 1);
    context.randReset(head[1] ? 0 : 2);
    context.commandArgs(argc, argv);
    Vtb top(&context);
    static Word inputs[INPUT_WORDS + 1], outputs[OUTPUT_WORDS + 1];
    top.clk = 0;
    while (take(inputs, INPUT_WORDS)) {
        drive(top, inputs);
        top.eval();
        sample(top, outputs);
        std::fwrite(outputs, sizeof(Word), OUTPUT_WORDS, stdout);
        std::fflush(stdout);
        top.clk = 1;
        top.eval();
        top.clk = 0;
        top.eval();
    }
    top.final();
    return 0;
}
