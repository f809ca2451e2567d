# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by chromedriver through W3C WebDriver, with Python's own library alone."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

OPTIONS = ["--headless=new", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
           # WebGL without a GPU, and nothing that asks for a network
           "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
           "--no-first-run", "--disable-sync", "--disable-component-update", "--proxy-server=127.0.0.1:9"]


def why_no_browser():
    """A sentence if Chromium or its driver is missing; empty if both are here."""
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(program):
            return f"there is no {program}; on Debian, install the package {package}"
    return ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """One window. Use it in a with statement: leaving it ends the browser."""

    def __init__(self, width=1280, height=1000, dark=False):
        self.folder = tempfile.TemporaryDirectory(prefix="tilewright-browser-")
        self.url = f"http://127.0.0.1:{free_port()}"
        environment = dict(os.environ, HOME=self.folder.name, XDG_CONFIG_HOME=self.folder.name)
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=" + self.url.rsplit(":", 1)[1]],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        arguments = OPTIONS + [f"--window-size={width},{height}", f"--user-data-dir={self.folder.name}/profile"]
        arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
        arguments += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
        self.wait_for_driver()
        answer = self.call("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": 60000, "pageLoad": 120000},
            "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}}}, "/session")
        self.session = "/session/" + answer["sessionId"]

    def wait_for_driver(self):
        for _ in range(200):
            try:
                if self.call("GET", "", None, "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("chromedriver did not start within 10 s")

    def call(self, method, path, body=None, base=None):
        request = urllib.request.Request(self.url + (self.session if base is None else base) + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:600]}") from None

    def open(self, file):
        self.call("POST", "/url", {"url": "file://" + os.path.abspath(file)})

    def run(self, script, *arguments):
        """What the body of a function returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=120):
        """Waits until the expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} did not become true within {seconds} s")
            time.sleep(0.02)

    def keys(self, text):
        """Presses keys, one after another, for whatever has the focus."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def point_at(self, selector):
        """Moves the mouse over several places of the first element that matches."""
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        moves = [{"type": "pointerMove", "duration": 5, "origin": found, "x": x, "y": y}
                 for y in (-50, 20) for x in (-150, -40, 60)]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def log(self):
        """What the page's console got since the last call: warnings and errors, without those of the graphics driver."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("WARNING", "SEVERE") and "GL Driver Message" not in entry["message"]]

    def screenshot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("GET", "/screenshot")))

    def picture(self, selector, file):
        """The first element that matches, as a PNG file."""
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        image = self.call("GET", f"/element/{next(iter(found.values()))}/screenshot")
        with open(file, "wb") as out:
            out.write(base64.b64decode(image))

    def chrome(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def set_width(self, width):
        """Of the page in CSS pixels, also less than a window can be; 0: the window's."""
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=900 if width else 0, deviceScaleFactor=1,
                    mobile=False)

    def whole_page(self, stem, most=3000):
        """All of the page as PNG files of at most `most` pixels' height: STEM-1.png and so on."""
        width, height = self.run("const page = document.documentElement; return [page.scrollWidth, page.scrollHeight]")
        for part, y in enumerate(range(0, height, most)):
            clip = {"x": 0, "y": y, "width": width, "height": min(most, height - y), "scale": 1}
            image = self.chrome("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
            with open(f"{stem}-{part + 1}.png", "wb") as out:
                out.write(base64.b64decode(image["data"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait()
        for _ in range(20):  # the browser may still write to its profile
            try:
                self.folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)
