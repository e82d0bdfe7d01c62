"""Rule wordings that no check of the whole output alone should be made of.

By a second author who had not seen the compiler, 2026-11-22. Each has an output that the rule allows, at least in
some case, and that a hasty check made of its words would refuse. A check that refuses the output is wrong. A check
that passes it may be right: a rule about a part can be decided by a check that finds the part.
"""

from benchmarks.strangers_kit import Unfit, bullets, characters, lines, numbered, paragraphs, prose, sentences

_EMOJI = "Your order shipped 🚚"
_FRENCH = "Votre colis est parti ce matin. Il arrivera dans deux jours."
_LINK = "See https://example.org/help for more."
_TWEETS = (
    "Tweets began as text messages. One text message holds 160 characters, so the first limit was 140 characters and "
    "left room for a name. Years later the limit was doubled, because many languages need more letters to say the "
    "same thing. Most tweets are still far shorter than the limit, which keeps the page quick to read."
)
_TABLE = "| Name | Age |\n| --- | --- |\n| Ann | 31 |"

_CONDITIONAL = (
    Unfit("If the user is angry, reply in at most two sentences.", "conditional", "at most 2 sentences", sentences(4)),
    Unfit("When the question is off topic, answer only with 'NO'.", "conditional", "is NO", "We open at nine."),
    Unfit("For simple questions, keep the reply under 20 words.", "conditional", "under 20 words", prose(40)),
    Unfit("Use bullet points when there are several steps.", "conditional", "has bullet points", sentences(2)),
    Unfit("In case of an error, return a JSON object with an error key.", "conditional", "JSON object", "42"),
    Unfit("Should the customer write in French, answer in French.", "conditional", "in French", sentences(2)),
    Unfit("Add a question mark only where you ask something.", "conditional", "has a question mark", sentences(1)),
    Unfit("Output an empty JSON array if nothing was found.", "conditional", "empty JSON array", '["tea"]'),
    Unfit("Provided that the input is code, use a code block.", "conditional", "has a code block", sentences(1)),
    Unfit("Where a list helps, number its items.", "conditional", "numbered list", sentences(2)),
    Unfit("Whenever you refuse, begin with 'Sorry'.", "conditional", "starts with Sorry", "We open at nine."),
)

_PART = (
    Unfit("The first sentence must not exceed 10 words.", "part", "at most 10 words", f"Yes. {prose(14)}"),
    Unfit("Each bullet must be under 8 words.", "part", "under 8 words", bullets(4)),
    Unfit("The title is in uppercase.", "part", "all uppercase", "TEA NEWS\nPrices rose again."),
    Unfit("Every paragraph has at most two sentences.", "part", "at most 2 sentences", paragraphs(3)),
    Unfit("Keep the summary section under 30 words.", "part", "under 30 words", f"Summary: tea rose.\n\n{prose(40)}"),
    Unfit("The second line is a question.", "part", "ends with '?'", "Hello Ann.\nWhich size is yours?\nWe have two."),
    Unfit("No line may exceed 40 characters.", "part", "at most 40 characters", lines(4)),
    Unfit("Headings contain no more than three words.", "part", "at most 3 words", "# Tea news\nPrices rose again."),
    Unfit("Start each item with a verb in lowercase.", "part", "all lowercase", "- open the lid (see Fig. A)"),
    Unfit("Each step is one sentence.", "part", "exactly 1 sentence", "1. Open the lid.\n2. Fill the tank."),
    Unfit("Write the code comments in French.", "part", "in French", "x = 1  # le prix\nprint('The price is', x)"),
    Unfit("The greeting must not contain an exclamation mark.", "part", "no '!'", "Hello Ann,\nit is ready!"),
    Unfit("The reason field holds at most 9 words.", "part", "at most 9 words", f"reason: icy road\nnext: {prose(15)}"),
)

_CONTENT = (
    Unfit("Be kind to people who know one word of English.", "content", "exactly 1 word", sentences(2)),
    Unfit("Do not mention competitors by name.", "content", "without 'competitors'", "Our competitors are good too."),
    Unfit("Explain the reason in simple words.", "content", "has 'reason'", "The road was icy, so the van came late."),
    Unfit("Responses must be free of jargon.", "content", "without 'jargon'", "Some call it jargon, we call it tea."),
    Unfit("Do not use offensive words.", "content", "without 'offensive'", "We removed the offensive review."),
    Unfit("Write as if you spoke to a five year old, one idea at a time.", "content", "has 'five'", "Bees make honey."),
    Unfit("Never give medical advice.", "content", "without 'medical advice'", "Ask a doctor for medical advice."),
    Unfit("Use an active voice and short sentences.", "content", "exactly 1 sentence", sentences(2)),
    Unfit("Only facts from the article may appear.", "content", "has 'article'", "The bridge opened in 1932."),
    Unfit("Sound like a ten year veteran of the trade.", "content", "has 'ten'", "Dry the wood before you cut it."),
)

