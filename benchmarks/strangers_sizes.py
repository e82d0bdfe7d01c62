"""Rules about length and counts, worded as people word them in prompts.

By a second author who had not seen the compiler, 2026-11-22.
"""

from benchmarks.strangers_kit import bullets, characters, lines, numbered, paragraphs, prose, same, sentences

_WORDS = (
    *same(
        "length",
        (prose(50), prose(9)),
        (prose(51), prose(80)),
        "The response must not exceed 50 words.",
        "Max 50 words.",
        "Keep your answer to fifty words or fewer.",
        "**Length:** ≤ 50 words",
        "Please keep replies within 50 words, since they are read out loud by the phone system.",
        "Replies longer than 50 words are not allowed.",
    ),
    *same(
        "length",
        (prose(99), prose(20)),
        (prose(100), prose(130)),
        "Keep your answer under 100 words.",
        "Responses are shorter than 100 words",
        "Use fewer than one hundred words in total.",
        "your reply must stay below 100 words!",
    ),
    *same(
        "length",
        (prose(20), prose(33)),
        (prose(19), prose(5)),
        "The output should contain at least 20 words.",
        "Write a minimum of twenty words.",
        "Answers have no fewer than 20 words",
        "Do not answer with less than 20 words.",
    ),
    *same(
        "length",
        (prose(30), prose(60)),
        (prose(29), prose(61)),
        "The response must be between 30 and 60 words long.",
        "Length: 30–60 words.",
        "Write at least 30 but no more than 60 words.",
    ),
    *same(
        "length",
        (prose(10), "Our shop opens at nine and closes at six today."),
        (prose(9), prose(11)),
        "Respond with exactly ten words.",
        "The output consists of exactly 10 words",
        "10 words. No more, no less.",
    ),
    *same(
        "length",
        ("Positive", "Refund"),
        ("Very positive", "It is a refund"),
        "Answer in one word.",
        "The output must be a single word, nothing else.",
        "Reply with ONE word only",
    ),
    *same(
        "length",
        (prose(16), prose(24)),
        (prose(15), prose(4)),
        "Always write more than 15 words.",
        "Responses must exceed 15 words.",
    ),
)

_CHARACTERS = (
    *same(
        "length",
        (characters(280), characters(90)),
        (characters(281), characters(320)),
        "≤ 280 chars",
        "Maximum length is 280 characters, including spaces.",
        "Output is limited to 280 characters",
        "You must never go over 280 characters.",
        "The reply has to fit into 280 characters (it is posted as one message).",
    ),
    *same(
        "length",
        (characters(59), characters(12)),
        (characters(60), characters(75)),
        "Your whole answer stays under 60 characters.",
        "< 60 characters",
        "Less than sixty characters, please.",
    ),
    *same(
        "length",
        (characters(50), characters(160)),
        (characters(49), characters(161)),
        "Between 50 and 160 characters.",
        "The text you return should be 50-160 characters long.",
    ),
    *same(
        "length",
        (characters(40), characters(66)),
        (characters(39), characters(8)),
        "The output must have a minimum length of 40 characters.",
        "Never return fewer than 40 characters",
    ),
)

_SENTENCES = (
    *same(
        "length",
        (sentences(3), "Dr. Lee will call you at 3.30 today. Please keep your phone near."),
        (sentences(4), sentences(6)),
        "Respond in no more than three sentences.",
        "Three sentences max.",
        "Limit your response to 3 sentences",
        "The response SHOULD be at most three sentences long, so that it fits the chat bubble.",
        "Use three sentences or fewer.",
    ),
    *same(
        "length",
        ("Your parcel left at 9.15 this morning.", "Mr. Hall has paid, so the order can ship!"),
        (sentences(2), "Yes! It ships today."),
        "Answer in a single sentence.",
        "The output is exactly one sentence.",
        "One sentence only, please.",
    ),
    *same(
        "length",
        (sentences(2), "Is it late? Please write to us."),
        (sentences(1), sentences(3)),
        "Write precisely two sentences.",
        "Your reply consists of two sentences, no more and no less.",
    ),
    *same(
        "length",
        (sentences(2), sentences(3)),
        (sentences(1), "Version 2.5 is out now."),
        "Responses must contain at least two sentences.",
        "Never answer with fewer than two sentences.",
    ),
    *same(
        "length",
        (sentences(2), sentences(4)),
        (sentences(1), sentences(5)),
        "Reply in 2-4 sentences.",
        "Every response has two to four sentences.",
        "Keep answers between two and four sentences",
    ),
    *same(
        "length",
        (sentences(4), sentences(1)),
        (sentences(5), sentences(7)),
        "Use fewer than 5 sentences.",
        "Answers stay under five sentences.",
    ),
)

