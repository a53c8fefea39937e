"""Options of the test run. Where `CI` is set, properties are tried on the same examples each time."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

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


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew; review the difference")
