"""More of what the test GitHub answers: reactions, check runs, GraphQL, other ways to comments and pull requests."""

import re
from datetime import datetime
from typing import Any

from tests.support.github_call import INTEGRATION, Call, Reply, paged, refuse
from tests.support.github_git import Missing
from tests.support.github_payloads import HTML, Json, stamp
from tests.support.github_routes import COMMENT, READ_TALK, REPO, ROUTES, TALK, comment_asked, route
from tests.support.github_state import CheckRun, Comment, Pull, Reaction, Repository

_CHECKS = f"{REPO}/check-runs"
_LONGEST_SUMMARY, _MOST_ANNOTATIONS, _LONGEST_MESSAGE = 65_535, 50, 64 * 1024


@route("GET", f"{REPO}/issues/comments", *READ_TALK)
def comments_of_all(call: Call) -> Reply:
    found: list[tuple[Pull, Comment]] = [(pull, one) for pull in call.repo.pulls.values() for one in pull.comments]
    since = call.query.get("since")
    if since:
        first = datetime.fromisoformat(since)
        found = [(pull, one) for pull, one in found if one.updated_at >= first]
    key = "updated_at" if call.query.get("sort") == "updated" else "created_at"
    found.sort(key=lambda each: (getattr(each[1], key), each[1].id), reverse=call.query.get("direction") == "desc")
    return paged(call, [call.render.comment(call.repo, pull, one) for pull, one in found])


@route("GET", f"{COMMENT}/reactions", *READ_TALK)
def reactions(call: Call) -> Reply:
    _, found = comment_asked(call)
    content = call.query.get("content")
    return paged(call, [_reaction(call, one) for one in found.reactions if content in (None, one.content)])


@route("POST", f"{COMMENT}/reactions", *TALK)
def create_reaction(call: Call) -> Reply:
    _, found = comment_asked(call)
    content = call.body["content"]
    known = next((one for one in found.reactions if (one.login, one.content) == (call.login, content)), None)
    if known:
        return Reply(200, _reaction(call, known))
    made = Reaction(call.state.next_id(), call.login, content, call.state.tick())
    found.reactions.append(made)
    return Reply(201, _reaction(call, made))


@route("DELETE", f"{COMMENT}/reactions/{{reaction_id}}", *TALK)
def delete_reaction(call: Call) -> Reply:
    _, found = comment_asked(call)
    known = [one for one in found.reactions if str(one.id) == call.params["reaction_id"]]
    if not known:
        refuse(404, "Not Found")
    found.reactions.remove(known[0])
    return Reply(204)


def _reaction(call: Call, one: Reaction) -> Json:
    user = call.render.user(one.login)
    return {
        "id": one.id,
        "node_id": f"REA_{one.id}",
        "user": user,
        "content": one.content,
        "created_at": stamp(one.at),
    }


@route("POST", _CHECKS, "checks:write")
def create_check_run(call: Call) -> Reply:
    if call.identity and not call.identity.workflow:
        refuse(403, "You must authenticate via a GitHub App.")
    body = call.body
    run = CheckRun(call.state.next_id(), body["name"], body["head_sha"], started_at=call.state.tick())
    call.repo.check_runs.append(run)
    _change(call, run)
    return Reply(201, _check_run(call, run))


@route("PATCH", f"{_CHECKS}/{{check_run_id}}", "checks:write")
def edit_check_run(call: Call) -> Reply:
    found = [one for one in call.repo.check_runs if str(one.id) == call.params["check_run_id"]]
    if not found:
        refuse(404, "Not Found")
    _change(call, found[0])
    return Reply(200, _check_run(call, found[0]))


@route("GET", f"{REPO}/commits/{{ref}}/check-runs", "checks:read")
def check_runs(call: Call) -> Reply:
    name, status = call.query.get("check_name"), call.query.get("status")
    found = [one for one in call.repo.check_runs if one.head_sha == call.params["ref"]]
    found = [one for one in found if name in (None, one.name) and status in (None, one.status)]
    page = paged(call, [_check_run(call, one) for one in reversed(found)])
    return Reply(200, {"total_count": len(found), "check_runs": page.body}, page.headers)


