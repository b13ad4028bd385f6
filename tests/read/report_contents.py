"""What the report page is told of a model, as plain values."""

from calmgam.read.report.contents import page_contents
from calmgam.read.report.filing import filing
from calmgam.read.report.measures import page_measures
from calmgam.read.views import model_view


def plain_contents(model, X=None, y=None, **options):
    defaults = {"sample": None, "title": "title", "filed": filing(model, None)}
    measures = page_measures(model, X, y)
    return page_contents(model, model_view(model), measures=measures, **defaults | options)


def feature_contents(model):
    return {feature["name"]: feature for feature in plain_contents(model)["features"]}
