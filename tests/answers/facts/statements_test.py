"""The corpus of sentences: readers read each as its label says, and the published table is theirs."""

from scripts.readers import BEGIN, END, PAGE, rows, table

READINGS = {"stated", "contradicted", "silent", "unclear", "not stated"}


def test_sentences_are_read_as_labelled() -> None:
    wrong = []
    for row in rows():
        reading = row.read() if not row.held_out else None
        expected = reading == row.misread if row.misread else reading is None or row.agrees(reading)
        if reading is not None and not expected:
            wrong.append(f"{row.fact!r} of {row.text!r}: {reading}, not {row.misread or row.reading}")
    assert not wrong, "\n".join(wrong)


def test_the_corpus_is_whole() -> None:
    corpus = list(rows())
    assert len({(row.fact, row.text) for row in corpus}) == len(corpus) > 2800
    assert {row.reading for row in corpus} <= READINGS
    assert 0.2 < sum(row.held_out for row in corpus) / len(corpus) < 0.35
    assert all(not row.agrees(row.misread) for row in corpus if row.misread)


def test_the_published_table_is_up_to_date() -> None:
    """After a change of readers: ``python scripts/readers.py --markdown``."""
    assert PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0].strip() == table()
