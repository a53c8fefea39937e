"""Options of the test run. Where `CI` is set, properties are tried on the same examples each time."""

import os
import signal

from hypothesis import HealthCheck, settings

# How fast a busy machine is says nothing of the code.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("any"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "any")

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup the end of the terminal; and with
# them every program that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew; review the difference")
