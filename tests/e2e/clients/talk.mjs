// Talks to an MCP server as a program on the TypeScript SDK does, and prints what it heard as one JSON object.
//
// Usage: node talk.mjs SDK MODE CALLS
//   SDK    2: @modelcontextprotocol/client; 1: @modelcontextprotocol/sdk
//   MODE   legacy, auto, or a protocol revision; SDK 1 knows only legacy
//   CALLS  a JSON list of [tool, arguments]
// MCP_URL is the server's address, MCP_TOKEN the access token (none where it is empty).
// Where the server cannot be used, it prints {"failure": TEXT} and ends with status 3.

import * as current from "@modelcontextprotocol/client";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as PreviousTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [sdk, mode, calls] = process.argv.slice(2);
const { MCP_URL, MCP_TOKEN } = process.env;
const headers = MCP_TOKEN ? { Authorization: `Bearer ${MCP_TOKEN}` } : {};

function open() {
  const self = { name: "docshelf-tests", version: "1.0.0" };
  const url = new URL(MCP_URL);
  const options = { requestInit: { headers } };
  if (sdk === "1") {
    return [new PreviousClient(self), new PreviousTransport(url, options)];
  }
  const negotiation = mode === "legacy" || mode === "auto" ? mode : { pin: mode };
  const client = new current.Client(self, { versionNegotiation: { mode: negotiation } });
  return [client, new current.StreamableHTTPClientTransport(url, options)];
}

async function talk() {
  const [client, transport] = open();
  await client.connect(transport);
  const { tools } = await client.listTools();
  const answers = [];
  for (const [name, args] of JSON.parse(calls)) {
    const { content, isError } = await client.callTool({ name, arguments: args });
    answers.push({ text: content.map((part) => part.text).join("\n"), is_error: isError ?? false });
  }
  const heard = {
    instructions: client.getInstructions() ?? "",
    tools: Object.fromEntries(tools.map((tool) => [tool.name, tool.description])),
    answers,
  };
  await client.close();
  return heard;
}

try {
  console.log(JSON.stringify(await talk()));
} catch (error) {
  console.log(JSON.stringify({ failure: `${error?.name}: ${error?.message}` }));
  process.exitCode = 3;
}
