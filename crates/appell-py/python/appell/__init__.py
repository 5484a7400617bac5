"""Appell: mechanics with constraints on velocities.

From a short model to its equations of motion in several classical forms, proofs about them, its motion,
and the constraint forces as vectors.

>>> import appell as ap
>>> model = ap.Model.gallery("perpendicular")
>>> motion = model.run(until=1)
>>> motion.success
True
"""

from ._appell import __version__, explanation
from ._appell import forms as _forms
from ._appell import gallery_entries as _gallery_entries
from ._appell import methods as _methods
from ._derivation import Derivation
from ._derivatives import Derivatives
from ._ensemble import Ensemble
from ._errors import Diagnostic, ModelError, ModelWarning, NumericalError, Place, SympyRemark, Unavailable
from ._model import Model
from ._motion import Motion
from ._page import Page
from ._records import Record
from ._right_side import RightSide
from ._stepper import Stepper
from ._sweep import Chart, Study, sweep

__all__ = [
    "Chart",
    "Derivation",
    "Derivatives",
    "Diagnostic",
    "Ensemble",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motion",
    "NumericalError",
    "Page",
    "Place",
    "Record",
    "RightSide",
    "Stepper",
    "Study",
    "SympyRemark",
    "Unavailable",
    "__version__",
    "explain",
    "forms",
    "gallery",
    "methods",
    "sweep",
]


def gallery() -> dict[str, str]:
    """The models of the gallery: names and titles. `Model.gallery` makes one."""
    return {name: title for name, title, _ in _gallery_entries()}


def forms() -> dict[str, str]:
    """The forms of the equations of motion: ids and titles."""
    return dict(_forms())


def methods() -> dict[str, str]:
    """The methods of integration: ids and titles."""
    return dict(_methods())


def explain(code: str) -> str:
    """What the code of an error or a warning means, with a wrong and a corrected model.

    Raises
    ------
    KeyError
        There is no such code.
    """
    text = explanation(code)
    if text is None:
        raise KeyError(f"there is no code `{code}`")
    return text
