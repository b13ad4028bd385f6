// What every lane-parallel kernel needs: the lane count, run-time dispatch, vectorisable exp and log1p.
#pragma once

#include <cstdint>
#include <cstring>

// The hot loops are compiled twice; the loader picks the AVX2 copy where the machine has it.
// Neither copy contracts a*b+c, so both give the same bits.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CALMGAM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CALMGAM_CLONES [[maybe_unused]]  // by every file that includes it
#endif

// Before a loop whose steps never depend on each other: one vector instruction per operation.
// (Without the pragma compilers unroll so short a loop, and then do not see that it is a vector.)
#if defined(_MSC_VER) && !defined(__clang__)
#define CALMGAM_SIMD
#else
#define CALMGAM_SIMD _Pragma("omp simd")
#endif
#define CALMGAM_FOR_LANES CALMGAM_SIMD for (int lane = 0; lane < calmgam::LANES; ++lane)

namespace calmgam {

constexpr int LANES = 8;  // bags that share a pass: a vector of eight floats

// exp(x) for x <= 0, relative error below 3e-7; branch-free, so that compilers vectorise it. What is no number
// counts as -87: it could not become the integer below.
inline float fast_exp(float x) {
    x = x > -87.0f ? x : -87.0f;
    const float scaled = x * 1.44269504f;
    const std::int32_t whole = static_cast<std::int32_t>(scaled - 0.5f);  // round half away: x <= 0
    const float rest = x - static_cast<float>(whole) * 0.693359375f + static_cast<float>(whole) * 2.12194440e-4f;
    const float square = rest * rest;  // pairs of terms: a shorter chain of dependent operations
    const float high = (1.0f / 24.0f + rest * (1.0f / 120.0f)) + square * (1.0f / 720.0f);
    const float value = (1.0f + rest) + square * ((0.5f + rest * (1.0f / 6.0f)) + square * high);
    const std::int32_t bits = (whole + 127) << 23;
    float power;
    std::memcpy(&power, &bits, sizeof power);
    return value * power;
}

// exp(x) for x in -87 .. 87: e^x, or 1 / e^-x.
inline float fast_exp_any(float x) {
    const float decay = fast_exp(x < 0.0f ? x : -x);
    return x < 0.0f ? decay : 1.0f / decay;
}

// log(1 + x) for x in [0, 1], relative error below 3e-7: atanh series in x / (2 + x).
inline float fast_log1p(float x) {
    const float ratio = x / (2.0f + x), square = ratio * ratio, fourth = square * square;  // ratio <= 1/3
    const float high = (1.0f / 9.0f + square * (1.0f / 11.0f)) + fourth * (1.0f / 13.0f);
    const float middle = (1.0f / 5.0f + square * (1.0f / 7.0f)) + fourth * high;
    return 2.0f * ratio * ((1.0f + square * (1.0f / 3.0f)) + fourth * middle);
}

}  // namespace calmgam
