"""Files are complete or not there, and stay what they were."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from calmgam.model.files import new_file, write_text


def test_permissions_stay(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("old")
    path.chmod(0o600)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_links_are_followed(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are of Unix")
def test_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        write_text(pipe, "through")
        assert read.result(timeout=10) == "through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(RuntimeError), new_file(path) as file:
        file.write("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_many_threads_write_one_file(tmp_path):
    path = tmp_path / "model.json"
    texts = [str(k) * 10_000 for k in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_text(path, text), texts))
    assert path.read_text() in texts
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "text")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no open files by name")
def test_a_link_to_an_open_pipe_is_written_to():
    read, write = os.pipe()
    write_text(f"/dev/fd/{write}", "through")
    os.close(write)
    with os.fdopen(read) as file:
        assert file.read() == "through"


def test_an_error_of_the_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match=r"page\.html"), new_file(tmp_path / "page.html"):
        raise OSError(28, "No space left on device")