def _change(call: Call, run: CheckRun) -> None:
    body: Json = call.body
    output = body.get("output") or {}
    if len(output.get("summary") or "") > _LONGEST_SUMMARY:
        refuse(422, "Only 65535 characters are allowed; 65536 were supplied.")
    rows = output.get("annotations") or []
    if len(rows) > _MOST_ANNOTATIONS:
        refuse(422, "Invalid request.\n\nNo more than 50 items are allowed; 51 were supplied.")
    if any(len(row["message"].encode()) > _LONGEST_MESSAGE for row in rows):
        refuse(422, "Invalid request.\n\nmessage exceeds maximum size of 64 KB.")
    for key in ("details_url", "external_id", "status", "conclusion"):
        if key in body:
            setattr(run, key, body[key])
    if body.get("conclusion"):
        run.status = "completed"
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.annotations += rows
    call.state.tick()


def _check_run(call: Call, run: CheckRun) -> Json:
    url = f"{call.render.api}/repos/{call.repo.full_name}/check-runs/{run.id}"
    done = run.status == "completed"
    count = {"annotations_count": len(run.annotations), "annotations_url": f"{url}/annotations"}
    same = {key: getattr(run, key) for key in ("id", "name", "head_sha", "external_id", "details_url", "status")}
    return {
        **same,
        "conclusion": run.conclusion,
        "node_id": f"CR_{run.id}",
        "url": url,
        "html_url": f"{HTML}/{call.repo.full_name}/runs/{run.id}",
        "started_at": stamp(run.started_at),
        "completed_at": stamp(call.state.now) if done else None,
        "output": {"title": run.title, "summary": run.summary, "text": None, **count},
        "check_suite": None,
        "app": None,
        "pull_requests": [],
    }


@route("GET", f"{REPO}/commits/{{commit_sha}}/pulls", "pull_requests:read")
def pulls_of_commit(call: Call) -> Reply:
    objects, sha = call.render.objects(call.repo), call.params["commit_sha"]
    try:
        objects.resolve(sha)
    except Missing:
        refuse(422, f"No commit found for SHA: {sha}")
    found = [one for one in call.repo.pulls.values() if sha in objects.between(one.base.sha, one.head.sha)]
    return paged(call, [call.render.pull(call.repo, pull) for pull in found])


@route("GET", f"{REPO}/pulls/{{pull_number}}/files", "pull_requests:read")
def pull_files(call: Call) -> Reply:
    objects, pull = call.render.objects(call.repo), call.pull
    return paged(call, objects.changes(pull.head.sha, objects.fork_point(pull.base.sha, pull.head.sha)))


def graphql(call: Call) -> Reply:
    """The two things that are asked: whose token it is, and to hide a comment."""
    query, variables = call.body["query"], call.body.get("variables") or {}
    if re.search(r"\bviewer\s*\{\s*login\s*\}", query):
        return Reply(200, {"data": {"viewer": {"login": call.login}}})
    if "minimizeComment(" in query:
        return _minimised(call, variables["input"])
    return Reply(200, {"errors": [{"message": "the test server does not know this query"}]})


def _minimised(call: Call, given: dict[str, Any]) -> Reply:
    for repo, comment in _all_comments(call):
        if f"IC_{comment.id}" == given["subjectId"]:
            if not (call.identity and any(call.identity.may(need) for need in TALK)):
                return _graphql_error("FORBIDDEN", INTEGRATION)
            if given["classifier"] not in ("ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"):
                return _graphql_error("INVALID", f"{given['classifier']} in {repo.full_name}")
            comment.hidden = given["classifier"]
            return Reply(200, {"data": {"minimizeComment": {"minimizedComment": {"isMinimized": True}}}})
    return _graphql_error("NOT_FOUND", f"Could not resolve to a node with the global id of '{given['subjectId']}'")


def _all_comments(call: Call) -> list[tuple[Repository, Comment]]:
    pulls = [(repo, pull) for repo in call.state.repositories.values() for pull in repo.pulls.values()]
    return [(repo, one) for repo, pull in pulls for one in pull.comments]


def _graphql_error(kind: str, message: str) -> Reply:
    error = {"type": kind, "path": ["minimizeComment"], "message": message}
    return Reply(200, {"data": {"minimizeComment": None}, "errors": [error]})


# `issues/comments` is not the issue of the number `comments`.
ROUTES.sort(key=lambda each: each.template.count("{"))
