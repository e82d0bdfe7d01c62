"""Scorers, as configuration and cases write them: kind, options with every default filled in, name, weight."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from gate.domain.case import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.inputs.fields import Fields
from gate.inputs.nodes import Node, described, wrap
from gate.inputs.problems import Problems, did_you_mean, quoted
from gate.inputs.scorers.kind import COMMON, WEIGHT
from gate.inputs.scorers.kinds import KINDS

_LATER = ("command", "semantic")
_MEANT: Mapping[str, str] = {
    **dict.fromkeys(("equals", "equal", "exact_match", "is"), "exact"),
    **dict.fromkeys(("includes", "include", "icontains", "substring"), "contains"),
    **dict.fromkeys(("contains_any", "icontains_any"), "contains: {any: [one, two]}"),
    **dict.fromkeys(("contains_all", "icontains_all"), "contains: {all: [one, two]}"),
    **dict.fromkeys(("excludes", "contains_none"), "contains: {none: [one, two]}"),
    **dict.fromkeys(("match", "matches", "pattern", "re"), "regex"),
    **dict.fromkeys(("prefix", "startswith", "begins_with"), "starts_with"),
    **dict.fromkeys(("suffix", "endswith"), "ends_with"),
    **dict.fromkeys(("is_json", "valid_json", "json_valid", "contains_json"), "json"),
    **dict.fromkeys(("schema", "jsonschema", "is_valid_json_schema"), "json_schema"),
    **dict.fromkeys(("jsonpath", "json_field"), "json_path"),
    **dict.fromkeys(("numeric", "number_tolerance", "math", "close_to"), "number"),
    **dict.fromkeys(("word_count", "words_count", "max_words", "min_words"), "words: {min: 10, max: 60}"),
    **dict.fromkeys(("sentence_count", "max_sentences", "min_sentences"), "sentences: {max: 2}"),
    **dict.fromkeys(("length", "chars", "character_count", "max_length", "min_length"), "characters: {max: 280}"),
    **dict.fromkeys(("banned_words", "blocklist", "banned", "forbidden"), "forbidden_words"),
    **dict.fromkeys(("should_ask", "asks_for", "ask", "question"), "asks"),
    **dict.fromkeys(("lang", "is_language", "language_is"), "language"),
    **dict.fromkeys(("similar", "f1", "token_f1", "rouge_n", "rouge_l", "bleu", "meteor"), "similarity"),
    **dict.fromkeys(("levenshtein", "edit_distance", "fuzzy"), "similarity: {metric: edit}"),
    **dict.fromkeys(("duration", "max_latency", "response_time"), "latency"),
    **dict.fromkeys(("price", "max_cost"), "cost"),
    **dict.fromkeys(("is_refusal", "refuses", "refused"), "refusal"),
    **dict.fromkeys(("function", "custom", "assert_fn", "callable"), "python"),
    **dict.fromkeys(("tool", "tool_calls", "expected_tools", "called_tools", "tool_correctness"), "tools"),
    **dict.fromkeys(("sql", "db", "query"), "database"),
    **dict.fromkeys(("llm", "llm_judge", "llm_rubric", "g_eval", "geval", "model_graded", "answer_relevance"), "judge"),
}
"""What users of other tools write, hyphens or underscores, to what it is called here."""


def parse_scorers(value: JsonValue, file: str) -> tuple[ScorerSpec, ...]:
    """A list of scorers from outside YAML, such as `["contains"]` or `[{"judge": {"criteria": "…"}}]`.

    Raises:
        InputErrors: everything that is wrong, under the name `file`.
    """
    problems = Problems(file)
    specs = read_scorers(wrap(value, 0), problems)
    for spec in specs:
        if spec.files:
            hint = "put it into the suite's scorers, or write the dimensions here"
            problems.add(0, f"{spec.kind} names the file {quoted(spec.files[0])}, which only gate.yaml may", hint)
    problems.check()
    return specs


def read_scorers(node: Node, problems: Problems) -> tuple[ScorerSpec, ...]:
    """The list under `scorers`; a scorer without a name is called after its kind: `contains`, `contains-2`."""
    if not isinstance(node.value, tuple) or not node.value:
        problems.add(node.line, "scorers must be a list with at least one scorer", "for example [contains]")
        return ()
    read = [(item, _scorer(item, problems)) for item in node.value]
    specs = [(item, spec) for item, spec in read if spec is not None]
    taken: set[str] = set()
    for item, spec in specs:
        if spec.name in taken:
            problems.add(item.line, f"two scorers are named {quoted(spec.name)}", "give one another name")
        if spec.name:
            taken.add(spec.name)
    return tuple(spec if spec.name else _named(spec, taken) for _, spec in specs)


def _named(spec: ScorerSpec, taken: set[str]) -> ScorerSpec:
    name = free_name(spec.kind, taken)
    taken.add(name)
    return replace(spec, name=name)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or with the first number that nobody has: `contains-2`.

    Args:
        name: wanted.
        taken: names that others have.
    """
    free, number = name, 2
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _scorer(node: Node, problems: Problems) -> ScorerSpec | None:
    """One entry: `contains`, `contains: "text"` or `contains: {value: "text", weight: 2}`."""
    if isinstance(node.value, str):
        node = Node({node.value: Node(None, node.line)}, node.line)
    if not isinstance(node.value, Mapping):
        problems.add(node.line, f"a scorer must be a name or a mapping, not {described(node.value)}", _kinds())
        return None
    kinds = [key for key in node.value if key not in COMMON]
    if len(kinds) != 1:
        found = f"these have {len(kinds)}: {', '.join(map(quoted, kinds[:5]))}" if kinds else "this one has none"
        problems.add(node.line, f"each scorer has one kind, and {found}", "begin each scorer with '- '")
        return None
    kind = kinds[0]
    if kind not in KINDS:
        _unknown(kind, node.value[kind].line, problems)
        return None
    fields = Fields(_merged(kind, node, problems), kind, problems)
    known = KINDS[kind]
    fields.only((*known.options, *known.common))
    name = fields.text("name")
    if not name.isprintable():
        problems.add(fields.line_of("name"), f"{kind}.name holds a control character")
    read = {key: option.get(fields, key) for key, option in known.options.items()}
    options: dict[str, JsonValue] = {key: value for key, value in read.items() if value is not None}
    for rule in known.rules:
        if complaint := rule.complaint(fields, options):
            problems.add(fields.line, f"{kind} {complaint}")
    if known.check is not None:
        known.check(fields, options)
    weight = fields.number("weight", 1.0, WEIGHT)
    return ScorerSpec(
        kind, name, options, weight, fields.flag("required", known.required), fields.flag("negate", False)
    )


