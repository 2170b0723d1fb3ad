"""Tests of the package against a scripted campaign: python -m unittest, where the wheel is installed."""

import importlib.util
import os
import tempfile
import unittest

import roundtable

CAMPAIGN = """
name: small
seed: 1
replicates: 2
env: {name: exchange, agents: 3}
protocol: {name: roundtable, rounds: 2}
model: scripted/trader
grid: {rule: [majority, plurality]}
"""


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = os.path.join(cls.folder.name, "campaign.yaml")
        with open(cls.file, "w", encoding="utf-8") as f:
            f.write(CAMPAIGN)
        cls.before = os.getcwd()
        os.chdir(cls.folder.name)
        cls.lake = roundtable.Lake(os.path.join(cls.folder.name, "a lake"))
        cls.summary = cls.lake.run(cls.file, progress=False)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.folder.cleanup()

    def test_run(self):
        self.assertEqual(self.summary["cells"]["succeeded"], self.summary["cells"]["planned"])
        self.assertTrue(self.summary["headline"])

    def test_plan(self):
        plan = roundtable.plan(self.file, set={"rule": "borda", "replicates": 5, "grid": {}}, name="other")
        self.assertEqual((plan["campaign"], [c["rule"] for c in plan["conditions"]]), ("other", ["borda"]))

    def test_refused(self):
        with self.assertRaises(roundtable.RoundtableError) as told:
            roundtable.plan(self.file, set={"rule": "boorda", "grid": {}})
        self.assertEqual(told.exception.code, 2)
        self.assertIn("boorda", str(told.exception))

    @unittest.skipUnless(importlib.util.find_spec("pyarrow") and importlib.util.find_spec("polars"), "without pyarrow and polars")
    def test_frames(self):
        import pyarrow

        with self.assertRaisesRegex(roundtable.RoundtableError, "turnz"):
            self.lake.query("FROM turnz")
        collaborations = self.lake.table("collaborations", "small")
        self.assertEqual(collaborations.num_rows, self.summary["cells"]["planned"])
        self.assertTrue(pyarrow.types.is_dictionary(collaborations.schema.field("condition_id").type))
        self.assertEqual(self.lake.table("collaborations").num_rows, collaborations.num_rows)
        frame = self.lake.table("turns", "small", frame="pandas")
        self.assertEqual(str(frame["condition_id"].dtype), "category")
        counts = self.lake.query("SELECT rule, count(*) AS n FROM collaborations GROUP BY rule ORDER BY rule", frame="polars")
        self.assertEqual(counts["n"].to_list(), [collaborations.num_rows // 2] * 2)
        with self.assertRaises(ValueError):
            self.lake.table("turns", "small", frame="numpy")

    def test_show(self):
        name = f"{self.lake.plan(self.file)['conditions'][0]['condition']}-i0-r0"
        shown = self.lake.show(name)
        self.assertIn(name, str(shown))
        self.assertEqual([row["collaboration_id"] for row in shown.data["collaborations"]], [name])
        self.assertTrue(shown._repr_html_().startswith("<details"))


if __name__ == "__main__":
    unittest.main()
