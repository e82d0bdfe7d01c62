"""One short program for each peer: the same job as `gate diff`, written as the peer's own documentation shows it.

Every program gets the server's address, scores the answers of two prompts to the cases in its folder and prints how
many were right. None of the peers is a dependency of the project: `make bench-peers` installs them into `.cache/peers`.
"""
