# A client on the official Python SDK: calls a tool with progress, stages a change, applies half of it and undoes it.
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

program, folder, home = sys.argv[1:4]
log = []


def text(result):
    return [block.text for block in result.content if block.type == "text"]


async def main():
    server = StdioServerParameters(command=program, args=["mcp", "serve", "--cwd", folder], env={"HOME": home})
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            log.append({"tools": [tool.name for tool in (await session.list_tools()).tools]})

            async def progress(value, total, message):
                log.append({"progress": message})

            result = await session.call_tool("rename_word", {"from": "world", "to": "earth"}, progress_callback=progress)
            log.append({"rename_word": text(result)})
            diff = await session.read_resource("toolsmith://pending/1")
            log.append({"diff": diff.contents[0].text})
            arguments = {"id": "1", "action": "apply", "reason": "Only the first file", "files": ["a.txt"]}
            log.append({"toolsmith_resolve": text(await session.call_tool("toolsmith_resolve", arguments))})
            log.append({"files": [open(f"{folder}/{name}").read() for name in ("a.txt", "b.txt")]})
            log.append({"toolsmith_undo": text(await session.call_tool("toolsmith_undo", {}))})
            log.append({"files": [open(f"{folder}/{name}").read() for name in ("a.txt", "b.txt")]})


asyncio.run(main())
print(json.dumps(log))
