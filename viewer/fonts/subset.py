#!/usr/bin/python3
"""The part of Latin Modern Math that the pages use.

    apt-get install fonts-lmodern python3-fonttools python3-brotli
    python3 viewer/fonts/subset.py /usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf viewer/fonts/dalembert-math.woff2

Letters, digits, the italic letters of mathematics, Greek ones among them, operators, brackets and roots with their larger variants; the table MATH stays.
"""
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

CHARACTERS = (
    [0x20, *range(0x28, 0x3A), *range(0x3C, 0x3F), *range(0x41, 0x5B), 0x5F, *range(0x61, 0x7B)]  # ASCII of formulas and names
    + [0xA8, 0xB7, 0x2D9, 0x2212, 0x221A, 0x2264]  # two dots, times, one dot, minus, root, at most
    + [0x210E, *range(0x1D434, 0x1D468), *range(0x1D6FC, 0x1D71B)]  # italic
)
NAME = "Dalembert Math"  # the licence asks for another name where a font was changed

source, target = sys.argv[1:]
options = subset.Options(flavor="woff2", hinting=False, desubroutinize=True, layout_features=[], name_IDs=[0, 13, 14], drop_tables=["FFTM", "DSIG"])
font = TTFont(source)
maker = subset.Subsetter(options)
maker.populate(unicodes=CHARACTERS)
maker.subset(font)
for number, text in ((1, NAME), (2, "Regular"), (4, NAME), (6, NAME.replace(" ", ""))):
    font["name"].setName(text, number, 3, 1, 0x409)
cff = font["CFF "].cff
cff.fontNames[0] = NAME.replace(" ", "")
cff[0].FullName = cff[0].FamilyName = NAME
font.flavor = "woff2"
font["head"].modified = font["head"].created  # the same bytes every time
font.recalcTimestamp = False
font.save(target)
print(f"{target}: {len(font.getGlyphOrder())} glyphs")
