# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium with a report page, and what the tests ask it."""

import os
import shutil
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


class Page:
    def __init__(self, downloads):
        """Start the browser. Files that a page saves go to the folder `downloads`."""
        options = Options()
        options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", "--window-size=1280,900", "--no-first-run",
                         "--user-data-dir=" + os.path.join(downloads, "profile")):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.downloads = downloads
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(300)
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def close(self):
        self.driver.quit()

    def emulate(self, width=1280, height=900, **features):
        """Set the size of the window and media features, such as prefers_color_scheme="dark"."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        names = (("prefers-color-scheme", "light"), ("prefers-reduced-motion", "reduce"))
        self.cdp("Emulation.setEmulatedMedia", media="", features=[
            {"name": name, "value": features.get(name.replace("-", "_"), default)} for name, default in names])

    def open(self, path, address=""):
        """Load a page, even if only its address (#...) differs, and wait until every chart is drawn."""
        self.driver.get("about:blank")
        self.console()
        self.driver.get("file://" + path + address)
        self.settle()

    def settle(self):
        """Wait until the page has drawn what a change made stale."""
        # The page hears of a change, such as another width, with the next frame.
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        self.wait("document.documentElement.dataset.ready === 'tables' || document.documentElement.dataset.drawn === 'all'")

    def wait(self, condition):
        """Wait until a condition in JavaScript holds."""
        for _ in range(2400):
            if self.js("return " + condition):
                return
            time.sleep(0.05)
        raise AssertionError("after two minutes, not so: " + condition)

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def click(self, selector):
        self.js("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def press(self, selector):
        """Click with the pointer, which counts as an action of the reader: a browser limits what scripts save."""
        self.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.settle()
        x, y, hit = self.js("""const n = document.querySelector(arguments[0]), box = n.getBoundingClientRect();
            const at = [box.x + box.width / 2, box.y + box.height / 2];
            return [...at, n.contains(document.elementFromPoint(...at))]""", selector)
        assert hit, "something lies on " + selector
        self.drag(x, y, x, y)

    def choose(self, selector, value):
        """Choose an option of a <select> as a reader does: the value changes and an event follows."""
        self.js("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                "s.dispatchEvent(new Event('change', {bubbles: true}))", selector, value)
        self.settle()

    def key(self, *names):
        for name in names:
            code = {"Enter": 13, " ": 32, "Tab": 9, "Escape": 27}.get(name, 0)
            text = {"Enter": "\r", " ": " "}.get(name)
            event = {"key": name, "windowsVirtualKeyCode": code}
            self.cdp("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
            self.cdp("Input.dispatchKeyEvent", type="keyUp", **event)
        self.settle()

    def drag(self, x0, y0, x1, y1):
        """Press at a point of the window, move to another and release."""
        button = {"button": "left", "clickCount": 1}
        self.cdp("Input.dispatchMouseEvent", type="mousePressed", x=x0, y=y0, **button)
        self.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=(x0 + x1) / 2, y=(y0 + y1) / 2, button="left", buttons=1)
        self.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x1, y=y1, button="left", buttons=1)
        self.cdp("Input.dispatchMouseEvent", type="mouseReleased", x=x1, y=y1, **button)
        self.settle()

    def move(self, x, y):
        self.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def console(self):
        """Messages of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def saved(self, name):
        """The bytes of a file that the page saves."""
        path = os.path.join(self.downloads, name)
        for _ in range(2400):
            if os.path.exists(path) and os.path.getsize(path):
                with open(path, "rb") as file:
                    data = file.read()
                os.remove(path)
                return data
            time.sleep(0.05)
        raise AssertionError("the page has not saved " + name)
