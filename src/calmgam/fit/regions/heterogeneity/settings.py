"""Settings of growth by heterogeneity, which its stages share."""

from __future__ import annotations

from dataclasses import dataclass

from calmgam.fit.effects.by_name import EFFECTS
from calmgam.fit.regions.growth import Growth
from calmgam.fit.support.parts import tuned
from calmgam.fit.support.settings import check_in, check_integer, check_number

CHOICES = {
    "effect": EFFECTS,
    "effect_scale": ("link", "response"),
    "grid": ("quantile", "uniform"),
    "rank": ("absolute", "relative"),
}


@dataclass(repr=False)
class HeterogeneitySettings(Growth):
    """Settings of growth by heterogeneity; documented where users meet them: `Heterogeneity`."""

    effect: str = "pdp"
    effect_scale: str = "link"
    grid: str = "quantile"
    grid_size: int = 20
    min_drop: float = 0.2
    min_heterogeneity: float = tuned(
        1e-3,
        "set by hand; halved or doubled, the same models if the number of splits is chosen; "
        "without that, doubled makes fewer false splits: see `settings`",
    )
    rank: str = "absolute"

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        for name, choices in CHOICES.items():
            check_in(name, getattr(self, name), choices)
        if self.effect == "shap" and self.effect_scale != "link":
            raise ValueError(
                f'effect_scale must be "link" with effect="shap"; got {self.effect_scale!r}'
            )
        check_integer("grid_size", self.grid_size, low=2)
        check_number("min_drop", self.min_drop, low=0, below=1)
        check_number("min_heterogeneity", self.min_heterogeneity, low=0)
