"""The operations that the test GitHub answers, each under its path in GitHub's own description of the API."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from tests.support.github_call import INTEGRATION, Call, Handler, Reply, Route, paged, refuse
from tests.support.github_git import Missing
from tests.support.github_payloads import HTML, Json, stamp
from tests.support.github_state import CheckRun, Comment, Pull

LONGEST_BODY = 65_536
ROUTES: list[Route] = []
REPO = "/repos/{owner}/{repo}"
_ISSUE, _COMMENT = f"{REPO}/issues/{{issue_number}}", f"{REPO}/issues/comments/{{comment_id}}"
_READ_TALK, _TALK = ("issues:read", "pull_requests:read"), ("issues:write", "pull_requests:write")
_CODE = ("contents:read",)
_CHECKS = f"{REPO}/check-runs"
_LONGEST_SUMMARY, _MOST_ANNOTATIONS, _LONGEST_MESSAGE = 65_535, 50, 64 * 1024
_COARSE = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read"}


def route(method: str, template: str, *needs: str) -> Callable[[Handler], Handler]:
    """Register a handler."""

    def register(handler: Handler) -> Handler:
        ROUTES.append(Route(method, template, needs, handler))
        return handler

    return register


@route("GET", "/user")
def user(call: Call) -> Reply:
    login = call.login
    if call.identity and call.identity.workflow:
        refuse(403, INTEGRATION)
    return Reply(200, call.render.private_user(login))


@route("GET", "/rate_limit")
def rate_limit(call: Call) -> Reply:
    most = 5000 if call.identity else 60
    rate = {"limit": most, "used": 0, "remaining": most, "reset": 1_900_000_000}
    return Reply(200, {"resources": {"core": rate, "search": rate}, "rate": rate})


@route("GET", REPO)
def repository(call: Call) -> Reply:
    return Reply(200, call.render.full_repository(call.repo))


@route("GET", f"{REPO}/collaborators/{{username}}/permission")
def permission(call: Call) -> Reply:
    _ = call.login
    name = call.params["username"]
    if name not in call.state.people:
        refuse(404, f"{name} is not a user")
    role = call.repo.collaborators.get(name, "none" if call.repo.private else "read")
    coarse = _COARSE.get(role, "none")
    account = {**call.render.user(name), "role_name": role}
    return Reply(200, {"permission": coarse, "role_name": role, "user": account})


@route("GET", f"{REPO}/pulls", "pull_requests:read")
def pulls(call: Call) -> Reply:
    state, head, base = (call.query.get(key) for key in ("state", "head", "base"))
    found = [
        pull
        for pull in call.repo.pulls.values()
        if state == "all" or pull.state == (state or "open")
        if not head or head == f"{pull.head.owner}:{pull.head.ref}"
        if not base or base == pull.base.ref
    ]
    return paged(call, [call.render.pull(call.repo, pull) for pull in reversed(found)])


@route("GET", f"{REPO}/pulls/{{pull_number}}", "pull_requests:read")
def pull_request(call: Call) -> Reply:
    return Reply(200, call.render.pull(call.repo, call.pull))


@route("GET", _ISSUE, *_READ_TALK)
def issue(call: Call) -> Reply:
    return Reply(200, {**call.render.issue(call.repo, call.pull), "closed_by": None})


@route("GET", f"{_ISSUE}/comments", *_READ_TALK)
def comments(call: Call) -> Reply:
    return paged(call, [call.render.comment(call.repo, call.pull, each) for each in call.pull.comments])


@route("POST", f"{_ISSUE}/comments", *_TALK)
def create_comment(call: Call) -> Reply:
    comment = call.state.add_comment(call.pull, call.login, _comment_body(call))
    return Reply(201, call.render.comment(call.repo, call.pull, comment))


@route("GET", _COMMENT, *_READ_TALK)
def comment(call: Call) -> Reply:
    return Reply(200, call.render.comment(call.repo, *_comment_asked(call)))


@route("PATCH", _COMMENT, *_TALK)
def edit_comment(call: Call) -> Reply:
    pull, found = _comment_asked(call)
    call.state.edit_comment(found, _comment_body(call))
    return Reply(200, call.render.comment(call.repo, pull, found))


@route("DELETE", _COMMENT, *_TALK)
def delete_comment(call: Call) -> Reply:
    pull, found = _comment_asked(call)
    pull.comments.remove(found)
    return Reply(204)


@route("GET", f"{_ISSUE}/labels", *_READ_TALK)
def labels(call: Call) -> Reply:
    return paged(call, _labels(call))


@route("POST", f"{_ISSUE}/labels", *_TALK)
def add_labels(call: Call) -> Reply:
    given = call.body.get("labels") if isinstance(call.body, dict) else call.body
    if not isinstance(given, list):
        refuse(422, "Invalid request.\n\nFor 'links/0/schema', nil is not an array.")
    for each in given:
        call.state.add_label(call.repo, call.pull, each if isinstance(each, str) else each["name"], call.login)
    return Reply(200, _labels(call))


@route("DELETE", f"{_ISSUE}/labels/{{name}}", *_TALK)
def remove_label(call: Call) -> Reply:
    if not call.state.remove_label(call.pull, call.params["name"], call.login):
        refuse(404, "Label does not exist")
    return Reply(200, _labels(call))


@route("GET", f"{_ISSUE}/events", *_READ_TALK)
def events(call: Call) -> Reply:
    return paged(call, list(call.render.events(call.repo, call.pull)))


@route("GET", f"{REPO}/issues/events/{{event_id}}", *_READ_TALK)
def event(call: Call) -> Reply:
    for pull in call.repo.pulls.values():
        for each in pull.events:
            if str(each.id) == call.params["event_id"] and each.kind != "committed":
                whole = {**call.render.event(call.repo, each), "issue": call.render.issue(call.repo, pull)}
                return Reply(200, whole)
    refuse(404, "Not Found")


@route("GET", f"{_ISSUE}/timeline", *_READ_TALK)
def timeline(call: Call) -> Reply:
    return paged(call, call.render.timeline(call.repo, call.pull))


@route("GET", f"{REPO}/git/commits/{{commit_sha}}", *_CODE)
def git_commit(call: Call) -> Reply:
    return Reply(200, _found(lambda: call.render.objects(call.repo).commit(_sha(call, "commit_sha"))))


@route("GET", f"{REPO}/git/trees/{{tree_sha}}", *_CODE)
def git_tree(call: Call) -> Reply:
    # Any value asks for a recursive tree, `0` and `false` too.
    recursive = "recursive" in call.query
    objects = call.render.objects(call.repo)
    return Reply(200, _found(lambda: objects.tree(call.params["tree_sha"], recursive, call.tree_limit)))


@route("GET", f"{REPO}/git/blobs/{{file_sha}}", *_CODE)
def git_blob(call: Call) -> Reply:
    return Reply(200, _found(lambda: call.render.objects(call.repo).blob(_sha(call, "file_sha"))))


@route("GET", f"{REPO}/contents/{{path}}", *_CODE)
def contents(call: Call) -> Reply:
    ref = call.query.get("ref") or call.repo.default_branch
    return Reply(200, _found(lambda: call.render.objects(call.repo).contents(call.params["path"].strip("/"), ref)))


@route("GET", f"{REPO}/commits/{{ref}}", *_CODE)
def commit(call: Call) -> Reply:
    objects, ref = call.render.objects(call.repo), call.params["ref"]
    try:
        sha = objects.resolve(ref)
    except Missing:
        refuse(422, f"No commit found for SHA: {ref}")
    return Reply(200, {**_whole_commit(call, sha), "files": objects.changes(sha)})


@route("GET", f"{REPO}/branches/{{branch}}", *_CODE)
def branch(call: Call) -> Reply:
    objects, name = call.render.objects(call.repo), call.params["branch"]
    sha = _found(lambda: objects.resolve(f"refs/heads/{name}"), "Branch not found")
    links = {"self": f"{objects.api}/branches/{quote(name)}", "html": f"{objects.html}/tree/{name}"}
    checks = {"enforcement_level": "off", "contexts": [], "checks": []}
    guard = {"enabled": False, "required_status_checks": checks}
    url = f"{objects.api}/branches/{quote(name)}/protection"
    value = {"name": name, "commit": _whole_commit(call, sha), "_links": links, "protected": False}
    return Reply(200, {**value, "protection": guard, "protection_url": url})


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


@route("GET", f"{REPO}/activity", *_CODE)
def activity(call: Call) -> Reply:
    ref = call.query.get("ref")
    rows = [push for push in reversed(call.repo.pushes) if ref in (None, push.ref)]
    return Reply(200, [call.render.push(push) for push in rows[: int(call.query.get("per_page", 30))]])


@route("GET", f"{REPO}/compare/{{basehead}}", *_CODE)
def compare(call: Call) -> Reply:
    objects = call.render.objects(call.repo)
    base, _, head = call.params["basehead"].partition("...")
    base, head = _found(lambda: objects.resolve(base)), _found(lambda: objects.resolve(head))
    merge_base = _found(lambda: objects.fork_point(base, head))
    ahead, behind = objects.between(base, head), objects.between(head, base)
    status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    page = f"{objects.html}/compare/{base}...{head}"
    return Reply(
        200,
        {
            **{key: page for key in ("html_url", "permalink_url")},
            **{key: f"{page}.{key[:-4]}" for key in ("diff_url", "patch_url")},
            "url": f"{objects.api}/compare/{base}...{head}",
            "base_commit": _whole_commit(call, base),
            "merge_base_commit": _whole_commit(call, merge_base),
            "status": status,
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "commits": [],
            "files": [],
        },
    )


@route("GET", f"{REPO}/pulls/{{pull_number}}/commits", "pull_requests:read")
def pull_commits(call: Call) -> Reply:
    objects, pull = call.render.objects(call.repo), call.pull
    shas = objects.between(objects.fork_point(pull.base.sha, pull.head.sha), pull.head.sha)
    return paged(call, [_whole_commit(call, sha) for sha in reversed(shas)])


@route("GET", f"{REPO}/pulls/{{pull_number}}/files", "pull_requests:read")
def pull_files(call: Call) -> Reply:
    objects, pull = call.render.objects(call.repo), call.pull
    return paged(call, objects.changes(pull.head.sha, objects.fork_point(pull.base.sha, pull.head.sha)))


def _whole_commit(call: Call, sha: str) -> Json:
    """A `commit`, whose author is nobody's account."""
    objects = call.render.objects(call.repo)
    bare, changes = objects.commit(sha), objects.changes(sha)
    inner = {key: bare[key] for key in ("author", "committer", "message", "tree", "url", "verification")}
    url = f"{objects.api}/commits/{sha}"
    added, removed = (sum(row[key] for row in changes) for key in ("additions", "deletions"))
    return {
        **{key: bare[key] for key in ("sha", "node_id", "html_url")},
        "url": url,
        "comments_url": f"{url}/comments",
        "commit": {**inner, "comment_count": 0},
        "author": None,
        "committer": None,
        "parents": [{**parent, "url": parent["url"].replace("/git/", "/")} for parent in bare["parents"]],
        "stats": {"total": added + removed, "additions": added, "deletions": removed},
    }


def _labels(call: Call) -> list[Json]:
    return [call.render.label(call.repo, name) for name in call.pull.labels]


def _comment_asked(call: Call) -> tuple[Pull, Comment]:
    for pull in call.repo.pulls.values():
        for each in pull.comments:
            if str(each.id) == call.params["comment_id"]:
                return pull, each
    refuse(404, "Not Found")


def _comment_body(call: Call) -> str:
    body = call.body.get("body") if isinstance(call.body, dict) else None
    if not isinstance(body, str):
        refuse(422, 'Invalid request.\n\n"body" wasn\'t supplied.')
    trouble = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
    if not body.strip():
        refuse(422, "Validation Failed", [{**trouble, "message": "Body cannot be blank"}])
    if len(body) > LONGEST_BODY:
        long = f"Body is too long (maximum is {LONGEST_BODY} characters)"
        refuse(422, "Validation Failed", [{**trouble, "message": long}])
    return body


def _sha(call: Call, name: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}", call.params[name]):
        refuse(422, "The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    return call.params[name]


def _found(read: Callable[[], Any], otherwise: str = "Not Found") -> Any:
    try:
        return read()
    except Missing:
        refuse(404, otherwise)
