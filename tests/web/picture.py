# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a report page, such as that of README.md. usage: picture.py PAGE ADDRESS OUT.png

ADDRESS is what follows the name of the page, "" or "#...". Needs python3-selenium and python3-pil."""

import base64
import io
import os
import sys
import tempfile

from PIL import Image

from page import Page

path, address, out = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    page = Page(folder)
    page.emulate(1200, 1200)
    page.open(os.path.abspath(path), address)
    shot = Image.open(io.BytesIO(base64.b64decode(page.cdp("Page.captureScreenshot", format="png")["data"])))
    page.close()
# 255 colours suffice, and make the file a third as large.
shot.convert("RGB").quantize(255, method=Image.Quantize.MAXCOVERAGE, dither=0).save(out, optimize=True)
