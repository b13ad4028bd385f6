"""The exact algebra: what "all inputs" means, and the range of a change over them."""
