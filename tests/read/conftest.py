"""The fixture `show`: a report page in a browser."""

import json

import pytest

from calmgam.read.report import report


@pytest.fixture
def show(driver, tmp_path):
    """Open the page of a model; afterwards there must be no error and no request."""

    def open_page(model, **options):
        driver.get(report(model, tmp_path / "page.html", **options).as_uri())
        return driver

    driver.get_log("browser"), driver.get_log("performance")  # what earlier pages left
    yield open_page
    assert driver.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    requests = [m for m in messages if m["method"] == "Network.requestWillBeSent"]
    addresses = {m["params"]["request"]["url"].split(":")[0] for m in requests}
    assert addresses <= {"file", "data"}
