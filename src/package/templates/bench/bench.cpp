// Has the block run what the reference ran (vectors.json), with what stands around it pausing at random, and compares.
// Arguments: the manifest, the vectors, a seed. Ends with 0, or with 1 and what was wrong.
#include "Vblock.h"
#include "models.h"
#include "ports.h"
#include "verilated.h"

#include <memory>

namespace {

// Cycles that an invocation may take.
constexpr uint64_t PATIENCE = 50'000'000;

class Bench {
public:
    Bench(const Json &manifest, uint64_t seed) : manifest(manifest), random(seed) {
        context.randReset(2);
        context.randSeed(static_cast<int>(seed % 1'000'000 + 1));
        block = std::make_unique<Vblock>(&context);
        pins = ports(*block);
        if (manifest.has("control")) {
            const Json &names = manifest["control"]["ports"];
            for (const char *prefix : {"aw", "ar"}) source(prefix, names, prefix, {"addr"});
            source("w", names, "w", {"data", "strb"});
            sink("b", names, "b", {"resp"});
            sink("r", names, "r", {"data", "resp"});
        }
        for (const Json &master : manifest["masters"].list) {
            rams.emplace_back(pins, master, memory, random);
            for (Channel *channel : rams.back().channels()) channels.push_back(channel);
        }
        for (const Json &arg : arguments()) {
            if (!arg.has("via") || arg["via"].text != "axis") continue;
            const std::vector<std::string> signals = {"data", "keep", "last"};
            const bool is_input = arg["direction"].text == "in";
            const std::string name = "t:" + arg["name"].text;
            if (is_input)
                source(name, arg["ports"], "t", signals);
            else
                sink(name, arg["ports"], "t", signals);
        }
    }

    ~Bench() { block->final(); }

    void reset() {
        pin(manifest["reset"]["port"].text).set(false);
        for (Channel *channel : channels) channel->reset();
        cycle(false);
        cycle(false);
        for (Channel *channel : channels) channel->reset();
        for (Ram &ram : rams) ram.reset();
        pin(manifest["reset"]["port"].text).set(true);
    }

    // One invocation; `cut` ends it by a reset after so many cycles, without a comparison.
    void invoke(const Json &vector, size_t which, const uint64_t *cut) {
        memory = Memory{};
        std::map<std::string, uint64_t> places;
        for (const Json &arg : arguments())
            if (arg.has("name") && vector["before"].has(arg["name"].text))
                places[arg["name"].text] = give(arg, vector["before"][arg["name"].text], places.size() + 1);
        if (cut) {
            if (manifest.has("control")) write(0, 1);
            for (uint64_t i = 0; i < *cut; ++i) cycle();
            return reset();
        }
        if (manifest.has("control")) run();
        size_t scalars = 0;
        for (const Json &arg : arguments()) {
            const std::string name = arg.has("name") ? arg["name"].text : "";
            if (arg["kind"].text != "scalar") {
                const bool is_input = arg.has("direction") && arg["direction"].text == "in";
                if (vector["after"].has(name) && !is_input) compare(arg, vector["after"][name], places[name], which);
            } else if (arg.has("valid")) {
                result(arg, vector["returns"].list.at(scalars++), which);
            }
        }
    }

    uint64_t cycles() const { return now; }

private:
    void source(const std::string &name, const Json &names, const std::string &prefix,
                   const std::vector<std::string> &signals) {
        auto place = sources.emplace(std::piecewise_construct, std::forward_as_tuple(name),
                                     std::forward_as_tuple(pins, names, prefix, signals, random));
        channels.push_back(&place.first->second);
    }
    void sink(const std::string &name, const Json &names, const std::string &prefix,
               const std::vector<std::string> &signals) {
        auto place = sinks.emplace(std::piecewise_construct, std::forward_as_tuple(name),
                                   std::forward_as_tuple(pins, names, prefix, signals, random));
        channels.push_back(&place.first->second);
    }

    std::vector<Json> arguments() const {
        std::vector<Json> all = manifest["args"].list;
        all.insert(all.end(), manifest["returns"].list.begin(), manifest["returns"].list.end());
        return all;
    }

    const Pin &pin(const std::string &name) const { return pins.at(name); }

    void cycle(bool is_seen = true) {
        const Pin &clock = pin(manifest["clock"].text);
        for (Channel *channel : channels) channel->drive();
        clock.set(false);
        block->eval();
        // All see the values before the edge.
        if (is_seen) {
            for (Channel *channel : channels) channel->see();
            for (Ram &ram : rams) ram.step();
        }
        clock.set(true);
        block->eval();
        ++now;
    }

    template <class Done> void wait(const std::string &what, Done done) {
        for (const uint64_t until = now + PATIENCE; !done(); cycle())
            if (now == until) fail("no end of waiting for " + what);
    }

    void write(uint64_t offset, uint64_t value, uint64_t words = 1) {
        for (uint64_t i = 0; i < words; ++i) put(offset + 4 * i, word(value >> 32 * i, 4), 15);
    }
    void put(uint64_t offset, const Bytes &data, uint8_t strobes) {
        Sink &answer = sinks.at("b");
        sources.at("aw").beats.push_back({word(offset)});
        sources.at("w").beats.push_back({data, Bytes{strobes}});
        wait("an answer to a write", [&] { return !answer.beats.empty(); });
        if (number(answer.take()[0])) fail("a write of a register is refused");
    }
    Bytes read(uint64_t offset, size_t size) {
        Bytes bytes;
        Sink &answer = sinks.at("r");
        for (; bytes.size() < size; offset += 4) {
            sources.at("ar").beats.push_back({word(offset)});
            wait("an answer to a read", [&] { return !answer.beats.empty(); });
            const Beat beat = answer.take();
            if (number(beat[1])) fail("a read of a register is refused");
            bytes.insert(bytes.end(), beat[0].begin(), beat[0].end());
        }
        bytes.resize(size);
        return bytes;
    }