_LINES_AND_PARAGRAPHS = (
    *same(
        "length",
        (lines(1), sentences(2)),
        (lines(2), paragraphs(2)),
        "The output must be a single line.",
        "Return everything on one line",
        "No line breaks in the output.",
        "Do not insert newline characters.",
    ),
    *same(
        "length",
        (lines(4), lines(2)),
        (lines(5), lines(6)),
        "At most 4 lines of text.",
        "The output may not be longer than four lines.",
    ),
    *same(
        "length",
        (lines(3), "Old pond\nA frog leaps in\nSound of water"),
        (lines(2), lines(4)),
        "Return exactly three lines.",
        "Write three lines, not more and not fewer.",
    ),
    *same(
        "length",
        (sentences(3), sentences(1)),
        (paragraphs(2), paragraphs(3)),
        "Write a single paragraph.",
        "Reply in one paragraph only, without blank lines.",
        "The output must be exactly one paragraph",
    ),
    *same(
        "length",
        (paragraphs(2), paragraphs(1)),
        (paragraphs(3), paragraphs(4)),
        "No more than two paragraphs.",
        "Responses are limited to 2 paragraphs.",
    ),
    *same(
        "length",
        (paragraphs(3), f"{sentences(2)}\n\n{sentences(3)}\n\n{sentences(1)}"),
        (paragraphs(2), paragraphs(4)),
        "Write exactly three paragraphs, separated by blank lines.",
        "The output contains exactly 3 paragraphs.",
    ),
)

_LIST_COUNTS = (
    *same(
        "count",
        (bullets(3), bullets(3, "*")),
        (bullets(2), bullets(4)),
        "Return exactly three bullet points.",
        "The output has exactly 3 bullets",
        "Give three bullet points, no more, no less.",
    ),
    *same(
        "count",
        (bullets(5), bullets(2)),
        (bullets(6), bullets(8)),
        "Use at most five bullet points.",
        "No more than 5 bullets.",
        "The list in your reply is capped at five bullet points.",
    ),
    *same(
        "count",
        (bullets(3), bullets(5, "*")),
        (bullets(2), bullets(1)),
        "List at least three bullet points.",
        "The output must include three or more bullet points.",
    ),
    *same(
        "count",
        (numbered(3), numbered(5)),
        (numbered(2), numbered(6)),
        "Answer with a numbered list of between 3 and 5 items.",
        "Provide 3 to 5 numbered steps.",
    ),
    *same(
        "count",
        (numbered(5), numbered(5, ")")),
        (numbered(4), numbered(6)),
        "Output a numbered list of exactly five items.",
        "Produce exactly 5 numbered items",
    ),
    *same(
        "count",
        ("cloud, storage, backup, price", "tea, coffee, milk, sugar"),
        ("cloud, storage, backup", "tea, coffee, milk, sugar, water"),
        "Return exactly four keywords separated by commas.",
        "The output is a comma-separated list of 4 keywords.",
    ),
)

_MARK_COUNTS = (
    *same(
        "count",
        ("New store opens today #retail #berlin", "#tea #coffee #milk"),
        ("New store opens today #retail", "New store opens today"),
        "Include at least two hashtags.",
        "Every post must carry two or more hashtags.",
    ),
    *same(
        "count",
        ("#tea #coffee #milk", "We are open #retail"),
        ("#tea #coffee #milk #sugar", "Open #a #b #c #d #e"),
        "No more than 3 hashtags.",
        "Hashtags: three at most",
    ),
    *same(
        "count",
        ("Your order shipped 🚚", "Your order shipped."),
        ("Your order shipped 🚚🎉", "👋 Hi! Your order shipped 🚚 today 🎉"),
        "Use at most one emoji.",
        "Never put more than one emoji in a message.",
    ),
    *same(
        "count",
        ("Which size do you need?", "We have two sizes. Which one is yours?"),
        ("Tell us your size.", "Which size? Which colour?"),
        "The reply contains exactly one question mark.",
        "Use one question mark, and only one.",
    ),
    *same(
        "count",
        ("Welcome back!", "Welcome back."),
        ("Welcome back!!", "Hi! Welcome back!"),
        "At most one exclamation mark per response.",
        "No more than a single exclamation mark may appear in the output.",
    ),
    *same(
        "count",
        ("# News\nWe moved.\n## Dates\nIn May.", "# A\ntext\n# B\ntext\n# C\ntext"),
        ("# News\nWe moved in May.", "News\nWe moved.\nDates\nIn May."),
        "Include at least two Markdown headings.",
        "There must be two or more Markdown headings in the output.",
    ),
    *same(
        "count",
        ("See https://example.org/help for more.", "https://example.org/a and http://example.org/b"),
        ("See our help page.", "Search for example help online."),
        "Provide at least one URL.",
        "Each answer has to contain at least one link (http or https).",
    ),
    *same(
        "count",
        ("Your refund is due. The refund takes two days.", "Refund first, then a second refund."),
        ("Your refund is due.", "Your money is due."),
        'Use the word "refund" at least twice.',
        "The word 'refund' must occur two or more times.",
    ),
    *same(
        "count",
        ("Run this:\n```sh\nls\n```", "```\nprint(1)\n```\nThat is all."),
        ("Run `ls`.", "```sh\nls\n```\nor\n```sh\ndir\n```"),
        "Include exactly one fenced code block.",
        "There is exactly one code block (triple backticks) in the output.",
    ),
)

SIZES = _WORDS + _CHARACTERS + _SENTENCES + _LINES_AND_PARAGRAPHS + _LIST_COUNTS + _MARK_COUNTS
