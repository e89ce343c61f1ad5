// Reads the manifest and the vectors: JSON whose numbers are integers of any size, kept as digits.
#ifndef JSON_H
#define JSON_H

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string &why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

// Little-endian.
using Bytes = std::vector<uint8_t>;

class Json {
public:
    enum Kind { Null, Word, Text, List, Object } kind = Null;
    std::string text;  // a number, true or false; or a string
    std::vector<Json> list;
    std::map<std::string, Json> members;

    static Json read(const std::string &path) {
        std::ifstream file(path);
        if (!file) fail("cannot read " + path);
        const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const char *at = all.c_str();
        return value(at);
    }

    bool is_null() const { return kind == Null; }
    bool has(const std::string &name) const { return members.count(name) && !members.at(name).is_null(); }
    const Json &operator[](const std::string &name) const {
        if (!members.count(name)) fail("no '" + name + "' in the description");
        return members.at(name);
    }
    uint64_t number() const { return std::strtoull(text.c_str(), nullptr, 10); }

    // A number as so many bytes.
    Bytes bytes(size_t size) const {
        Bytes result(size);
        for (const char digit : text) {
            unsigned carry = static_cast<unsigned>(digit - '0');
            for (uint8_t &byte : result) {
                carry += 10u * byte;
                byte = static_cast<uint8_t>(carry);
                carry >>= 8;
            }
        }
        return result;
    }

private:
    static void skip(const char *&at) {
        while (std::isspace(static_cast<unsigned char>(*at))) ++at;
    }

    static bool next(const char *&at, char wanted) {
        skip(at);
        if (*at != wanted) return false;
        ++at;
        return true;
    }

    static std::string quoted(const char *&at) {
        std::string text;
        if (!next(at, '"')) fail("no string where one is needed");
        for (; *at && *at != '"'; ++at) {
            if (*at == '\\') ++at;
            text += *at;
        }
        if (!next(at, '"')) fail("a string without end");
        return text;
    }

    static Json value(const char *&at) {
        Json json;
        skip(at);
        if (*at == '"') {
            json.kind = Text;
            json.text = quoted(at);
        } else if (next(at, '[')) {
            json.kind = List;
            while (!next(at, ']')) {
                json.list.push_back(value(at));
                next(at, ',');
            }
        } else if (next(at, '{')) {
            json.kind = Object;
            while (!next(at, '}')) {
                const std::string name = quoted(at);
                if (!next(at, ':')) fail("no ':' behind '" + name + "'");
                json.members[name] = value(at);
                next(at, ',');
            }
        } else {
            while (std::isalnum(static_cast<unsigned char>(*at)) || *at == '-') json.text += *at++;
            if (json.text.empty()) fail("no value where one is needed");
            json.kind = json.text == "null" ? Null : Word;
        }
        return json;
    }
};

#endif
