"""Tables of any size: sums over rows that can be added in any order, and engines that make them."""
