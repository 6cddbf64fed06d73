"""Turns what comes from outside into notes: documents, chats, mails.

`item` is the canonical form, the modules of formats make it, `shelf` writes it. Knows nothing of the index.
"""
