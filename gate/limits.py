"""Size limits of inputs, which are untrusted until they are parsed."""

FILE_BYTES = 64 * 1024 * 1024
"""Any file that is read from a source."""

CONFIG_CHARS = 256 * 1024
"""`gate.yaml`."""

PROMPT_CHARS = 1024 * 1024
"""One prompt file with the files it includes, each counted as often as it is used."""

TEMPLATE_TAGS = 5_000
"""Tags of one template with its includes: each takes time to compile."""

TEMPLATE_TOKENS = 20_000
"""Tokens inside those tags: one tag may contain a list of any length."""

PARTS = 100
"""Files that one prompt includes."""

INCLUDES = 1_000
"""Include tags of one prompt, counted as often as they are used."""

PART_DEPTH = 10
"""Nesting of includes."""

CASES_CHARS = 64 * 1024 * 1024
"""One case file."""

JSON_CHARS = 16 * 1024 * 1024
"""One case file in JSON or YAML. It is read as a whole and can take fifty times its size in memory."""

IMAGE_BYTES = 15 * 256 * 1024
"""One image of a message: the most that all providers take, which for Anthropic is 5 MiB of base64."""

IMAGES = 20
"""Images of one message."""

IMAGES_BYTES = 128 * 1024 * 1024
"""All images of one case file or prompt, each counted once."""

LINE_CHARS = 4 * 1024 * 1024
"""One line of a case file."""

CASES = 100_000
"""Cases of one file."""

SHARDS = 1000
"""Of one run. GitHub starts at most 256 jobs of one matrix."""

WORDS = 1_000
"""Forbidden words or topics of one case."""

YAML_NODES = 20_000
"""Values of one YAML file, aliases counted as often as they are used."""

RENDERED_CHARS = 4 * 1024 * 1024
"""One rendered message, or an intermediate value of a template."""

LOOP_STEPS = 100_000
"""Loop iterations of one rendering."""

RENDERING_S = 5.0
"""Processor seconds of one rendering, which blocks the event loop."""

WATCHED_PARTS = 10_000
"""Parts of one rendering that are traced to find why two requests differ."""

WATCHED_TAGS = 2_000
"""Tags of a template that is traced, which compiles it again."""

NEW_SUITES = 100
"""New suites of one change."""

SLICES = 2_000
"""Slices of one suite, `overall` not counted."""

NAME_CHARS = 200
"""Names, ids, slice values."""

PATH_CHARS = 1024
"""A path in the configuration."""

PATTERN_CHARS = 2_000
"""A regular expression with the fields of a case filled in."""

LABELS = 10_000
"""Labelled answers of one file, since resampling takes time for each."""

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
"""A code or settings file with a prompt. Its syntax tree takes a hundred times its size."""

TEXT_STEPS = 20_000
"""Expressions that are read for one text of such a file."""

TEXT_DEPTH = 50
"""Nesting of such expressions."""
