#!/usr/bin/env python3
"""`thresh mcp` with a real client: the Python package mcp, from the registry, in BUILD/venv-mcp.

    tests/mcp/test_mcp_client.py SOURCE BUILD THRESH

Exits with status 77, "skipped", where the package cannot be had.
"""
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile


def in_environment(source, build, thresh):
    """Runs this script again with a python that has the client."""
    made = subprocess.run([sys.executable, os.path.join(source, "scripts", "venv"), os.path.join(build, "venv-mcp"), "mcp"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        return made.returncode
    return subprocess.run([made.stdout.strip(), os.path.abspath(__file__), source, thresh], check=False).returncode


def content(result):
    """The answer of a tool, of which the text and the structured content must say the same."""
    assert not failed(result), result
    text = json.loads(result.content[0].text)
    structured = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    assert structured == text, (structured, text)
    return text


def failed(result):
    return getattr(result, "is_error", None) or getattr(result, "isError", None)


def error(result):
    assert failed(result), result
    return result.content[0].text


async def use_tools(session):
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert sorted(tools) == ["extract", "learn", "records", "verify"], tools
    for tool in tools.values():
        schema = getattr(tool, "input_schema", None) or tool.inputSchema
        assert schema["type"] == "object" and "inputs" in schema["properties"], tool
        assert tool.description

    call = session.call_tool
    first = content(await call("records", {"inputs": ["books.html"], "limit": 3}))
    assert first["records"] == 3 and first["next"] == 3, first
    rest = content(await call("records", {"inputs": ["books.html"], "limit": 3, "first": first["next"]}))
    titles = [next(iter(record.values())) for part in (first, rest) for page in part["pages"] for record in page["records"]]
    assert titles == ["The Salt Road", "A Field Guide to Gates", "Nine Small Boats", "Winter Bread"], titles
    assert "next" not in rest

    wrong = {"page": "books.html", "records": [{"title": "A Feld Guide to Gates", "price": "€ 22.00"}]}
    said = error(await call("learn", {"inputs": ["books.html"], "labels": [wrong]}))
    assert 'the most similar text is "A Field Guide to Gates"' in said, said
    wrong["records"][0]["title"] = "A Field Guide to Gates"
    learnt = content(await call("learn", {"inputs": ["books.html"], "labels": [wrong], "save_as": "books.json"}))
    assert learnt["wrapper"] == "books.json" and learnt["wrong"] == 0, learnt
    kept = content(await call("learn", {"inputs": ["books.html"], "examples": {"title": "Winter Bread"}}))
    for wrapper in ("books.json", kept["wrapper"]):
        found = content(await call("extract", {"wrapper": wrapper, "inputs": ["books.html"]}))
        assert [record["title"] for record in found["pages"][0]["records"]] == titles, found
    verdict = content(await call("verify", {"wrapper": "books.json", "inputs": ["books.html"]}))
    assert verdict["verdict"] == "fine" and not verdict["drift"], verdict

    assert "below" in error(await call("records", {"inputs": ["../secret.html"]}))
    assert "loopback" in error(await call("records", {"inputs": ["http://127.0.0.1:1/"]}))


async def main(source, thresh):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    with tempfile.TemporaryDirectory(prefix="thresh-mcp-") as top:
        root = os.path.join(top, "root")
        os.mkdir(root)
        shutil.copy(os.path.join(source, "examples", "pages", "books.html"), root)
        shutil.copy(os.path.join(source, "examples", "pages", "bikes.html"), os.path.join(top, "secret.html"))
        server = StdioServerParameters(command=thresh, args=["mcp", "--root", root])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            begun = await session.initialize()
            info = getattr(begun, "server_info", None) or begun.serverInfo
            assert info.name == "thresh", begun
            await session.send_ping()
            await use_tools(session)
        if hasattr(ClientSession, "discover"):
            os.remove(os.path.join(root, "books.json"))
            async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
                await session.discover()
                await use_tools(session)
    print("all is well")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        sys.exit(in_environment(*sys.argv[1:]))
    asyncio.run(main(*sys.argv[1:]))
