"""How large an input may be; everything is hostile until it is parsed."""

FILE_BYTES = 64 * 1024 * 1024
"""Any file that is read from a source."""

CONFIG_CHARS = 256 * 1024
"""`gate.yaml`."""

PROMPT_CHARS = 1024 * 1024
"""One prompt file, the parts that it pulls in counted with it, each as often as it is used."""

TEMPLATE_TAGS = 5_000
"""Tags of one template, those of its parts counted as often as the parts are used: each takes time to compile."""

TEMPLATE_TOKENS = 20_000
"""Words and signs inside those tags: one tag may hold a list of any length."""

PARTS = 100
"""Files that one prompt pulls in."""

INCLUDES = 1_000
"""Includes of one prompt, those of its parts counted as often as the parts are used."""

PART_DEPTH = 10
"""Parts inside each other."""

CASES_CHARS = 64 * 1024 * 1024
"""One case file."""

JSON_CHARS = 16 * 1024 * 1024
"""One case file in JSON or YAML, which is read as a whole: in memory it can take fifty times its room."""

LINE_CHARS = 4 * 1024 * 1024
"""One line of a case file."""

CASES = 100_000
"""Cases of one file."""

SHARDS = 1000
"""Of one run. GitHub starts at most 256 jobs of one matrix."""

WORDS = 1_000
"""Words that one case forbids, or topics that it wants asked about."""

YAML_NODES = 20_000
"""Values of one YAML file, aliases counted as often as they are used."""

RENDERED_CHARS = 4 * 1024 * 1024
"""One rendered message, and any value that a template builds on the way."""

LOOP_STEPS = 100_000
"""Turns of all loops of one rendering."""

RENDERING_S = 5.0
"""Seconds of the processor for one rendering; the event loop waits meanwhile."""

WATCHED_PARTS = 10_000
"""Parts of one rendering that are watched to find what makes two requests differ."""

WATCHED_TAGS = 2_000
"""Tags of a template that is watched: it is compiled once more for that."""

NEW_SUITES = 100
"""Suites that one change brings beside those that the base has."""

SLICES = 2_000
"""Slices of one suite, `overall` not counted."""

NAME_CHARS = 200
"""Names, ids, slice values."""

PATH_CHARS = 1024
"""A path, as configuration writes it."""

PATTERN_CHARS = 2_000
"""A regular expression, with the fields of a case filled in: compiling it takes time, too."""

LABELS = 10_000
"""Labelled answers of one file; intervals are resampled, which takes time for each."""

PEOPLE = 50
"""Labels of one answer."""

CALIBRATION_CHARS = 1024 * 1024
"""The calibration of a judge."""

SPECIFICATION_CHARS = 4 * 1024 * 1024
"""The specification of a prompt."""

TOOL_FILE_CHARS = 4 * 1024 * 1024
"""A file of recorded tools."""

TOOLS = 200
"""Tools of one file, or of one server."""

TOOL_ANSWERS = 1_000
"""Recorded answers of one tool."""

TOOL_TEXT_CHARS = 16 * 1024
"""The description of a tool."""

TOOL_SCHEMA_CHARS = 64 * 1024
"""The JSON Schema of a tool's arguments, as text."""

CODE_CHARS = 2 * 1024 * 1024
"""A file of code or settings in which a prompt is named: its tree takes a hundred times its room."""

TEXT_STEPS = 20_000
"""Expressions that are looked at for one text of such a file, those of the constants that it uses included."""

TEXT_DEPTH = 50
"""Expressions and constants inside each other."""
