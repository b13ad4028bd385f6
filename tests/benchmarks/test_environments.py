import subprocess

import pytest

from benchmarks import environments


@pytest.fixture
def commands(tmp_path, monkeypatch):
    ran = []

    def record(command, **_):
        if "venv" in command:
            command[-1].mkdir()
        ran.append([str(part) for part in command])

    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(subprocess, "run", record)
    return ran


def test_an_environment_is_made_once_and_bare_packages_come_without_requirements(commands):
    python = environments.python_for(("torch==2.13.0",), ("nodegam==0.3.0",))
    _, install, bare = commands
    assert install[-1] == "torch==2.13.0"
    assert "nodegam==0.3.0" not in install
    assert bare[-2:] == ["--no-deps", "nodegam==0.3.0"]
    assert environments.python_for(("torch==2.13.0",), ("nodegam==0.3.0",)) == python
    assert len(commands) == 3


def test_another_list_is_another_environment(commands):
    with_bare = environments.python_for(("torch==2.13.0",), ("nodegam==0.3.0",))
    assert environments.python_for(("torch==2.13.0",)) != with_bare
    assert len(commands) == 5
