"""The link check of the built site finds what is wrong, and only that."""

from website.check import complaints

HOME = '<a href="sub/page.html#here">x</a> <a href="sub/">y</a> <img src="a.png"> <h1 id="top">'


def site(folder, home=HOME):
    (folder / "sub").mkdir()
    (folder / "index.html").write_text(home)
    (folder / "sub" / "index.html").write_text('<a href="../index.html#top">home</a>')
    (folder / "sub" / "page.html").write_text('<p id="here"><a href="#here">me</a>')
    (folder / "a.png").write_text("")
    return folder


def test_a_site_that_holds_together_has_no_complaints(tmp_path):
    assert complaints(site(tmp_path)) == []


def test_dead_links_missing_anchors_and_foreign_scripts_are_found(tmp_path):
    home = (
        '<a href="gone.html">x</a> <a href="sub/page.html#gone">y</a> <img src="gone.png">'
        '<script src="https://cdn.example.org/a.js"></script> <a href="https://example.org">ok</a>'
        '<link rel="stylesheet" href="//example.org/a.css"> <a href="/sub/page.html">ok</a>'
    )
    assert complaints(site(tmp_path, home)) == [
        "index.html: is fetched from elsewhere: https://cdn.example.org/a.js",
        "index.html: is fetched from elsewhere: //example.org/a.css",
        "index.html: leads nowhere: gone.html",
        "index.html: has no such anchor: sub/page.html#gone",
        "index.html: leads nowhere: gone.png",
        "sub/index.html: has no such anchor: ../index.html#top",
    ]


def test_an_empty_folder_is_no_site(tmp_path):
    assert complaints(tmp_path) == [f"{tmp_path}: there are no pages"]
