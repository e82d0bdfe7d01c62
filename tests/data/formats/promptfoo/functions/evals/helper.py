"""What lies beside the prompts."""


def lead():
    return "Write"
