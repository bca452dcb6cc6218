"""The picture of the modules matches the imports, arrows avoid boxes, and a wrong layout is refused with a reason."""

import copy
import itertools
import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

import architecture
import picture

SVG = "{http://www.w3.org/2000/svg}"


def shapes(text):
    """A picture's boxes as (left, top, right, bottom), and the straight pieces of its arrows in the same form, in a
    list for each target module."""
    boxes, arrows = [], []
    for group in ElementTree.fromstring(text).findall(f"{SVG}g"):
        for rect in group.findall(f"{SVG}rect[@class='box']"):
            x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            boxes.append((x, y, x + width, y + height))
        pieces = []
        for path in group.findall(f"{SVG}path[@class='band']"):
            points = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ([\d.]+)", path.get("d"))]
            pieces += [(min(a, c), min(b, d), max(a, c), max(b, d)) for (a, b), (c, d) in zip(points, points[1:])]
        arrows += [pieces] if pieces else []
    return boxes, arrows


class PictureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sources = architecture.imports(picture.ROOT)

    def setUp(self):
        self.layout = json.loads(picture.LAYOUT.read_text(encoding="utf-8"))
        self.graph = copy.deepcopy(self.sources)

    def assert_refused(self, words):
        with self.assertRaises(SystemExit) as refusal:
            picture.draw(self.graph, self.layout)
        self.assertIn(words, str(refusal.exception))

    def test_committed_picture_is_what_the_imports_say(self):
        drawn = picture.draw(self.graph, self.layout)
        self.assertTrue(picture.PICTURE.read_text(encoding="utf-8") == drawn, "the picture is out of date: make picture")

    def test_every_module_has_a_box_and_no_arrow_runs_through_one(self):
        boxes, arrows = shapes(picture.draw(self.graph, self.layout))
        self.assertEqual(len(boxes), len(self.layout["modules"]))
        self.assertEqual(len(arrows), len({name for _, name in picture.arrows(self.graph)} & self.layout["modules"].keys()))
        for left, top, right, bottom in sum(arrows, []):
            for box in boxes:
                runs_through = box[0] < right and left < box[2] and box[1] < bottom and top < box[3]
                self.assertFalse(runs_through, f"{(left, top, right, bottom)} runs through {box}")

    def test_arrows_to_different_modules_lie_nowhere_on_each_other(self):
        _, arrows = shapes(picture.draw(self.graph, self.layout))
        for one, other in itertools.combinations(arrows, 2):
            for (a, b, c, d), (e, f, g, h) in itertools.product(one, other):
                self.assertFalse(a == c == e == g and b < h and f < d, f"two lines at {a} from the left")
                self.assertFalse(b == d == f == h and a < g and e < c, f"two lines at {b} from above")

    def test_import_that_follows_from_others_has_no_arrow(self):
        graph = {"A": {"B": [], "C": []}, "B": {"C": []}, "C": {}}
        self.assertEqual(picture.arrows(graph), [("A", "B"), ("B", "C")])

    def test_c_library_is_a_label_of_the_lowest_module_that_calls_it(self):
        owners = [module for module, name in picture.arrows(self.graph) if name == "CZlib"]
        self.assertEqual(owners, ["DaybookOTLP"])
        self.assertGreater(len(self.graph["DaybookOTLP"]["CZlib"]), 0)

    def test_new_module_is_one_line(self):
        place = self.layout["modules"].pop("DaybookAPI")
        self.assert_refused("DaybookAPI has no place: add its line to architecture.json")
        self.layout["modules"]["DaybookAPI"] = place
        self.assertIn(">API</text>", picture.draw(self.graph, self.layout))

    def test_place_without_a_module_is_refused(self):
        del self.graph["DaybookPuree"]
        self.assert_refused("DaybookPuree has a place, but Sources has no such module")

    def test_c_library_without_a_name_is_refused(self):
        self.graph["CBrotli"] = {}
        self.assert_refused("CBrotli has no place")

    def test_import_that_leads_up_is_refused(self):
        self.graph["DaybookBase"]["DaybookStore"] = []
        self.assert_refused("DaybookBase imports DaybookStore, which is not below it")
        del self.graph["DaybookBase"]["DaybookStore"]
        self.graph["DaybookChecklist"]["DaybookDefinitions"] = []
        self.assert_refused("DaybookChecklist imports DaybookDefinitions, which is not below it")

    def test_boxes_on_each_other_and_outside_are_refused(self):
        self.layout["modules"]["DaybookCurl"]["from"] = 3
        self.assert_refused("DaybookCurl and DaybookJournal lie on each other")
        self.layout["modules"]["DaybookCurl"].update({"from": 11, "to": 13})
        self.assert_refused("DaybookCurl is not between 0 and 12")
        self.layout["modules"]["DaybookBase"]["row"] = 8
        self.assert_refused("row 6 is empty")

    def test_text_that_is_wider_than_its_box_is_refused(self):
        layout = copy.deepcopy(self.layout)
        self.layout["modules"]["DaybookOTLP"]["caption"] = "sends records in the OpenTelemetryLogsProtocol"
        self.assert_refused("DaybookOTLP is too narrow for its text")
        self.layout = layout
        self.layout["modules"]["DaybookStore"]["from"] = 5.5
        self.assert_refused("DaybookStore is too narrow for its text")

    def test_unknown_group_and_a_path_of_unknown_modules_are_refused(self):
        self.layout["modules"]["DaybookCurl"]["group"] = "apps"
        self.layout["path"].append("DaybookCloud")
        self.assert_refused("DaybookCurl is in the group apps, which has no colour")
        self.assert_refused("DaybookCloud is on the path of a record, but has no place")

    def test_arrow_without_room_is_refused(self):
        graph = {"A": {"C": []}, "B": {}, "C": {}}
        boxes = {
            name: picture.Box(name, {"row": row, "from": 0, "to": 12}) for row, name in enumerate(graph)}
        with self.assertRaises(SystemExit) as refusal:
            picture.Routes(boxes, picture.arrows(graph), 12)
        self.assertIn("no way for an arrow from A to C", str(refusal.exception))


if __name__ == "__main__":
    unittest.main()
