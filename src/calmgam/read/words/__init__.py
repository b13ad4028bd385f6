"""How numbers, rules, values and names are written, in every text, picture and page."""
