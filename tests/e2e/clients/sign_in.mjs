// Signs in to an MCP server and calls a tool, as a program on the TypeScript SDK does; prints the answer as JSON.
//
// Usage: node sign_in.mjs SDK TOOL ARGUMENTS
//   SDK        2: @modelcontextprotocol/client; 1: @modelcontextprotocol/sdk
//   ARGUMENTS  a JSON object
// MCP_URL is the server's address, and BROWSER the program that opens an address for the person. What the program
// remembers stays in HOME: the next run has the client and the tokens of this one.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import * as current from "@modelcontextprotocol/client";
import { UnauthorizedError as PreviousUnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as PreviousTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [sdk, tool, args] = process.argv.slice(2);
const { MCP_URL, BROWSER, HOME } = process.env;
const NAME = `TypeScript SDK ${sdk}`;

class Provider {
  constructor(port) {
    this.redirectUrl = `http://localhost:${port}/callback`;
    this.file = join(HOME, `typescript-sdk-${sdk}.json`);
    this.expected = randomUUID();
  }

  get clientMetadata() {
    return {
      client_name: NAME,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state = () => this.expected;
  clientInformation = () => this.remembered().client;
  saveClientInformation = (client) => this.remember({ client });
  tokens = () => this.remembered().tokens;
  saveTokens = (tokens) => this.remember({ tokens });
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => {
    this.verifier = verifier;
  };
  redirectToAuthorization = (url) => {
    spawn(BROWSER, [url.href], { stdio: ["ignore", "inherit", "inherit"] });
  };
  invalidateCredentials = (scope) => {
    if (scope === "all" || scope === "client") this.remember({ client: undefined });
    if (scope === "all" || scope === "tokens") this.remember({ tokens: undefined });
  };

  remembered() {
    try {
      return JSON.parse(readFileSync(this.file, "utf8"));
    } catch (error) {
      if (error.code === "ENOENT") return {};
      throw error;
    }
  }

  remember(what) {
    writeFileSync(this.file, JSON.stringify({ ...this.remembered(), ...what }), { mode: 0o600 });
  }
}

function open(provider) {
  const self = { name: "docshelf-tests", version: "1.0.0" };
  const url = new URL(MCP_URL);
  if (sdk === "1") {
    return [new PreviousClient(self), new PreviousTransport(url, { authProvider: provider })];
  }
  const client = new current.Client(self, { versionNegotiation: { mode: "auto" } });
  return [client, new current.StreamableHTTPClientTransport(url, { authProvider: provider })];
}

async function connected(provider, callback) {
  const [client, transport] = open(provider);
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    const begun = error instanceof current.UnauthorizedError || error instanceof PreviousUnauthorizedError;
    if (!begun || !provider.verifier) throw error;
  }
  const answer = await callback;
  if (answer.get("state") !== provider.expected) throw new Error("the state is not the one that was sent");
  if (answer.has("error")) throw new Error(`${answer.get("error")}: ${answer.get("error_description")}`);
  await transport.finishAuth(sdk === "1" ? answer.get("code") : answer);
  const [next, transportOfNext] = open(provider);
  await next.connect(transportOfNext);
  return next;
}

const server = createServer();
const callback = new Promise((resolve) => {
  server.on("request", (request, response) => {
    response.end("You can close this window.");
    resolve(new URL(request.url, "http://localhost").searchParams);
  });
});
server.listen(0, "localhost");
await once(server, "listening");
try {
  const client = await connected(new Provider(server.address().port), callback);
  const { content, isError } = await client.callTool({ name: tool, arguments: JSON.parse(args) });
  console.log(JSON.stringify({ text: content.map((part) => part.text).join("\n"), is_error: isError ?? false }));
  await client.close();
} catch (error) {
  console.log(JSON.stringify({ failure: `${error?.name}: ${error?.message}` }));
  process.exitCode = 3;
} finally {
  server.close();
}
