#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "boosting.hpp"
#include "lanes.hpp"

namespace calmgam::bindings {

namespace {

std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.10g", value);
    return buffer;
}

std::string range(double low, double high) {
    const std::string from = std::isinf(low) ? "(-inf" : "[" + text(low);
    return from + ", " + (std::isinf(high) ? "inf)" : text(high) + "]");
}

CALMGAM_CLONES
std::uint16_t largest(const std::uint16_t* codes, std::size_t n) {
    std::uint16_t most = 0;
    for (std::size_t k = 0; k < n; ++k) most = codes[k] > most ? codes[k] : most;
    return most;
}

CALMGAM_CLONES
std::uint32_t largest(const std::uint32_t* codes, std::size_t n) {
    std::uint32_t most = 0;
    for (std::size_t k = 0; k < n; ++k) most = codes[k] > most ? codes[k] : most;
    return most;
}

// low and high are finite: infinities and NaN are outside.
CALMGAM_CLONES
bool are_inside(const double* values, std::size_t n, double low, double high) {
    std::int64_t outside = 0;
    for (std::size_t k = 0; k < n; ++k)
        outside |= static_cast<std::int64_t>(!((values[k] >= low) & (values[k] <= high)));
    return outside == 0;
}

template <typename Code>
void check_below(const Checks& checks, const std::string& thing, const Code* codes, std::size_t n_rows,
                 std::size_t limit) {
    checks.aligned(thing, codes);
    if (n_rows == 0 || largest(codes, n_rows) < limit) return;
    const Code* first = std::find_if(codes, codes + n_rows, [=](Code code) { return code >= limit; });
    checks.refuse(thing, "must be below " + std::to_string(limit),
                  std::to_string(*first) + " in row " + std::to_string(first - codes));
}

}  // namespace

std::string at(const char* thing, std::size_t index) {
    return thing + ("[" + std::to_string(index) + "]");
}

void Checks::refuse(const std::string& thing, const std::string& rule, const std::string& got) const {
    throw std::invalid_argument(std::string(kernel_) + ": " + thing + " " + rule + "; got " + got);
}

void Checks::count(const std::string& thing, std::size_t value, std::size_t low, std::size_t high) const {
    if (value < low) refuse(thing, "must be at least " + std::to_string(low), std::to_string(value));
    if (value > high) refuse(thing, "must be at most " + std::to_string(high), std::to_string(value));
}

void Checks::integer(const std::string& thing, long long value, long long low) const {
    if (value < low) refuse(thing, "must be at least " + std::to_string(low), std::to_string(value));
}

void Checks::number(const std::string& thing, double value, double low, double high) const {
    if (!(std::isfinite(value) && value >= low && value <= high))
        refuse(thing, "must be a number in " + range(low, high), text(value));
}

void Checks::length(const std::string& thing, std::size_t size, std::size_t expected) const {
    if (size != expected) refuse(thing, "must have length " + std::to_string(expected), std::to_string(size));
}

std::size_t Checks::product(const std::string& thing, std::size_t a, std::size_t b) const {
    const std::size_t most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 64;
    if (a != 0 && b > most / a)
        refuse(thing, "must be at most " + std::to_string(most), std::to_string(a) + " x " + std::to_string(b));
    return a * b;
}

void Checks::below(const std::string& thing, const std::uint16_t* codes, std::size_t n_rows, std::size_t limit) const {
    check_below(*this, thing, codes, n_rows, limit);
}

void Checks::below(const std::string& thing, const std::uint32_t* codes, std::size_t n_rows, std::size_t limit) const {
    check_below(*this, thing, codes, n_rows, limit);
}

void Checks::numbers(const std::string& thing, const double* values, std::size_t n_rows, double low,
                     double high) const {
    constexpr double LARGEST = std::numeric_limits<double>::max();
    const double least = std::max(low, -LARGEST), most = std::min(high, LARGEST);
    aligned(thing, values);
    if (are_inside(values, n_rows, least, most)) return;
    const double* first =
        std::find_if(values, values + n_rows, [=](double value) { return !(value >= least && value <= most); });
    refuse(thing, "must hold numbers in " + range(low, high),
           text(*first) + " in row " + std::to_string(first - values));
}

void check_candidates(const Checks& checks, const std::uint16_t* codes, std::size_t n_features, std::size_t n_rows,
                      const std::vector<std::size_t>& n_conditions, const std::vector<bool>& ordered) {
    checks.length("n_conditions", n_conditions.size(), n_features);
    checks.length("ordered", ordered.size(), n_features);
    for (std::size_t j = 0; j < n_features; ++j) {  // two more codes: none of the conditions, and missing
        checks.count(at("n_conditions", j), n_conditions[j], 0, Checks::MAX_CODES - 2);
        checks.below(at("codes", j), codes + j * n_rows, n_rows, n_conditions[j] + 2);
    }
}

void check_settings(const Checks& checks, const BoostingSettings& settings) {
    checks.number("learning_rate", settings.learning_rate);
    checks.integer("max_rounds", settings.max_rounds, 0);
    checks.integer("patience", settings.patience, 1);
    checks.number("tolerance", settings.tolerance, -INFINITE);
    if (settings.max_leaves != 2 && settings.max_leaves != 3)
        checks.refuse("max_leaves", "must be 2 or 3", std::to_string(settings.max_leaves));
    checks.integer("smoothing_rounds", settings.smoothing_rounds, 0);
    checks.number("min_samples_leaf", settings.min_samples_leaf);
    checks.number("ridge", settings.ridge);
    checks.number("momentum", settings.momentum, 0.0, 1.0);
    checks.number("momentum_rounds", settings.momentum_rounds);
    checks.number("level_smoothing", settings.level_smoothing);
    if (!(settings.max_step > 0.0)) checks.refuse("max_step", "must be above 0", std::to_string(settings.max_step));
    checks.number("least_news", settings.least_news);
}

}  // namespace calmgam::bindings
