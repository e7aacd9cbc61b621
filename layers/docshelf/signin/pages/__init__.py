"""The pages that a person sees while signing in: consent, hand-off to an app, failure; and the landing page.

Each is one HTML document with its style inside, escapes whatever it is given, and comes with the headers that keep it
from being framed, cached or scripted. All of them work without JavaScript.
"""

from docshelf.signin.pages.consent_page import (
    APPROVE,
    CSRF_FIELD,
    DECISION_FIELD,
    DENY,
    REQUEST_FIELD,
    ConsentView,
    consent,
)
from docshelf.signin.pages.failure_page import FailureView, failure
from docshelf.signin.pages.hand_off_page import HandOffView, hand_off
from docshelf.signin.pages.landing_page import LandingView, landing

__all__ = [
    "APPROVE",
    "CSRF_FIELD",
    "DECISION_FIELD",
    "DENY",
    "REQUEST_FIELD",
    "ConsentView",
    "FailureView",
    "HandOffView",
    "LandingView",
    "consent",
    "failure",
    "hand_off",
    "landing",
]
