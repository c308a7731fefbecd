#!/usr/bin/env python3
"""The GitHub Action (action.yml): its step, run here with a runner's variables.

    tests/test_action.py THRESH
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THRESH = os.path.abspath(sys.argv.pop(1))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Action(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="thresh-action-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "bin"))
        os.symlink(THRESH, os.path.join(self.folder, "bin", "thresh"))
        page = read(ROOT, "examples", "pages", "bikes.html")
        self.write("bikes.html", page)
        self.write("gone.html", "<p>We are closed. %0A::error::</p>" * 9)
        subprocess.run([THRESH, "learn", "-q", "-o", "bikes.json", "bikes.html"], cwd=self.folder, check=True)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def action(self, **inputs):
        """The exit code of the step, its outputs, the summary and what it printed."""
        text = read(ROOT, "action.yml")
        step = text[text.index("- name: Verify"):]
        env = dict(re.findall(r"^        ([A-Z_]+): (.+)$", step, re.M))
        run = re.search(r"^      run: '(.*)'$", step, re.M).group(1)
        defaults = dict(re.findall(r"^  ([a-z-]+):\n    description: .*\n    default: '(.*)'$", text, re.M))
        inputs = {**defaults, **{name.replace("_", "-"): value for name, value in inputs.items()}}
        for name, value in env.items():
            asked = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value).group(1)
            env[name] = inputs.get(asked, "")
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            self.write(name, "")
            env[name] = os.path.join(self.folder, name)
        env.update(GITHUB_ACTION_PATH=ROOT, RUNNER_TEMP=self.folder, LC_ALL="C.UTF-8",
                   PATH=os.path.join(self.folder, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", run], cwd=self.folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        outputs = dict(line.split("=", 1) for line in read(env["GITHUB_OUTPUT"]).splitlines())
        return done.returncode, outputs, read(env["GITHUB_STEP_SUMMARY"]), done.stdout

    def test_fine(self):
        code, outputs, summary, said = self.action(wrapper="bikes.json", pages="\n  bikes.html\n\n")
        self.assertEqual((code, outputs["verdict"], said), (0, "fine", "fine: 1 page, 20 records\n"))
        self.assertEqual(json.loads(read(outputs["report"]))["verdict"], "fine")
        self.assertIn("### bikes.json: fine", summary)
        self.assertIn("| ok | price |", summary)

    def test_drift(self):
        name = "a|b <i>\n::error::.json"
        shutil.copy(os.path.join(self.folder, "bikes.json"), os.path.join(self.folder, name))
        code, outputs, summary, said = self.action(wrapper=name, pages="gone.html")
        self.assertEqual((code, outputs["verdict"]), (3, "drift"))
        self.assertIn("| drift | all records |", summary)
        self.assertTrue(summary.startswith("### a\\|b &#60;i&#62; ::error::.json: drift\n"), summary)
        self.assertRegex(said, r"(?m)^::error title=the site has changed::records: ")
        self.assertFalse(re.search(r"(?m)^::error::", said))
        code, outputs, _, said = self.action(wrapper="bikes.json", pages="gone.html", fail_on_drift="false")
        self.assertEqual((code, outputs["verdict"]), (0, "drift"))
        self.assertIn("::warning title=the site has changed::", said)

    def test_options(self):
        self.assertEqual(self.action(wrapper="bikes.json", pages="bikes.html", options="--alpha 2")[0], 2)
        self.assertEqual(self.action(wrapper="bikes.json", pages="bikes.html", options="--alpha '0.001'")[0], 0)

    def test_what_cannot_be_read(self):
        for inputs in ({"wrapper": "no-such.json", "pages": "bikes.html"}, {"wrapper": "bikes.json", "pages": "no-such.html"}):
            code, outputs, summary, said = self.action(**inputs)
            self.assertEqual((code, outputs, summary), (1, {}, ""))
            self.assertRegex(said, "::error title=thresh verify::.*no-such")
        code, _, _, said = self.action(wrapper="bikes.json", pages=" \n")
        self.assertEqual(code, 2)
        self.assertIn("must be given", said)

    def test_the_documented_workflow(self):
        """The workflow of the documentation gives inputs that there are."""
        text = read(ROOT, "action.yml")
        inputs = set(re.findall(r"^  ([a-z-]+):\n    description", text.split("outputs:")[0], re.M))
        workflow = read(ROOT, "docs", "INSTALL.md").split("```yaml")[1].split("```")[0]
        used = re.findall(r"^          ([a-z-]+):", workflow.split("with:")[1].split("- if")[0], re.M)
        self.assertTrue(used and set(used) <= inputs, used)


if __name__ == "__main__":
    unittest.main()
