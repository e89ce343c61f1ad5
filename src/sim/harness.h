// Precompiled: what the model, the generated `ports.h` and the harness need.
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

typedef uint32_t Word;

// One access port of a memory: what the module asked in this cycle, and what it reads.
struct Lane {
    bool ce = false, we = false;
    uint64_t address = 0;
    std::vector<Word> d, q;
};

struct Memory {
    const char* name = "";
    uint64_t depth = 0;
    unsigned width = 0, words = 0, lanes = 0;
    std::vector<Word> data;
    std::vector<bool> is_written;
    std::vector<uint64_t> written;
    Lane lane[2];
};

template <class T>
static inline void put(T& port, const Word* from) {
    if constexpr (sizeof(T) == 8) port = from[0] | (uint64_t(from[1]) << 32);
    else port = T(from[0]);
}
template <std::size_t N>
static inline void put(VlWide<N>& port, const Word* from) {
    for (std::size_t i = 0; i < N; ++i) port[i] = from[i];
}
template <class T>
static inline void get(const T& port, Word* to) {
    to[0] = Word(port);
    if constexpr (sizeof(T) == 8) to[1] = Word(port >> 32);
}
template <std::size_t N>
static inline void get(const VlWide<N>& port, Word* to) {
    for (std::size_t i = 0; i < N; ++i) to[i] = port[i];
}
