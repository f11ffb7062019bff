"""Runs the corpora: tables of (fact, reading, texts) or (fact, right texts, wrong texts) in the modules beside it."""

import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if {"fact", "expected", "text"} <= set(metafunc.fixturenames):
        rows = [(fact, expected, text) for fact, expected, texts in metafunc.module.CORPUS for text in texts]
        ids = [f"{type(fact).__name__}-{expected.value}-{number}" for number, (fact, expected, _) in enumerate(rows)]
        metafunc.parametrize(("fact", "expected", "text"), rows, ids=ids)
    for place, kind in enumerate(("right", "wrong"), 1):
        if {"fact", kind} <= set(metafunc.fixturenames):
            answers = [(entry[0], text) for entry in metafunc.module.ANSWERS for text in entry[place]]
            names = [f"{type(fact).__name__}-{number}" for number, (fact, _) in enumerate(answers)]
            metafunc.parametrize(("fact", kind), answers, ids=names)
