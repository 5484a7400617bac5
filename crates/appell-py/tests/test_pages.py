"""Pages of motions in notebooks and files, and results as tables."""

from __future__ import annotations

import copy
import html
import pickle
import re
from pathlib import Path

import pytest

import appell as ap


@pytest.fixture(scope="module")
def motion() -> ap.Motion:
    return ap.Model.gallery("skate").run(until=0.75)


def test_a_notebook_shows_the_player_of_this_motion(motion: ap.Motion) -> None:
    shown = motion.show()._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*></iframe>', shown)
    assert frame is not None
    page = html.unescape(frame[1])
    assert page.startswith("<!DOCTYPE html>") and '<html lang="en" data-embed="motion">' in page
    assert "t = 0.75" in page and "default-src 'none'" in page
    assert "data-embed=" not in html.unescape(motion.show(None)._repr_html_()).split("<body", 1)[0]


def test_the_page_is_a_file(motion: ap.Motion, tmp_path: Path) -> None:
    page = motion.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    again = ap.Model.gallery("skate").report(tmp_path / "again.html", until=0.75)
    assert again.html == page.html
    assert "MB" in repr(page)


def test_a_motion_from_a_pickle_has_its_page(motion: ap.Motion) -> None:
    again = pickle.loads(pickle.dumps(motion))
    assert again.show().html == motion.show().html
    assert copy.copy(motion).show().html == motion.show().html


def test_results_are_tables() -> None:
    model = ap.Model.gallery("skate")
    for result in (model.check(), model.prove(), model.conserved()):
        text = result._repr_html_()
        assert text.count("<table>") == text.count("</table>") >= 1
    assert "\u2713 proved" in model.prove()._repr_html_()
    spring = ap.Model(coordinates="x", kinetic="x'^2/2", potential="x^2/2", initial=["x = 0", "x' = 0"])
    assert "eigenvalues" in spring.linearize()._repr_html_()


def test_names_of_a_model_are_no_markup() -> None:
    model = ap.Model(coordinates="x", parameters={"m": 1}, kinetic="m*x'^2/2", title="<b>x</b>")
    record = model.check()
    object.__setattr__(record, "_data", {"<i>": "<script>", "list": [{"a": "<u>"}]})
    text = record._repr_html_()
    assert "<script>" not in text and "<i>" not in text and "<u>" not in text


def test_a_page_has_its_parts(motion: ap.Motion) -> None:
    assert 'data-embed="plots"' in html.unescape(motion.show("plots")._repr_html_())
    with pytest.raises(ValueError, match="no part 'foo'; it has motion, plots, equations"):
        motion.show("foo")
    for height in (-5, 0, 2.5, True):
        with pytest.raises(ValueError, match="a number of pixels"):
            motion.show(height=height)  # type: ignore[arg-type]
    # A model without a picture has no motion to show, and its page is shown whole.
    plain = ap.Model(coordinates="x", kinetic="x'^2/2", initial=["x = 0"]).run(0.5)
    assert "<iframe" in plain.show()._repr_html_()
