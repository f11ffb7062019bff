"""Runs the corpora: tables of (fact, reading, texts) in the modules of this directory."""

import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if {"fact", "expected", "text"} <= set(metafunc.fixturenames):
        rows = [(fact, expected, text) for fact, expected, texts in metafunc.module.CORPUS for text in texts]
        ids = [f"{type(fact).__name__}-{expected.value}-{number}" for number, (fact, expected, _) in enumerate(rows)]
        metafunc.parametrize(("fact", "expected", "text"), rows, ids=ids)
