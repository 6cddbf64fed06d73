"""The domain: entities today; episodes, segments and the summary tree build on the same notes."""
