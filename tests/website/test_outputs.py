"""What examples print: shown where the page shows nothing, compared where it does."""

from website.outputs import differences, refreshed, with_outputs

PAGE = """Before.

```python
print(x)
```

Between.

=== "Tab"

    ```python
    print(y)
    ```

    ```text
    2.5 riders
    ```

After.
"""


def test_printed_text_is_put_below_a_block_that_shows_none():
    assert with_outputs(PAGE, ("1\n2\n", "2.5 riders\n")) == PAGE.replace(
        "print(x)\n```\n", "print(x)\n```\n\n```text\n1\n2\n```\n"
    )
    bare = PAGE.partition("\n    ```text")[0]
    assert with_outputs(bare, ("", "3\n")) == bare.rstrip("\n") + (
        "\n\n    ```text\n    3\n    ```\n"
    )


def test_what_prints_nothing_stays_as_it_is():
    assert with_outputs(PAGE, ("", "")) == PAGE
    assert refreshed(PAGE, ("", "")) == PAGE
    assert differences(PAGE, ("", "")) == []


def test_other_words_or_lines_are_a_difference_other_numbers_are_not():
    assert differences(PAGE, ("1\n", "2.5 riders\n")) == []
    assert differences(PAGE, ("1\n", "-2.4e-5   riders\n")) == []
    assert differences(PAGE, ("1\n", "2.5 rides\n")) == [12]
    assert differences(PAGE, ("1\n", "2.5 riders\n1\n")) == [12]


def test_the_site_has_what_was_printed():
    assert with_outputs(PAGE, ("", "3 rides\n")) == PAGE.replace("2.5 riders", "3 rides")


def test_texts_are_written_anew():
    new = refreshed(PAGE, ("1\n", "3 rides\n\nmore\n"))
    assert new == PAGE.replace("    2.5 riders\n", "    3 rides\n\n    more\n")
    assert differences(new, ("1\n", "3 rides\n\nmore\n")) == []
