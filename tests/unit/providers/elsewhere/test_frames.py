"""Messages over a socket, however it cuts them up."""

import asyncio
import socket

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.providers.elsewhere.frames import MOST_ITEMS, Frames
from gate.providers.elsewhere.wire import Item, dumps


def framed(items: list[Item]) -> bytes:
    body = dumps([*items])
    return len(body).to_bytes(4, "big") + body


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.lists(st.text(max_size=8) | st.integers(), max_size=3), max_size=4), max_size=5), st.data())
def test_messages_arrive_whole_however_they_are_cut(messages: list[list[Item]], data: st.DataObject) -> None:
    stream = b"".join(framed(message) for message in messages)
    heard: list[list[Item]] = []
    frames = Frames(heard.append, lambda: None)
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        frames.data_received(stream[:size])
        stream = stream[size:]
    assert heard == messages


def test_what_is_said_before_there_is_a_connection_waits_for_it_and_travels_together() -> None:
    heard: list[list[Item]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        gone = asyncio.Event()
        here, there = Frames(lambda _: None, lambda: None), Frames(heard.append, gone.set)
        for number in range(3):
            here.say([number])
        await loop.create_connection(lambda: there, sock=theirs)
        await loop.create_connection(lambda: here, sock=ours)
        for number in range(3, 3 + MOST_ITEMS):
            here.say([number])
        here.close()
        await gone.wait()
        there.close()

    asyncio.run(main())
    assert [item for items in heard for item in items] == [[number] for number in range(3 + MOST_ITEMS)]
    assert len(heard) == 2
