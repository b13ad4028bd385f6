// What must hold before a kernel runs: kernels index by codes without looking, so every value that leads to a
// place in memory is looked at here, once. Messages say the thing, the rule and the value:
//     boosting: cells[3] must be below 512; got 600 in row 17
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace calmgam {

struct BoostingSettings;

namespace bindings {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

class Checks {
   public:
    // Codes and cells are of 16 bits: there cannot be more of them.
    static constexpr std::size_t MAX_CODES = std::size_t{1} << 16;
    // Rows are counted in 32 bits.
    static constexpr std::size_t MAX_ROWS = std::numeric_limits<std::uint32_t>::max();

    explicit Checks(const char* kernel) : kernel_(kernel) {}

    [[noreturn]] void refuse(const std::string& thing, const std::string& rule, const std::string& got) const;

    // ---- one number
    void count(const std::string& thing, std::size_t value, std::size_t low, std::size_t high) const;
    void integer(const std::string& thing, long long value, long long low) const;
    void number(const std::string& thing, double value, double low = 0.0, double high = INFINITE) const;
    void length(const std::string& thing, std::size_t size, std::size_t expected) const;
    // a * b, which must not overflow once it is counted in bytes
    std::size_t product(const std::string& thing, std::size_t a, std::size_t b) const;

    // ---- arrays
    template <typename Value>
    void aligned(const std::string& thing, const Value* data) const {
        const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(data) % alignof(Value);
        if (beyond) refuse(thing, "must begin at a multiple of its item size", std::to_string(beyond) + " bytes more");
    }

    // `out` is written while the other is read: neither may lie over the other.
    template <typename Written, typename Read>
    void apart(const std::string& out, const Written& written, const std::string& thing, const Read& read) const {
        const auto begin = reinterpret_cast<std::uintptr_t>(written.data());
        const auto other = reinterpret_cast<std::uintptr_t>(read.data());
        if (read.nbytes() && begin < other + read.nbytes() && other < begin + written.nbytes())
            refuse(out, "must not share memory with " + thing, "an overlap");
    }

    // ---- one number per row
    void below(const std::string& thing, const std::uint16_t* codes, std::size_t n_rows, std::size_t limit) const;
    void below(const std::string& thing, const std::uint32_t* codes, std::size_t n_rows, std::size_t limit) const;
    void numbers(const std::string& thing, const double* values, std::size_t n_rows, double low = -INFINITE,
                 double high = INFINITE) const;

   private:
    const char* kernel_;
};

// "cells[3]"
std::string at(const char* thing, std::size_t index);

// The candidate codes of all features, (n_features, n_rows), against the number of their conditions.
void check_candidates(const Checks& checks, const std::uint16_t* codes, std::size_t n_features, std::size_t n_rows,
                      const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered);

// Settings of boosting, from rows or from sums.
void check_settings(const Checks& checks, const BoostingSettings& settings);

}  // namespace bindings

}  // namespace calmgam
