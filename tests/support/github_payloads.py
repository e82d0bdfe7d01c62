"""Renders the state of the test GitHub as GitHub's own JSON; the shapes are real payloads with the names replaced."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.github_git import Objects
from tests.support.github_state import BOT, Comment, Event, Pull, Push, Repository, Side, account_id

PAYLOADS = Path(__file__).parent.parent / "data" / "github" / "payloads"
HTML = "https://github.com"
_REAL_OWNER, _REAL_REPO = "Codertocat", "Codertocat/Hello-World"
Json = dict[str, Any]


@cache
def _text(name: str) -> str:
    return (PAYLOADS / f"{name}.json").read_text("utf-8")


def example(name: str) -> Json:
    """A real payload, such as `pull_request.opened`."""
    value: Json = json.loads(_text(name))
    return value


def stamp(when: datetime) -> str:
    """A time as GitHub writes it."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Renderer:
    """Everything is rendered for one address of the API.

    Args:
        api: base address, without a slash at its end.
        repositories: by full name.
    """

    api: str
    repositories: dict[str, Repository]

    def rewritten(self, value: Any, old: str, new: str) -> Any:
        """A copy of a real payload's part, with one name for another and addresses of this API."""
        text = json.dumps(value).replace(old, new).replace("https://api.github.com", self.api)
        return json.loads(text)

    def user(self, login: str) -> Json:
        """A `simple-user`."""
        number = account_id(login)
        user: Json = self.rewritten(example("pull_request.opened")["sender"], _REAL_OWNER, login)
        avatar = f"https://avatars.githubusercontent.com/u/{number}?v=4"
        kind = "Bot" if login.endswith("[bot]") else "User"
        return {**user, "id": number, "node_id": f"U_{number}", "avatar_url": avatar, "type": kind}

    def private_user(self, login: str) -> Json:
        """The response of `/user` to the person."""
        counts = ("public_repos", "public_gists", "followers", "following")
        times = {"created_at": "2015-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
        nothing = dict.fromkeys(("name", "company", "location", "email", "hireable", "bio"))
        more = {"private_gists": 0, "total_private_repos": 0, "owned_private_repos": 0, "disk_usage": 0}
        own = {**more, "collaborators": 0, "two_factor_authentication": True, "blog": ""}
        return {**self.user(login), **dict.fromkeys(counts, 0), **times, **nothing, **own}

    def repository(self, repo: Repository) -> Json:
        """A repository as it stands in pull requests and events."""
        shape = example("pull_request.opened")["pull_request"]["base"]["repo"]
        value: Json = self.rewritten(shape, _REAL_REPO, repo.full_name)
        when = stamp(repo.created_at)
        return {
            **value,
            "id": repo.id,
            "node_id": f"R_{repo.id}",
            "name": repo.name,
            "owner": self.user(repo.owner),
            "private": repo.private,
            "visibility": "private" if repo.private else "public",
            "fork": repo.fork_of is not None,
            "default_branch": repo.default_branch,
            **dict.fromkeys(("created_at", "updated_at", "pushed_at"), when),
        }

    def full_repository(self, repo: Repository) -> Json:
        """What `/repos/{owner}/{repo}` answers."""
        more: Json = {
            "network_count": 0,
            "subscribers_count": 1,
            "has_discussions": False,
            "is_template": False,
            "topics": [],
            "permissions": {"admin": False, "maintain": False, "push": False, "triage": False, "pull": True},
        }
        if repo.fork_of:
            parent = self.repository(self.repositories[repo.fork_of])
            more |= {"parent": parent, "source": parent}
        return {**self.repository(repo), **more}

    def label(self, repo: Repository, name: str) -> Json:
        """A `label`."""
        number = account_id(f"{repo.full_name}:{name}")
        return {
            "id": number,
            "node_id": f"LA_{number}",
            "url": f"{self._at(repo)}/labels/{name}",
            "name": name,
            "color": repo.labels[name],
            "default": False,
            "description": None,
        }

    def pull(self, repo: Repository, pull: Pull, shape: Json | None = None) -> Json:
        """A `pull-request`; with `shape`, what an event of that kind says of it."""
        value = self.rewritten(shape or example("pull_request.opened")["pull_request"], _REAL_REPO, repo.full_name)
        old, new = f"/{value['number']}", f"/{pull.number}"
        for holder in (value, *value["_links"].values()):
            for key in [key for key in holder if key.endswith("url") or key == "href"]:
                holder[key] = holder[key].replace(f"/pull{old}", f"/pull{new}").replace(f"/pulls{old}", f"/pulls{new}")
                holder[key] = holder[key].replace(f"/issues{old}", f"/issues{new}")
                holder[key] = holder[key].replace(value["head"]["sha"], pull.head.sha)
        value |= {
            **{key: getattr(pull, key) for key in ("number", "id", "title", "body", "state", "draft", "merged")},
            **dict.fromkeys(("assignees", "requested_reviewers", "requested_teams"), []),
            **dict.fromkeys(("assignee", "milestone", "merged_by", "auto_merge")),
            "node_id": f"PR_{pull.id}",
            "user": self.user(pull.author),
            "labels": [self.label(repo, name) for name in pull.labels],
            "head": self._side(pull.head),
            "base": self._side(pull.base),
            "merge_commit_sha": pull.merge_sha,
            "mergeable": pull.merge_sha is not None,
            "mergeable_state": "clean" if pull.merge_sha else "dirty",
            "created_at": stamp(pull.created_at),
            "updated_at": stamp(pull.updated_at),
            "closed_at": stamp(pull.updated_at) if pull.state == "closed" else None,
            "merged_at": stamp(pull.updated_at) if pull.merged else None,
            "comments": len(pull.comments),
            "author_association": self._association(repo, pull.author),
        }
        return copy.deepcopy(value)

    def issue(self, repo: Repository, pull: Pull) -> Json:
        """The pull request as an `issue`."""
        whole = self.pull(repo, pull)
        same = ("id", "node_id", "number", "title", "body", "state", "draft", "user", "labels", "comments", "locked")
        more = ("assignee", "assignees", "milestone", "created_at", "updated_at", "closed_at", "author_association")
        url = f"{self._at(repo)}/issues/{pull.number}"
        return {
            **{key: whole[key] for key in (*same, *more)},
            "url": url,
            "repository_url": self._at(repo),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "html_url": whole["html_url"],
            "state_reason": None,
            "pull_request": {key: whole[key] for key in ("url", "html_url", "diff_url", "patch_url", "merged_at")},
        }

    def comment(self, repo: Repository, pull: Pull, comment: Comment) -> Json:
        """An `issue-comment`."""
        return {
            "id": comment.id,
            "node_id": f"IC_{comment.id}",
            "url": f"{self._at(repo)}/issues/comments/{comment.id}",
            "html_url": f"{HTML}/{repo.full_name}/pull/{pull.number}#issuecomment-{comment.id}",
            "issue_url": f"{self._at(repo)}/issues/{pull.number}",
            "user": self.user(comment.login),
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "body": comment.body,
            "author_association": self._association(repo, comment.login),
            "performed_via_github_app": self._app(comment.login),
        }

    def _app(self, login: str) -> Json | None:
        """The app behind a bot's comment; the workflows' own bot is not named as one."""
        if login == BOT or not login.endswith("[bot]"):
            return None
        slug = login.removesuffix("[bot]")
        number, day = account_id(login), "2026-01-01T00:00:00Z"
        return {
            **{"id": number, "slug": slug, "node_id": f"A_{number}", "owner": self.user("acme"), "name": slug},
            **{"description": None, "external_url": HTML, "html_url": f"{HTML}/apps/{slug}", "created_at": day},
            **{"updated_at": day, "permissions": {"pull_requests": "write"}, "events": []},
        }

    def timeline(self, repo: Repository, pull: Pull) -> list[Json]:
        """All entries in the order of time: events, commits and comments, each in a shape of its own."""
        entries: list[tuple[datetime, Json]] = []
        for event in pull.events:
            render = self._committed if event.kind == "committed" else self.event
            entries.append((event.created_at, render(repo, event)))
        for comment in pull.comments:
            more = {"event": "commented", "actor": self.user(comment.login)}
            entries.append((comment.created_at, {**self.comment(repo, pull, comment), **more}))
        return [entry for _, entry in sorted(entries, key=lambda each: each[0])]

    def events(self, repo: Repository, pull: Pull) -> Iterator[Json]:
        """The entries that the events API knows: neither commits nor comments."""
        return (self.event(repo, event) for event in pull.events if event.kind != "committed")

    def event(self, repo: Repository, event: Event) -> Json:
        """An `issue-event-for-issue`."""
        more: Json = {}
        if event.label is not None:
            more["label"] = {"name": event.label, "color": repo.labels.get(event.label, "ededed")}
        if event.kind == "renamed":
            more["rename"] = {"from": "An earlier title", "to": "A title"}
        return {
            "id": event.id,
            "node_id": f"E_{event.id}",
            "url": f"{self._at(repo)}/issues/events/{event.id}",
            "actor": self.user(event.actor),
            "event": event.kind,
            "commit_id": None,
            "commit_url": None,
            "created_at": stamp(event.created_at),
            "performed_via_github_app": None,
            **more,
        }

    def objects(self, repo: Repository) -> Objects:
        """The git objects of a repository."""
        return Objects(repo.folder, self._at(repo), f"{HTML}/{repo.full_name}")

    def push(self, push: Push) -> Json:
        """One row of a repository's activity."""
        facts = {"id": push.id, "node_id": f"PSH_{push.id}", "before": push.before, "after": push.after}
        return {
            **facts,
            "ref": push.ref,
            "timestamp": stamp(push.at),
            "activity_type": "push",
            "actor": self.user(push.actor),
        }

    def _committed(self, repo: Repository, event: Event) -> Json:
        return {**self.objects(repo).commit(event.sha or ""), "event": "committed"}

    def _side(self, side: Side) -> Json:
        whole = self.repository(self.repositories[side.repo]) if side.repo else None
        label = f"{side.owner}:{side.ref}"
        return {"label": label, "ref": side.ref, "sha": side.sha, "user": self.user(side.owner), "repo": whole}

    def _association(self, repo: Repository, login: str) -> str:
        if login == repo.owner:
            return "OWNER"
        return "COLLABORATOR" if login in repo.collaborators else "NONE"

    def _at(self, repo: Repository) -> str:
        return f"{self.api}/repos/{repo.full_name}"
