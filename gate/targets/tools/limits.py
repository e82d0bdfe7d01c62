"""How much a server may say, and how long it may take; it is a stranger's, as what it says is."""

START_S = 30.0
"""Seconds from the start of a server to the list of its tools."""

CLOSING_S = 15.0
"""Seconds for a server to end."""

MESSAGE_BYTES = 16 * 1024 * 1024
"""One message of a server."""

PAGES = 50
"""Parts of a list of tools."""
