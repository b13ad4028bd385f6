import numpy as np
import pytest

from calmgam.model.links import LINKS, response, response_slope

SCORE = np.linspace(-30, 30, 41)


@pytest.mark.parametrize("link", [link for link in LINKS if link != "softmax"])
def test_slopes_are_derivatives(link):
    step = 1e-5
    rise = response(link, SCORE + step) - response(link, SCORE - step)
    np.testing.assert_allclose(response_slope(link, SCORE), rise / (2 * step), rtol=1e-6, atol=1e-9)


def test_responses():
    np.testing.assert_array_equal(response("identity", SCORE), SCORE)
    np.testing.assert_allclose(response("logit", SCORE), 1 / (1 + np.exp(-SCORE)))
    np.testing.assert_allclose(response("log", SCORE), np.exp(SCORE))
    assert response("logit", np.array([-800.0, 800.0])).tolist() == [0.0, 1.0]
