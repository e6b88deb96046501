"""Every text of an SVG picture is on it; of sans-serif letters one is at most 0.6 of its height wide, on average.
picture.py FILE [CONDITION]: Python on texts (a list of (x, y, anchor, size, text)), words (their texts alone), rects (a
list of (x, y, width, height)), width and height of the picture."""
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
tag = lambda element: element.tag.split("}")[1]
number = lambda element, key: float(element.get(key, 0))
texts = [(number(e, "x"), number(e, "y"), e.get("text-anchor"), number(e, "font-size"), e.text or "")
         for e in root.iter() if tag(e) == "text"]
words = [text for _, _, _, _, text in texts]
rects = [tuple(number(e, key) for key in ("x", "y", "width", "height")) for e in root.iter() if tag(e) == "rect" and e.get("x")]


def span(x, anchor, size, text):
    """From where to where it goes."""
    wide = 0.6 * size * len(text)
    return (x, x + wide) if anchor == "start" else (x - wide, x) if anchor == "end" else (x - wide / 2, x + wide / 2)


def inside(x, y, anchor, size, text, box):
    """It lies within the width of that rect, if it lies in it."""
    left, right = span(x, anchor, size, text)
    return not (box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]) or (
        left >= box[0] - 0.5 and right <= box[0] + box[2] + 0.5)


assert texts
for x, y, anchor, size, text in texts:
    left, right = span(x, anchor, size, text)
    assert left >= -0.5 and right <= width + 0.5 and 0 < y <= height, (width, height, x, y, size, text, right)
if len(sys.argv) > 2:
    assert eval("(%s)" % sys.argv[2]), (sys.argv[2], width, height, words)
