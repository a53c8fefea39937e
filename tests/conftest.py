"""Options of the test run. Where `CI` is set, properties are tried on the same examples each time."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew; review the difference")
