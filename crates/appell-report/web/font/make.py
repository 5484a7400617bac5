"""Makes mathematics.woff2: the letters and signs of Appell's formulas from STIX Math.

    pip install fonttools==4.68.0 brotli
    apt-get download fonts-stix && dpkg -x fonts-stix_*.deb stix
    python make.py stix/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf

STIX Fonts 1.1.1 are under the SIL Open Font License 1.1, which lets subsets be passed on under another
name: here `Appell Math`. The copyright stays in the file.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

NAME = "Appell Math"
RANGES = [
    (0x20, 0x7E),  # ASCII
    (0x391, 0x3A9),  # Greek capitals
    (0x3B1, 0x3C9),  # Greek letters
    (0x1D434, 0x1D467),  # italic letters, as browsers set <mi> of one letter
    (0x1D6E2, 0x1D71B),  # italic Greek
]
SIGNS = (
    "\u00a0\u00a8\u00b1\u00b7\u00d7\u02d9\u0302\u0303\u03d1\u03d5\u03f5\u2026\u2032\u2033\u203e\u210e\u2192"
    "\u2202\u2207\u2208\u2211\u2212\u221a\u221e\u2260\u2264\u2265\u22a4\u22c5"
)
COPYRIGHT = 0
KEPT = {COPYRIGHT, 13, 14}  # the licence and its address


def named(font: TTFont) -> None:
    """Another name, as the licence asks."""
    table = font["name"]
    table.names = [record for record in table.names if record.nameID in KEPT]
    for number, text in {1: NAME, 2: "Regular", 4: NAME, 6: NAME.replace(" ", "")}.items():
        table.setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames = [NAME.replace(" ", "")]
        top = cff.topDictIndex[0]
        for key in ("FullName", "FamilyName"):
            setattr(top, key, NAME)


def main(source: str) -> None:
    options = Options()
    options.flavor, options.hinting, options.desubroutinize = "woff2", False, True
    options.layout_features, options.name_IDs = ["ssty"], ["*"]
    options.drop_tables += ["FFTM", "DSIG"]
    font = TTFont(source, recalcTimestamp=False)
    subsetter = Subsetter(options)
    letters = [c for low, high in RANGES for c in range(low, high + 1)] + [ord(c) for c in SIGNS]
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    named(font)
    font.flavor = "woff2"
    font.save(Path(__file__).with_name("mathematics.woff2"))


if __name__ == "__main__":
    main(sys.argv[1])
