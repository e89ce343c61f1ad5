// Both ends of channels with VALID and READY, and a memory of AXI4, which pause at random and check the protocol.
#ifndef MODELS_H
#define MODELS_H

#include "json.h"

#include <cstring>
#include <deque>
#include <random>

// A pin of the model, whatever its width.
class Pin {
public:
    template <class T> explicit Pin(T &value) : place(&value), size(sizeof value) {}
    Bytes get() const {
        const auto *bytes = static_cast<const uint8_t *>(place);
        return Bytes(bytes, bytes + size);
    }
    void set(const Bytes &bytes) const { std::memcpy(place, bytes.data(), bytes.size() < size ? bytes.size() : size); }
    bool high() const { return *static_cast<const uint8_t *>(place) & 1; }
    void set(bool value) const { *static_cast<uint8_t *>(place) = value; }

private:
    void *place;
    size_t size;
};

using Pins = std::map<std::string, Pin>;
using Random = std::mt19937_64;
// The values of some signals that go together.
using Beat = std::vector<Bytes>;

inline Bytes word(uint64_t value, size_t size = 8) {
    Bytes bytes(size);
    for (size_t i = 0; i < size && i < 8; ++i) bytes[i] = static_cast<uint8_t>(value >> 8 * i);
    return bytes;
}

inline uint64_t number(const Bytes &bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size() && i < 8; ++i) value |= static_cast<uint64_t>(bytes[i]) << 8 * i;
    return value;
}

// A channel at which something stands. In each cycle it is driven, then seen before the edge of the clock.
class Channel {
public:
    // `names` of signals to pins; those of `signals` that are not among them are left out.
    Channel(const Pins &pins, const Json &names, const std::string &prefix, const std::vector<std::string> &signals,
            Random &random)
        : name(names[prefix + "valid"].text), valid(pins.at(name)), ready(pins.at(names[prefix + "ready"].text)),
          random(random) {
        static const unsigned shares[] = {0, 10, 50, 80};
        pauses = shares[random() % 4];
        for (const std::string &signal : signals) {
            const bool is_there = names.has(prefix + signal);
            fields.push_back(is_there ? &pins.at(names[prefix + signal].text) : nullptr);
        }
    }
    virtual ~Channel() = default;
    virtual void drive() = 0;
    virtual void see() = 0;
    virtual void reset() = 0;

protected:
    bool pause() { return random() % 100 < pauses; }

    std::string name;
    const Pin &valid, &ready;
    std::vector<const Pin *> fields;
    Random &random;
    unsigned pauses;
};

// Gives beats to the block.
class Source : public Channel {
public:
    using Channel::Channel;
    std::deque<Beat> beats;

    void drive() override {
        offers = offers || (!beats.empty() && !pause());
        valid.set(offers);
        for (size_t i = 0; i < fields.size(); ++i) {
            if (!fields[i]) continue;
            Bytes noise = fields[i]->get();
            if (noise.size() > 1) noise[0] = static_cast<uint8_t>(random());
            fields[i]->set(offers ? beats.front()[i] : noise);
        }
    }
    void see() override {
        if (!offers || !ready.high()) return;
        beats.pop_front();
        offers = false;
    }
    void reset() override {
        beats.clear();
        offers = false;
    }

private:
    bool offers = false;
};

// Takes beats of the block; what is offered has to stay.
class Sink : public Channel {
public:
    using Channel::Channel;
    std::deque<Beat> beats;

    void drive() override { ready.set(!pause()); }
    void see() override {
        Beat beat;
        for (const Pin *field : fields) beat.push_back(field ? field->get() : Bytes{1});
        if (waits && (!valid.high() || beat != offered)) fail(name + ": what was offered has changed");
        waits = valid.high() && !ready.high();
        offered = beat;
        if (valid.high() && ready.high()) beats.push_back(beat);
    }
    void reset() override {
        beats.clear();
        waits = false;
    }
    Beat take() {
        Beat beat = beats.front();
        beats.pop_front();
        return beat;
    }

private:
    bool waits = false;
    Beat offered;
};