    // Puts an argument where the block finds it; the address of an array behind a master.
    uint64_t give(const Json &arg, const Json &values, uint64_t slot) {
        if (arg["kind"].text == "scalar") {
            const Bytes bytes = values.bytes(4 * arg["words"].number());
            for (size_t i = 0; i < bytes.size(); i += 4)
                put(arg["offset"].number() + i, Bytes(bytes.begin() + i, bytes.begin() + i + 4), 15);
            return 0;
        }
        if (arg["via"].text == "axis") {
            if (arg["direction"].text != "in") return 0;
            const size_t size = arg["tdata_width"].number() / 8;
            size_t left = values.list.size();
            // A bit of TKEEP for each byte.
            Bytes keep((size + 7) / 8);
            for (size_t i = 0; i < size; ++i) keep[i / 8] |= static_cast<uint8_t>(1u << i % 8);
            for (const Json &value : values.list)
                sources.at("t:" + arg["name"].text).beats.push_back({value.bytes(size), keep, Bytes{--left == 0}});
            return 0;
        }
        const uint64_t size = arg["element_bytes"].number();
        Bytes all;
        for (const Json &value : values.list) {
            const Bytes bytes = value.bytes(size);
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
        if (arg["via"].text == "local") {
            const uint64_t length = all.size();
            all.resize((length + 3) / 4 * 4);
            for (uint64_t i = 0; i < length; i += 4)
                put(arg["offset"].number() + i, Bytes(all.begin() + i, all.begin() + i + 4), 15);
            return 0;
        }
        const uint64_t address = (slot << 32) + random() % 8192 / size * size;
        for (size_t i = 0; i < all.size(); ++i) memory.bytes[address + i] = all[i];
        const std::string access = arg["access"].text;
        memory.regions.push_back({address, address + all.size(), access != "read" && access != "none"});
        write(arg["offset"].number(), address, 2);
        return address;
    }

    void run() {
        const bool interrupts = random() % 2;
        write(4, interrupts);
        write(8, interrupts);
        write(0, 1);
        if (interrupts) {
            wait("the interrupt", [&] { return pin("interrupt").high(); });
            write(12, 1);
        }
        while (!(number(read(0, 4)) & 2)) {
            if (interrupts) fail("an interrupt without ap_done");
        }
    }

    void compare(const Json &arg, const Json &wanted, uint64_t address, size_t which) {
        const std::string via = arg["via"].text, name = arg["name"].text;
        const uint64_t width = arg["width"].number();
        const uint64_t size = via == "axis" ? arg["tdata_width"].number() / 8 : arg["element_bytes"].number();
        const Bytes local = via == "local" ? read(arg["offset"].number(), wanted.list.size() * size) : Bytes{};
        for (size_t i = 0; i < wanted.list.size(); ++i) {
            Bytes got(size);
            if (via == "axis") {
                Sink &stream = sinks.at("t:" + name);
                wait("element " + std::to_string(i) + " of " + name, [&] { return !stream.beats.empty(); });
                const Beat beat = stream.take();
                got = Bytes(beat[0].begin(), beat[0].begin() + size);
                if (arg["kind"].text == "array" && number(beat[2]) != (i + 1 == wanted.list.size()))
                    fail("TLAST of " + name + " in the wrong place");
                // The kernel has not written it.
                if (number(beat[1]) == 0) continue;
            } else {
                for (uint64_t k = 0; k < size; ++k)
                    got[k] = via == "local" ? local[i * size + k] : memory.bytes[address + i * size + k];
            }
            same(name + "[" + std::to_string(i) + "]", got, wanted.list[i], width, which);
        }
    }

    void result(const Json &arg, const Json &wanted, size_t which) {
        const Bytes got = read(arg["offset"].number(), 4 * arg["words"].number());
        same("the result", got, wanted, arg["width"].number(), which);
        if (!(number(read(arg["valid"].number(), 4)) & 1)) fail("the result is not valid");
    }

    // Null is what is not specified; bits above the width are of no account.
    void same(const std::string &what, Bytes got, const Json &wanted, uint64_t width, size_t which) const {
        if (wanted.is_null()) return;
        for (size_t k = 0; k < got.size(); ++k)
            if (8 * k + 8 > width) got[k] &= static_cast<uint8_t>(8 * k < width ? (1u << width % 8) - 1 : 0);
        if (got != wanted.bytes(got.size())) fail(what + " of invocation " + std::to_string(which) + " is wrong");
    }

    const Json &manifest;
    Random random;
    VerilatedContext context;
    std::unique_ptr<Vblock> block;
    Pins pins;
    Memory memory;
    std::map<std::string, Source> sources;
    std::map<std::string, Sink> sinks;
    std::deque<Ram> rams;
    std::vector<Channel *> channels;
    uint64_t now = 0;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) fail("arguments: the manifest, the vectors, a seed");
    const Json manifest = Json::read(argv[1]), vectors = Json::read(argv[2]);
    const uint64_t seed = std::strtoull(argv[3], nullptr, 10);
    Bench bench(manifest, seed);
    bench.reset();
    Random random(seed);
    for (int i = 0; i < 3 && !vectors.list.empty(); ++i) {
        const uint64_t cut = random() % 200;
        bench.invoke(vectors.list[0], 0, &cut);
    }
    size_t which = 0;
    for (const Json &vector : vectors.list) bench.invoke(vector, which++, nullptr);
    std::printf("%zu invocations in %llu cycles, as the reference\n", which,
                static_cast<unsigned long long>(bench.cycles()));
    return 0;
}
