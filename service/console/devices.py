"""The common names of the browser and the device that sent a request."""

import re

_BROWSERS = (
    ("Edge", r"\bEdgA?/|\bEdgiOS/"),
    ("Opera", r"\bOPR/|\bOPX/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Firefox", r"\bFirefox/|\bFxiOS/"),
    ("Chrome", r"\bChrome/|\bCriOS/|\bHeadlessChrome/"),
    ("Safari", r"\bVersion/[\d.]+ .*\bSafari/"),
)
"""The first that fits: most browsers also name those that they resemble."""

_DEVICES = (
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows NT\b"),
    ("Mac", r"\bMacintosh\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("Linux", r"\bLinux\b"),
)


def device_of(agent: str) -> str:
    """
    Return the browser and the device that a header ``User-Agent`` names, or nothing.

    >>> device_of("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0")
    'Firefox, Android'
    >>> device_of("curl/8.1")
    ''
    """
    found = (
        next((name for name, pattern in known if re.search(pattern, agent)), "")
        for known in (_BROWSERS, _DEVICES)
    )
    return ", ".join(each for each in found if each)
