"""The release of a tag: its checks, checksums, notes, and a wheel that pip installs from the index in an empty environment."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANGELOG = "# Changelog\n\n## 1.2.3\n\nThe new one.\n\n- A change.\n\n## 1.2.2\n\nAn old one.\n"


def write_wheel(folder, version):
    """As small as a wheel can be."""
    info = f"tilewright-{version}.dist-info"
    files = {"tilewright.py": f"version = '{version}'\n",
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tilewright\nVersion: {version}\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"tilewright-{version}-py3-none-any.whl", "w") as wheel:
        for name, text in (files | {f"{info}/RECORD": record}).items():
            wheel.writestr(name, text)


def run(*command, **how):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def describe(self, version):
        changelog = self.folder / "CHANGELOG.md"
        changelog.write_text(CHANGELOG)
        return run(sys.executable, ROOT / "tools/release.py", changelog, version, self.folder)

    def test_the_notes_are_of_the_version_and_must_be_there(self):
        self.assertEqual(self.describe("1.2.3").returncode, 0)
        self.assertEqual((self.folder / "NOTES.md").read_text(), "# tilewright 1.2.3\n\nThe new one.\n\n- A change.\n")
        refused = self.describe("1.2.4")
        self.assertEqual((refused.returncode, refused.stdout), (1, "tilewright release: CHANGELOG.md has no part '## 1.2.4'\n"))

    def test_a_wheel_is_installed_from_the_index_in_an_empty_environment(self):
        write_wheel(self.folder, "1.2.3")
        (self.folder / "tilewright.deb").write_text("a package")
        self.describe("1.2.3")
        checked = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.folder)
        self.assertEqual((checked.returncode, checked.stdout.count(": OK\n")), (0, 2), checked.stdout)
        venv.create(self.folder / "empty", with_pip=True)
        python = self.folder / "empty/bin/python"
        pip = ["-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
        installed = run(python, *pip, "--index-url", f"file://{self.folder}/simple", "tilewright", env={"PATH": "/usr/bin:/bin"})
        self.assertEqual(installed.returncode, 0, installed.stdout)
        self.assertEqual(run(python, "-c", "import tilewright; print(tilewright.version)", cwd="/").stdout, "1.2.3\n")

    def test_another_source_than_the_tag_is_refused(self):
        for folder in "tools", "include/tilewright":
            (self.folder / folder).mkdir(parents=True)
        for file in "tools/package.sh", "include/tilewright/version.hpp":
            (self.folder / file).write_bytes((ROOT / file).read_bytes())
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        for words in ["init", "-q"], ["add", "."], ["commit", "-qm", "all"], ["tag", "v1.0.0-none"]:
            self.assertEqual(run(*git, *words, cwd=self.folder).returncode, 0)
        for tag, why in ("v9.9.9", "check out the tag v9.9.9 without changes"), ("v1.0.0-none", "the tag v1.0.0-none has version "):
            refused = run("bash", "tools/package.sh", "release", tag, cwd=self.folder)
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(why, refused.stdout)


if __name__ == "__main__":
    unittest.main()