def _merged(kind: str, node: Node, problems: Problems) -> Node:
    """Options, the shorthand spelled out, with `name`, `weight`, `required` and `negate` that stand beside the kind."""
    assert isinstance(node.value, Mapping)  # noqa: S101
    body = node.value[kind]
    if isinstance(body.value, Mapping):
        options = dict(body.value)
    elif body.value is None:
        options = {}
    elif KINDS[kind].shorthand:
        options = {KINDS[kind].shorthand: body}
    else:
        problems.add(body.line, f"{kind} must be a mapping, not {described(body.value)}", "see its options in the docs")
        options = {}
    for key in COMMON:
        if key in node.value and key in options:
            problems.add(node.value[key].line, f"{kind}.{key} is given twice")
        if key in node.value:
            options[key] = node.value[key]
    return Node(options, body.line)


def _unknown(kind: str, line: int, problems: Problems) -> None:
    if kind in _LATER:
        problems.add(line, f"the scorer {kind!r} is not supported in this version", _kinds())
        return
    word = kind.lower().replace("-", "_")
    negated = word.startswith("not_")
    word = word[4:] if negated else word
    meant = _MEANT.get(word, word if word in KINDS else "")
    hint = f"did you mean {meant!r}{' with negate: true' if negated else ''}?" if meant else did_you_mean(kind, KINDS)
    problems.add(line, f"unknown scorer {quoted(kind)}", hint if hint.startswith("known") else f"{hint} {_kinds()}")


def _kinds() -> str:
    return "known: " + ", ".join(KINDS)
