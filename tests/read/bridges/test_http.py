"""The FastAPI example of the docs, served over loopback."""

import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from reading_models import ROW, hand_model

uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("fastapi", reason="fastapi is not installed")

PAGE = Path(__file__).parents[3] / "docs" / "exports.md"


@pytest.fixture
def address(tmp_path, monkeypatch):
    """Serve the example, with a model of ours, on a free port; yield its address."""
    monkeypatch.chdir(tmp_path)
    model = hand_model("logit")
    model.save("model.json")
    section = PAGE.read_text().split("## HTTP")[1]
    example = re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)
    names = {}
    exec(example.replace('calm.model_.save("model.json")', ""), names)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(names["app"], log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/predict"
        server.should_exit = True
        thread.join()


def posted(address, row):
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, json.dumps(row).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)


def test_the_example_answers_as_the_model(address):
    answer, model = posted(address, ROW), hand_model("logit")
    assert answer["score"] == model.score([list(ROW.values())])[0]
    assert answer["probability"] == pytest.approx(model.predict([list(ROW.values())])[0])
    assert len(answer["reasons"]) == 2
    with pytest.raises(urllib.error.HTTPError) as refused:
        posted(address, {"hour": 7})
    assert "missing: ['job', 'flag']" in json.load(refused.value)["detail"]
