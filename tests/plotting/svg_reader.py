"""Read the elements of an SVG by their ids, such as `history-3-step`."""

from __future__ import annotations

import re
from xml.etree import ElementTree

NAME = "{http://www.w3.org/2000/svg}"


class Svg:
    """A parsed SVG."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.groups = {}
        for group in self.root.iter(f"{NAME}g"):
            if "id" in group.attrib:
                assert group.attrib["id"] not in self.groups, "an id is given once"
                self.groups[group.attrib["id"]] = group

    @property
    def size(self):
        return tuple(float(x) for x in self.root.attrib["viewBox"].split()[2:])

    def ids(self, pattern):
        """Return the ids that match a pattern completely."""
        return [name for name in self.groups if re.fullmatch(pattern, name)]

    def text(self, name):
        """Return the text of a group."""
        return "".join(self.groups[name].itertext()).strip()

    def texts(self, pattern):
        return [self.text(name) for name in self.ids(pattern)]

    def style(self, name, key):
        """Return a style property of the first path of a group, or None."""
        (path,) = self.groups[name].findall(f"{NAME}path")
        found = re.search(rf"(?:^|[ ;]){key}: ([^;]+)", path.attrib["style"])
        return found[1] if found else None

    def width(self, name):
        return float(self.style(name, "stroke-width") or 1)

    def points(self, name):
        """Return the numbers of the first path of a group, in pairs."""
        path = next(self.groups[name].iter(f"{NAME}path"))
        numbers = [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", path.attrib["d"])]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def marker(self, name):
        """Return the position of the first marker of a group."""
        use = next(self.groups[name].iter(f"{NAME}use"))
        return float(use.attrib["x"]), float(use.attrib["y"])

    def text_places(self):
        """Return every text with its left end, baseline and size."""
        for text in self.root.iter(f"{NAME}text"):
            size = float(re.search(r"font-size: ([\d.]+)px", text.attrib["style"])[1])
            bold = "font-weight: 700" in text.attrib["style"]
            anchor = re.search(r"text-anchor: (\w+)", text.attrib["style"])[1]
            place = float(text.attrib["x"]), float(text.attrib["y"])
            yield "".join(text.itertext()), *place, size, bold, anchor
