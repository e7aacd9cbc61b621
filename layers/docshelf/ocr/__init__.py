"""Recognising the text of scans and pictures (OCR) in the cloud: what may be sent, is paid for, comes back."""
