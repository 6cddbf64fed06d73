"""What changed in the vault since somebody last looked: snapshots of notes in a git repository of our own.

Owns the repository in the state folder: snapshots, read marks and checkpoints. They are the one thing that cannot be
made anew from the notes; losing them costs only them. Never looks for, opens or changes a repository of the user's.
"""
