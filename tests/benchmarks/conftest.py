"""Put the repository's root on the path: `benchmarks` is not an installed package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
