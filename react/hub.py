"""Puts a folder on the Hugging Face Hub: a student, or a data set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from react.mistakes import Mistake

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def want_repository(name: str) -> None:
    """Mistake where `--push` names none."""
    if not _REPOSITORY.fullmatch(name):
        raise Mistake(f"push is {name!r}; it must be USER/NAME")


def push(
    folder: Path,
    repository: str,
    kind: Literal["model", "dataset"],
    *,
    public: bool,
    replaced: Sequence[str],
    message: str,
) -> str:
    """Puts the folder there in one commit, in place of the files `replaced` (patterns) of an earlier one; its address.

    Mistake where the hub refuses, or where what was meant to be private would be seen by all.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import LocalTokenNotFoundError

    from react.environments._hub import connection_errors

    hub = HfApi()
    refused: tuple[type[Exception], ...] = (OSError, *connection_errors())
    try:
        hub.create_repo(repository, repo_type=kind, private=not public, exist_ok=True)
        if not public and not hub.repo_info(repository, repo_type=kind).private:
            raise Mistake(f"{repository} is there already, and public; say so by --public, or give another name")
        hub.upload_folder(
            repo_id=repository,
            repo_type=kind,
            folder_path=folder,
            delete_patterns=list(replaced),
            commit_message=message,
        )
    except LocalTokenNotFoundError:
        raise Mistake("no login for the hub: `hf auth login`, or set HF_TOKEN") from None
    except refused as error:
        said = " ".join(str(error).split())
        raise Mistake(
            f"{repository}: the hub refuses: {said[:500]} (logged in? `hf auth login`, or HF_TOKEN)"
        ) from None
    return f"{hub.endpoint}/{'datasets/' if kind == 'dataset' else ''}{repository}"
