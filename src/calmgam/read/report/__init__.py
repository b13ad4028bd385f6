"""One self-contained HTML page about a model; the page's own source lies in `report-page/`."""

from calmgam.read.report.page import report

__all__ = ["report"]
