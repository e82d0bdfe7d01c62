"""Rules about the shape of an output: markup, lists, case, how it starts and ends, fixed patterns.

By a second author who had not seen the compiler, 2026-11-22.
"""

from benchmarks.strangers_kit import bullets, numbered, same, sentences

_MARKUP = (
    *same(
        "format",
        (sentences(2), "We open from 9 - 17, and 4 * 2 is 8."),
        ("**Sure**, we open at nine.", "# Opening hours\nWe open at nine."),
        "Do not use Markdown.",
        "Plain text only: no Markdown formatting.",
        "The output must not contain any Markdown",
        "Markdown is forbidden, because the text is read aloud.",
        "NEVER format your answer with markdown!",
    ),
    *same(
        "format",
        ("Run `ls` first.", '{"ok": true}'),
        ("```sh\nls\n```", 'Here:\n```json\n{"ok": true}\n```'),
        "No code fences.",
        "Triple backticks are not allowed in the response.",
        "Do not put the output in a fenced code block",
    ),
    *same(
        "format",
        ("This is important.", "In Python, 2 ** 3 is 8."),
        ("This is **important**.", "**Note:** we are closed."),
        "Do not use bold text.",
        "Markdown bold must not be used anywhere in the output.",
    ),
    *same(
        "format",
        ("| Name | Age |\n| --- | --- |\n| Ann | 31 |", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        ("Name,Age\nAnn,31", "- Name: Ann\n- Age: 31"),
        "Return a Markdown table.",
        "The output must be formatted as a Markdown table.",
    ),
    *same(
        "format",
        ("# Report\nAll is well.", "## Status\n\nGreen."),
        ("All is well.\n# Report", "Report\nAll is well."),
        "The output must begin with a Markdown heading.",
        "Always start with a heading (Markdown `#` syntax).",
    ),
    *same(
        "format",
        ("If 3 < 5 and 7 > 6, then stop.", "We open at nine."),
        ("<p>We open at nine.</p>", "Monday<br>Tuesday"),
        "Do not include HTML tags.",
        "Output must be free of HTML tags",
        "HTML markup is not permitted in the answer.",
    ),
    *same(
        "format",
        ("<answer>42</answer>", "<answer>We open at nine.</answer>"),
        ("42", "<answer>42"),
        "Wrap your whole answer in <answer> tags.",
        "The output must be enclosed in <answer></answer>.",
    ),
    *same(
        "format",
        ("See our help page.", "The array [1, 2] has two items (both numbers)."),
        ("See [our help page](https://example.org).", "[Help](/help) is here."),
        "Do not use Markdown links.",
        "Links in Markdown syntax such as [text](url) are not allowed.",
    ),
)

_LISTS = (
    *same(
        "format",
        (bullets(3), bullets(2, "*")),
        (sentences(2), numbered(3)),
        "Format the answer as a bullet list.",
        "Answer with a bulleted list and nothing else.",
        "Output MUST be a bullet list",
    ),
    *same(
        "format",
        (numbered(3), numbered(2, ")")),
        (bullets(3), sentences(2)),
        "Present the answer as a numbered list.",
        "Use a numbered list for the output.",
        "Responses are always numbered lists.",
    ),
    *same(
        "format",
        (sentences(3), "It is a well-known brand - and a cheap one."),
        (bullets(2), "We sell:\n* tea\n* coffee"),
        "Do not use bullet points.",
        "No bullet points; write prose.",
        "Bulleted lists must be avoided.",
    ),
)

_CASE_AND_QUOTES = (
    *same(
        "format",
        ("our shop opens at 9.", "call us, we are in rome!"),
        ("Our shop opens at 9.", "our shop is in Rome."),
        "Write everything in lowercase.",
        "The output must be all lowercase",
        "No capital letters.",
        "Uppercase letters are not allowed in the reply.",
    ),
    *same(
        "format",
        ("SHOP CLOSED TODAY.", "ROOM 12 IS FREE!"),
        ("Shop closed today.", "ROOM 12 is FREE!"),
        "RESPOND IN ALL CAPS.",
        "All letters in the output must be uppercase.",
    ),
    *same(
        "format",
        ("Fresh bread, every day", 'Taste the "real" bread'),
        ('"Fresh bread, every day"', '"Baked today"'),
        "Do not wrap the output in quotation marks.",
        "Return your answer without surrounding quotes.",
    ),
    *same(
        "format",
        ('"Fresh bread, every day"', '"Baked today"'),
        ("Fresh bread, every day", '"Baked today'),
        "Enclose the output in double quotes.",
        "The output must be surrounded by double quotation marks.",
    ),
)

_ENDS = (
    *same(
        "format",
        ("Summary: sales rose.", "Summary: nothing has changed this week."),
        ("In summary: sales rose.", "Here it is. Summary: sales rose."),
        'Begin your response with "Summary:".',
        "The output must start with 'Summary:'",
        "Every response starts with `Summary:`.",
        "**Always** open with “Summary:” so that the parser finds it.",
    ),
    *same(
        "format",
        ("Shall we call you?", "We can call you. When is best?"),
        ("When is best? Let us know.", "We can call you."),
        "The response must end with a question mark.",
        "Always finish your reply with a question mark",
    ),
    *same(
        "format",
        ("The road is icy. Stay safe!", "Rain is likely.\nStay safe!"),
        ("Stay safe! See you.", "The road is icy. Drive well!"),
        'End every message with "Stay safe!"',
        'Close with the exact text "Stay safe!".',
        "Responses end with 'Stay safe!'",
    ),
    *same(
        "format",
        ("Your order is certainly on its way.", "Yes, we can do that."),
        ("Certainly! Your order is on its way.", "Certainly, we can do that."),
        'Never begin your answer with "Certainly".',
        "Responses must not start with 'Certainly'.",
    ),
    *same(
        "format",
        ("It is on its way.", "Indeed, I can help."),
        ("I can help with that.", "I think so."),
        'Do not start the reply with the word "I".',
        "The first word of the output may not be 'I'.",
    ),
    *same(
        "format",
        ("Fresh bread, every day", "Version 2.0 is here"),
        ("Fresh bread, every day.", "Here. Now."),
        "Do not end with a full stop.",
        "No period at the end of the output",
        "The output must not have a trailing period.",
    ),
)

_PATTERNS = (
    *same(
        "format",
        ("2024-02-29", "2025-11-03"),
        ("03/11/2025", "2025-11-3"),
        "Return only the date, as YYYY-MM-DD.",
        "The output must be a date in the format YYYY-MM-DD and nothing more.",
    ),
    *same(
        "format",
        ("42", "7"),
        ("42 items", "forty"),
        "Output only an integer.",
        "Return a single integer with no other text.",
    ),
    *same(
        "format",
        ("1", "5"),
        ("0", "6"),
        "Answer with a number from 1 to 5.",
        "The output must be an integer between 1 and 5, inclusive.",
        "Reply only with a rating (1-5)",
    ),
    *same(
        "format",
        ("total_price", "user_id"),
        ("totalPrice", "total-price"),
        "The output must be one identifier in snake_case.",
        "Return the name only, in snake_case.",
    ),
    *same(
        "format",
        ("#1A2B3C", "#ffcc00"),
        ("1A2B3C", "#GG0000"),
        "Return a six-digit hex colour code such as #1A2B3C, nothing else.",
    ),
)

SHAPES = _MARKUP + _LISTS + _CASE_AND_QUOTES + _ENDS + _PATTERNS
