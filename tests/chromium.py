"""A real browser for the tests of pages, and all that it complained of."""

import os
import shutil

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
MARKS = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium: apt-get install chromium, or set $CHROMIUM to one"),
]
# Text that would own a page in which it became markup.
EVIL = (
    "</script><script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">"
    "<a href='javascript:document.title=1'>x</a>"
)


def watched(context):
    """A new page, with all that the browser complained of and asked the network for."""
    page = context.new_page()
    page.complaints, page.asked = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    return page
