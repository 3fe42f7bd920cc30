"""Interop with the official Python SDK, through fastmcp.

    python python_client.py stdio COMMAND ARG…
    python python_client.py http URL TOKEN

Exits with 0 if the handshake, the lists and a round trip through the memory work.
"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

EXPECTED = {"memory_recall", "memory_remember"}


def transport(kind: str, rest: list[str]):
    if kind == "http":
        return StreamableHttpTransport(rest[0], headers={"Authorization": f"Bearer {rest[1]}"})
    return StdioTransport(command=rest[0], args=rest[1:])


async def main() -> None:
    async with Client(transport(sys.argv[1], sys.argv[2:])) as client:
        tools = {tool.name for tool in await client.list_tools()}
        assert EXPECTED <= tools, f"tools: {sorted(tools)}"
        await client.call_tool("memory_remember", {"text": "The deploy window opens on Tuesdays at nine."})
        found = await client.call_tool("memory_recall", {"query": "when is the deploy window"})
        assert "Tuesdays" in str(found), f"recall: {found}"
        resources = await client.list_resources()
        prompts = await client.list_prompts()
        print(f"tools {sorted(tools)}, {len(resources)} resources, {len(prompts)} prompts")


asyncio.run(main())
