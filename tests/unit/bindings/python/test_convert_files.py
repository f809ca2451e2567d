"""`python3 -m tilewright.convert` replaces files as the program does."""

import json
import os

from test_convert import Home


class Written(Home):
    """How a manifest replaces what is there: as the program's files do."""

    def written(self, output):
        (self.home / "add.json").write_text(json.dumps(self.json))
        status, _, err = self.convert(self.home / "add.json", "-o", output)
        self.assertEqual(status, 0, err)

    def test_mode_and_link_stay(self):
        private, link = self.home / "private.toml", self.home / "link.toml"
        private.write_text("old")
        private.chmod(0o640)
        link.symlink_to("private.toml")
        self.written(link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(private.stat().st_mode & 0o777, 0o640)
        self.assertIn("schema = 1", private.read_text())

    def test_a_new_file_has_the_usual_mode_and_a_link_may_lead_to_it(self):
        link = self.home / "link.toml"
        link.symlink_to("new.toml")
        usual = os.umask(0o027)
        try:
            self.written(link)
        finally:
            os.umask(usual)
        self.assertEqual((self.home / "new.toml").stat().st_mode & 0o777, 0o640)

    def test_its_temporary_name_cannot_be_guessed(self):
        precious = self.home / "precious"
        precious.write_text("precious")
        planted = self.home / f"add.toml.{os.getpid()}.tmp"
        planted.symlink_to(precious)
        before = set(self.home.iterdir())
        self.written(self.home / "add.toml")
        self.assertEqual(precious.read_text(), "precious")
        self.assertTrue(planted.is_symlink())
        new = {file.name for file in set(self.home.iterdir()) - before}
        self.assertEqual(new, {"add.json", "add.toml"})

    def test_a_pipe_is_written_directly(self):
        pipe = self.home / "pipe.toml"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.written(pipe)
        self.assertIn(b"schema = 1", os.read(reader, 1 << 16))
        self.assertTrue(pipe.is_fifo())
