"""What lies beside the grader."""


def long_enough(text, least):
    return len(text) >= least