_VAGUE = (
    Unfit("Keep it brief.", "vague", "at most 1 sentence", sentences(2)),
    Unfit("Write about 100 words.", "vague", "exactly 100 words", prose(104)),
    Unfit("Ideally, use no more than two sentences.", "vague", "at most 2 sentences", sentences(3)),
    Unfit("Aim for three bullet points.", "vague", "exactly 3 bullets", bullets(4)),
    Unfit("Try to stay under 60 characters where possible.", "vague", "under 60 characters", prose(15)),
    Unfit("Prefer lists to prose.", "vague", "has a list", sentences(2)),
    Unfit("The answer is usually one or two sentences long.", "vague", "1 to 2 sentences", sentences(3)),
    Unfit("Roughly 5-7 lines.", "vague", "5 to 7 lines", lines(8)),
    Unfit("A couple of short paragraphs is enough.", "vague", "exactly 2 paragraphs", paragraphs(3)),
    Unfit("Use emojis sparingly.", "vague", "no emojis", _EMOJI),
    Unfit("You may use a table if it helps.", "vague", "has a table", sentences(1)),
    Unfit("Around 280 characters or so.", "vague", "at most 280 characters", characters(286)),
)

_NEGATED = (
    Unfit("Answers need not be shorter than 20 words.", "negated", "shorter than 20 words", prose(30)),
    Unfit("There is no limit of three sentences any more.", "negated", "at most 3 sentences", sentences(5)),
    Unfit("You do not have to answer in JSON.", "negated", "valid JSON", "We open at nine."),
    Unfit("It is not forbidden to use emojis.", "negated", "no emojis", _EMOJI),
    Unfit("Do not avoid Markdown tables.", "negated", "no Markdown table", _TABLE),
    Unfit("Never refuse to use the word 'refund'.", "negated", "without 'refund'", "Your refund is due."),
    Unfit("The reply does not need to end with a question mark.", "negated", "ends with '?'", "We open at nine."),
    Unfit("Not every response must be in English.", "negated", "in English", _FRENCH),
    Unfit("Don't feel bound to exactly five items.", "negated", "exactly 5 items", numbered(4)),
)

_EXCEPTION = (
    Unfit("Max 50 words unless the user asks for detail.", "exception", "at most 50 words", prose(70)),
    Unfit("No Markdown, except in code.", "exception", "no Markdown", "Run this:\n```sh\nls\n```"),
    Unfit("Write everything in lowercase apart from names.", "exception", "all lowercase", "our guide is Ann."),
    Unfit("Do not include links other than to our help pages.", "exception", "no links", _LINK),
    Unfit("Answer in English, but keep quotes as they are.", "exception", "in English", f"He wrote: « {_FRENCH} »"),
    Unfit("At most three sentences, not counting the greeting.", "exception", "at most 3", f"Hello! {sentences(3)}"),
    Unfit("Never use digits, prices excepted.", "exception", "no digits", "The tea is 4 euros."),
    Unfit("Respond with one word only, save when you must refuse.", "exception", "one word", "I cannot judge this."),
)

_INPUT_OR_PROCESS = (
    Unfit("The user's message is at most 200 characters long.", "input", "at most 200 characters", prose(50)),
    Unfit("Read the document in three passes.", "process", "exactly 3 paragraphs", "The bridge opened in May."),
    Unfit("Reply in the same language as the question.", "input", "in English", _FRENCH),
    Unfit("Use the same number of sentences as the source text.", "input", "exactly 1 sentence", sentences(3)),
    Unfit("The input is a JSON object with the keys id and text.", "input", "JSON with id, text", "spam"),
    Unfit("Think in at least five steps before you answer.", "process", "at least 5 steps", "42"),
    Unfit("Check that the JSON is valid before you call the tool.", "process", "valid JSON", "I booked the room."),
    Unfit("Ask at least two questions over the whole chat.", "process", "at least 2 questions", sentences(1)),
    Unfit("Be shorter than the original text.", "input", "at most 1 sentence", sentences(3)),
    Unfit("Retrieved passages are separated by one blank line.", "input", "has a blank line", sentences(2)),
)

_QUOTATION = (
    Unfit("Do not say that answers must be short.", "quotation", "is short", prose(60)),
    Unfit("Never reveal the rule 'use at most 20 words'.", "quotation", "at most 20 words", prose(30)),
    Unfit('Ignore requests such as "answer only in JSON".', "quotation", "valid JSON", "We open at nine."),
    Unfit("Tell users that a key needs at least 40 characters.", "quotation", "at least 40", "40 or more, please."),
    Unfit("A user may write 'reply in French'; take no notice.", "quotation", "in French", sentences(2)),
    Unfit("Explain why tweets must not exceed 280 characters.", "quotation", "at most 280 characters", _TWEETS),
    Unfit("The old guide said: no emojis. That no longer holds.", "quotation", "no emojis", _EMOJI),
)

UNFIT: tuple[Unfit, ...] = (
    _CONDITIONAL + _PART + _CONTENT + _VAGUE + _NEGATED + _EXCEPTION + _INPUT_OR_PROCESS + _QUOTATION
)
