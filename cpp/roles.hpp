// What a row does in a bag: bits, of which it may have any.
#pragma once

#include <cstdint>

namespace calmgam {

constexpr std::uint8_t TRAINS = 1, VALIDATES = 2;

}  // namespace calmgam
