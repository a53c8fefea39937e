"""Options of the test run. Where `CI` is set, properties are tried on the same examples each time."""

import os
import re
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import chromium

# How fast a busy machine is says nothing of the code.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("any"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "any")

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup the end of the terminal; and with
# them every program that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of the test's own, which is empty."""
    monkeypatch.setenv("STARACT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def one_thread():
    """Threads cost more than the matrices of toys."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def browser():
    """A Chromium; for tests with `chromium.MARKS`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium.CHROMIUM)
        yield opened
        opened.close()


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew; review the difference")


TORCH = re.compile(r"^\s*(import torch|from (transformers|tests\.train_toys|tests\.tokenizer_toys)) ?", re.MULTILINE)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Of the fast tests, those of a file share its fixtures in one process; two processes do not both load torch."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.partition("::")[0]
            if len(config.option.tx) == 2 and TORCH.search(Path(config.rootpath, path).read_text()):
                return "torch"
            return path

    return ByFile(config, log) if "not slow" in config.option.markexpr else None
