// Drives one module through the protocol of the interface specification. Included after the model's
// own sources and the generated `ports.h`, in one translation unit. Input and output: 32-bit words.

static Vtb* top;
static VerilatedContext* context;
#if VM_TRACE
static VerilatedVcdC* wave;
#endif

static uint64_t rng_state;
static uint64_t rng() {
    uint64_t z = (rng_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static bool zero;  // unknown things are 0 instead of random

static unsigned words_for(unsigned width) { return (width + 31) / 32; }
static void garbage(Word* to, unsigned width) {
    unsigned n = words_for(width);
    for (unsigned i = 0; i < n; ++i) to[i] = zero ? 0 : static_cast<Word>(rng());
    if (width % 32) to[n - 1] &= (Word(1) << (width % 32)) - 1;
}

// ------------------------------------------------------------------ input and output

static std::vector<Word> input;
static size_t input_at;
static Word take() {
    if (input_at >= input.size()) { std::fputs("harness: input ends early\n", stderr); std::exit(3); }
    return input[input_at++];
}
static uint64_t take64() { uint64_t low = take(); return low | (uint64_t(take()) << 32); }
static std::vector<Word> output;
static void give64(uint64_t v) { output.push_back(Word(v)); output.push_back(Word(v >> 32)); }
static void give(const std::vector<Word>& v) { output.insert(output.end(), v.begin(), v.end()); }
static void flush() {
    std::fwrite(output.data(), sizeof(Word), output.size(), stdout);
    std::fflush(stdout);
    output.clear();
}

// ------------------------------------------------------------------ what the module does wrong

static uint64_t cycle;
static uint64_t run_started;
static std::vector<std::string> violations;
static void violation(const std::string& what) {
    if (violations.size() < 8)
        violations.push_back("cycle " + std::to_string(cycle - run_started) + ": " + what);
}

// ------------------------------------------------------------------ memories

static Memory memories[MEMORIES + 1];

static bool same_edge_write(const Memory& m, unsigned reader, uint64_t address) {
    for (unsigned k = 0; k < m.lanes; ++k)
        if (k != reader && m.lane[k].ce && m.lane[k].we && m.lane[k].address == address) return true;
    return false;
}

// What a read of an element that is being written returns: certainly not the old content.
static void spoil(const Memory& m, const Word* old, Word* to) {
    unsigned n = words_for(m.width);
    for (unsigned i = 0; i < n; ++i) to[i] = ~old[i];
    if (m.width % 32) to[n - 1] &= (Word(1) << (m.width % 32)) - 1;
}

static void memory_reads(Memory& m) {
    for (unsigned k = 0; k < m.lanes; ++k) {
        Lane& lane = m.lane[k];
        if (!lane.ce) continue;
        Word* q = lane.q.data();
        if (lane.we || lane.address >= m.depth) {
            garbage(q, m.width);
            continue;
        }
        const Word* cell = &m.data[size_t(lane.address) * m.words];
        if (same_edge_write(m, k, lane.address)) spoil(m, cell, q);
        else std::memcpy(q, cell, m.words * sizeof(Word));
    }
}

// Writes to record: cycle, memory, address, data.
static std::vector<Word> record;
static size_t recorded, record_limit;
static void note_write(const Memory& m, const Lane& lane) {
    if (recorded >= record_limit) return;
    ++recorded;
    uint64_t at = cycle - run_started;
    record.insert(record.end(), {Word(at), Word(at >> 32), Word(&m - memories), Word(lane.address),
                                 Word(lane.address >> 32)});
    record.insert(record.end(), lane.d.begin(), lane.d.end());
}

static void memory_writes(Memory& m, bool active) {
    for (unsigned k = 0; k < m.lanes; ++k) {
        Lane& lane = m.lane[k];
        if (!lane.ce || !lane.we) continue;
        std::string where = std::string(m.name) + "[" + std::to_string(lane.address) + "]";
        if (!active) violation("write to " + where + " while no invocation runs");
        if (lane.address >= m.depth) {
            violation("write to " + where + ", beyond its depth " + std::to_string(m.depth));
            continue;
        }
        if (same_edge_write(m, k, lane.address) && k == 0)
            violation("both ports write " + where + " at one edge");
        std::memcpy(&m.data[size_t(lane.address) * m.words], lane.d.data(), m.words * sizeof(Word));
        if (!m.is_written[lane.address]) m.written.push_back(lane.address);
        m.is_written[lane.address] = true;
        note_write(m, lane);
    }
}

static bool any_access(const Memory& m) {
    for (unsigned k = 0; k < m.lanes; ++k)
        if (m.lane[k].ce) return true;
    return false;
}

static void memory_edge(bool active) {
    for (unsigned i = 0; i < MEMORIES; ++i) {
        if (!any_access(memories[i])) continue;
        memory_reads(memories[i]);
        memory_writes(memories[i], active);
    }
}

// ------------------------------------------------------------------ one clock cycle

// Writes a moment to the waveform, once: of a second time Verilator complains on the standard output.
static void show(uint64_t time) {
#if VM_TRACE
    static uint64_t next;
    if (!wave || time < next) return;
    wave->dump(time);
    next = time + 1;
#else
    (void)time;
#endif
}

static void settle() {
    drive_lanes(*top, memories);
    top->clk = 0;
    top->eval();
    show(2 * cycle);
    sample_lanes(*top, memories);
}

static void edge(bool active) {
    top->clk = 1;
    top->eval();
    show(2 * cycle + 1);
    memory_edge(active);
    ++cycle;
}

static void scramble_scalars() {
    static Word scratch[SCALAR_WORDS + 1];
    unsigned at = 0;
    for (unsigned i = 0; i < SCALARS; ++i) {
        garbage(scratch + at, scalar_widths[i]);
        at += words_for(scalar_widths[i]);
    }
    drive_scalars(*top, scratch);
}

// Enables are not defined before the reset has taken effect, and nothing is in the memories yet.
static void cycle_without_memories() {
    scramble_scalars();
    settle();
    for (unsigned m = 0; m < MEMORIES; ++m)
        for (unsigned k = 0; k < 2; ++k) memories[m].lane[k].ce = false;
    edge(true);
}

// Cycles after a reset within which a module is idle.
static const int MOST_LOADS = 1 << 22;

static void reset() {
    top->rst = 1;
    top->start = 0;
    for (int i = 0; i < 3; ++i) cycle_without_memories();
    top->rst = 0;
}

// Waits until what is kept between invocations is written.
static void wait_for_state() {
    for (int i = 0; i < MOST_LOADS; ++i) {
        settle();
        if (top->idle) return;
        cycle_without_memories();
    }
}

// ------------------------------------------------------------------ one run

struct Invocation {
    const Word* scalars;
    uint64_t gap;
    uint64_t start, ready, done;
    std::vector<Word> returns;
};

static const unsigned COOL_DOWN = 4;

struct Driver {
    std::vector<Invocation>& todo;
    uint64_t limit;
    size_t next = 0;       // presented now or next; all before it are accepted
    size_t finished = 0;
    bool presenting = false;
    bool surely_started = false;  // the presented one met a module at rest
    uint64_t gap;
    uint64_t quiet = 1;    // cycles without a running or presented invocation, at least
    uint64_t last_event;

    Driver(std::vector<Invocation>& todo, uint64_t limit)
        : todo(todo), limit(limit), gap(todo.empty() ? 0 : todo[0].gap), last_event(cycle) {}

    void present() {
        if (!presenting && next < todo.size() && gap == 0) {
            presenting = true;
            surely_started = quiet > 0;
            todo[next].start = cycle;
            last_event = cycle;
        } else if (gap > 0) {
            --gap;
        }
        top->start = presenting;
        if (presenting) drive_scalars(*top, todo[next].scalars);
        else scramble_scalars();
    }

    void check_idle(bool outstanding, bool done) {
        bool started_before = presenting && surely_started && todo[next].start < cycle;
        if (!outstanding && !presenting && !top->idle) violation("ap_idle is 0 while nothing runs");
        if ((outstanding || started_before) && !done && top->idle)
            violation("ap_idle is 1 while an invocation runs");
    }

    void check_held() {
        if (!RETURN_WORDS || !finished) return;
        std::vector<Word> now(RETURN_WORDS);
        sample_returns(*top, now.data());
        if (now != todo[finished - 1].returns) violation("ap_return changed before the next start");
    }

    void accept() {
        if (!presenting) { violation("ap_ready without ap_start"); return; }
        todo[next].ready = cycle;
        last_event = cycle;
        ++next;
        presenting = false;
        gap = next < todo.size() ? todo[next].gap : 0;
    }

    void finish() {
        if (finished >= next) {
            violation(presenting ? "ap_done before ap_ready" : "ap_done while nothing runs");
            return;
        }
        Invocation& invocation = todo[finished];
        invocation.done = cycle;
        invocation.returns.resize(RETURN_WORDS);
        sample_returns(*top, invocation.returns.data());
        last_event = cycle;
        ++finished;
    }

    // One cycle; false when the run is over.
    bool step() {
        present();
        settle();
        bool outstanding = finished < next, active = outstanding || presenting;
        bool ready = top->ready, done = top->done;
        check_idle(outstanding, done);
        if (!active) check_held();
        quiet = active ? 0 : quiet + 1;
        if (ready) accept();
        if (done) finish();
        edge(active);
        if (cycle - last_event > limit) return false;
        return finished < todo.size() || quiet < COOL_DOWN;
    }
};

static void nothing_written(Memory& m) {
    m.is_written.assign(m.depth, false);
    m.written.clear();
}

// Of each memory the first elements are given: all that can be read.
static void load_memories() {
    for (unsigned i = 0; i < MEMORIES; ++i) {
        Memory& m = memories[i];
        m.data.assign(size_t(m.depth) * m.words, 0);
        size_t given = size_t(take64()) * m.words;
        for (size_t at = 0; at < given; ++at) m.data[at] = take();
        nothing_written(m);
    }
}

// What was written, with its addresses.
static void report_memory(const Memory& m) {
    give64(m.written.size());
    for (uint64_t address : m.written) {
        give64(address);
        const Word* cell = &m.data[size_t(address) * m.words];
        output.insert(output.end(), cell, cell + m.words);
    }
}

static void report(const std::vector<Invocation>& todo, const Driver& driver) {
    output.push_back(Word(driver.finished < todo.size()));
    output.push_back(Word(driver.finished));
    for (size_t i = 0; i < driver.finished; ++i) {
        give64(todo[i].start - run_started);
        give64(todo[i].ready - run_started);
        give64(todo[i].done - run_started);
        give(todo[i].returns);
    }
    for (unsigned i = 0; i < MEMORIES; ++i) report_memory(memories[i]);
    output.push_back(Word(violations.size()));
    for (const std::string& text : violations) {
        output.push_back(Word(text.size()));
        std::vector<Word> packed((text.size() + 3) / 4);
        std::memcpy(packed.data(), text.data(), text.size());
        give(packed);
    }
    output.push_back(Word(recorded));
    give(record);
}

// Begins an invocation and stops it by a reset; leaves the memories as they were.
static void interrupt(const Word* scalars, Word cycles, bool loads) {
    std::vector<Word> kept[MEMORIES + 1];
    for (unsigned i = 0; i < MEMORIES; ++i) kept[i] = memories[i].data;
    top->start = 1;
    for (; cycles > 0; --cycles) {
        drive_scalars(*top, scalars);
        settle();
        edge(true);
    }
    reset();
    if (loads) wait_for_state();
    for (unsigned i = 0; i < MEMORIES; ++i) {
        memories[i].data = kept[i];
        nothing_written(memories[i]);
    }
}

static bool run() {
    load_memories();
    std::vector<Invocation> todo(take());
    for (Invocation& invocation : todo) {
        invocation.gap = take();
        invocation.scalars = input.data() + input_at;
        for (unsigned i = 0; i < SCALAR_WORDS; ++i) take();
    }
    uint64_t limit = take64();
    Word reset_after = take();
    bool loads = take() != 0;
    violations.clear();
    run_started = cycle;
    if (reset_after && !todo.empty()) interrupt(todo[0].scalars, reset_after - 1, loads);
    record.clear();
    recorded = 0;
    run_started = cycle;
    Driver driver(todo, limit);
    while (driver.step()) {}
    report(todo, driver);
    flush();
    return driver.finished == todo.size();
}

int main(int argc, char** argv) {
    Word buffer[4096];
    size_t got;
    while ((got = std::fread(buffer, sizeof(Word), 4096, stdin)) > 0)
        input.insert(input.end(), buffer, buffer + got);
    rng_state = take64();
    context = new VerilatedContext;
    context->randSeed(int(take() | 1));
    zero = take();
    context->randReset(zero ? 0 : 2);
    record_limit = take();
    context->commandArgs(argc, argv);
#if VM_TRACE
    context->traceEverOn(true);
#endif
    top = new Vtb(context);
#if VM_TRACE
    if (argc > 1) {
        wave = new VerilatedVcdC;
        top->trace(wave, 99);
        wave->open(argv[1]);
    }
#endif
    describe_memories(memories);
    for (unsigned i = 0; i < MEMORIES; ++i) {
        Memory& m = memories[i];
        m.words = words_for(m.width);
        for (Lane& lane : m.lane) {
            lane.q.resize(m.words);
            lane.d.resize(m.words);
            garbage(lane.q.data(), m.width);
        }
    }
    reset();
    for (Word runs = take(); runs > 0; --runs)
        if (!run()) break;
    top->final();
#if VM_TRACE
    if (wave) wave->close();
#endif
    return 0;
}