// Bytes at addresses, and where arrays lie.
struct Memory {
    struct Region {
        uint64_t begin, end;
        bool is_written;
    };
    std::map<uint64_t, uint8_t> bytes;
    std::vector<Region> regions;

    bool meets(uint64_t begin, uint64_t end, bool written) const {
        for (const Region &region : regions)
            if (begin < region.end && region.begin < end && (region.is_written || !written)) return true;
        return false;
    }
};

// What stands at an AXI4 master.
class Ram {
public:
    Ram(const Pins &pins, const Json &master, Memory &memory, Random &random)
        : memory(memory), size(master["data_width"].number() / 8) {
        const Json &names = master["ports"];
        static const std::vector<std::string> address = {"addr", "len", "size", "burst"};
        if (names.has("arvalid")) {
            read_addresses.emplace_back(pins, names, "ar", address, random);
            read_data.emplace_back(pins, names, "r", std::vector<std::string>{"data", "resp", "last"}, random);
        }
        if (names.has("awvalid")) {
            write_addresses.emplace_back(pins, names, "aw", address, random);
            write_data.emplace_back(pins, names, "w", std::vector<std::string>{"data", "strb", "last"}, random);
            answers.emplace_back(pins, names, "b", std::vector<std::string>{"resp"}, random);
        }
    }

    std::vector<Channel *> channels() {
        std::vector<Channel *> all;
        for (auto *sinks : {&read_addresses, &write_addresses, &write_data})
            for (Sink &sink : *sinks) all.push_back(&sink);
        for (auto *sources : {&read_data, &answers})
            for (Source &source : *sources) all.push_back(&source);
        return all;
    }

    void step() {
        while (!read_addresses.empty() && !read_addresses[0].beats.empty()) read(burst(read_addresses[0].take()));
        while (!write_addresses.empty() && !write_addresses[0].beats.empty())
            bursts.push_back(burst(write_addresses[0].take()));
        while (!bursts.empty() && !write_data[0].beats.empty()) write(write_data[0].take());
    }

    void reset() { bursts.clear(); }

private:
    struct Burst {
        uint64_t address, left;
    };

    // Increments of whole beats that do not cross a page.
    Burst burst(const Beat &beat) const {
        const uint64_t begin = number(beat[0]) / size * size, beats = number(beat[1]) + 1;
        if (begin / 4096 != (begin + beats * size - 1) / 4096) fail("a burst crosses 4 KiB");
        if (size != 1u << number(beat[2]) || number(beat[3]) != 1) fail("a burst is no increment of whole beats");
        return {begin, beats};
    }

    void read(const Burst &burst) {
        for (uint64_t i = 0; i < burst.left; ++i) {
            const uint64_t address = burst.address + i * size;
            if (!memory.meets(address, address + size, false)) fail("a read outside of all arrays");
            Bytes data(size);
            for (uint64_t k = 0; k < size; ++k) data[k] = memory.bytes[address + k];
            read_data[0].beats.push_back({data, Bytes{0}, Bytes{i + 1 == burst.left}});
        }
    }

    void write(const Beat &beat) {
        Burst &burst = bursts.front();
        for (uint64_t k = 0; k < size; ++k) {
            if (!(beat[1][k / 8] >> k % 8 & 1)) continue;
            if (!memory.meets(burst.address + k, burst.address + k + 1, true)) fail("a write outside of all arrays");
            memory.bytes[burst.address + k] = beat[0][k];
        }
        burst.address += size;
        burst.left -= 1;
        if ((burst.left == 0) != (number(beat[2]) == 1)) fail("WLAST in the wrong place");
        if (burst.left) return;
        bursts.pop_front();
        answers[0].beats.push_back({Bytes{0}});
    }

    Memory &memory;
    uint64_t size;
    // One of each, or none.
    std::deque<Sink> read_addresses, write_addresses, write_data;
    std::deque<Source> read_data, answers;
    std::deque<Burst> bursts;
};

#endif
