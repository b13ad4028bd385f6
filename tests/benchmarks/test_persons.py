import numpy as np
import pandas as pd

from benchmarks import persons


def test_rows_of_a_person_follow_each_other_a_year_apart():
    X = pd.DataFrame(
        {
            "age": [40.5, 41.5, 42.5, 43.5, 7.0, 8.0],
            "ndisease": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0],
            "sex": ["f", "f", "f", "f", "f", "m"],
            "black": [False] * 6,
        }
    )
    assert persons.persons_of(X).tolist() == [1, 1, 1, 2, 3, 4]


def test_means_of_persons_are_drawn_to_the_overall_mean():
    y, person = np.array([6.0, 2.0, 0.0, 0.0, 9.0, 9.0]), np.array([1, 1, 2, 2, 1, 3])
    means = persons.own_means(y, person, np.arange(4), np.array([4, 5]))
    np.testing.assert_allclose(means, [(8 + 2) / 3, 2])
