/** What the tests of MCP share: a server with its routes on a real socket, and the official client of TypeScript. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { CallToolResult } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import type { Reply } from "../../../test/http/Wire.ts"
import { baseUrl, TestServer } from "../../../test/support/TestServer.ts"
import type { DemoClient, RequestOptions } from "../../../test/support/TestServer.ts"
import * as McpAdapter from "../src/McpAdapter.ts"
import { defaultMcpConfig } from "../src/McpAdapter.ts"
import type { McpConfig } from "../src/McpAdapter.ts"

/** The routes, with settings that differ from the defaults. */
export const routes = (config: Partial<McpConfig> = {}) =>
  McpAdapter.routes({ ...defaultMcpConfig, baseUrl, authorizationServers: [baseUrl], ...config })

/** The revisions of the protocol that a client speaks: those with a handshake, or the one without. */
export type Revision = "legacy" | "auto"

/** The official client, connected. */
export const connect = Effect.fnUntraced(function*(revision: Revision, client: DemoClient = "acme-client") {
  const { port, token } = yield* TestServer
  const authorization = `Bearer ${yield* token(client)}`
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const mcp = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: revision } })
      await mcp.connect(
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
          requestInit: { headers: { authorization } }
        })
      )
      return mcp
    }),
    (mcp) => Effect.promise(() => mcp.close())
  )
})

interface McpOptions extends RequestOptions {
  readonly body?: string
}

/** Sends any request to the interface. */
export const request = Effect.fnUntraced(
  function*(
    method: string,
    path: string,
    { body, client = "acme-client", headers = {} }: McpOptions = {}
  ) {
    const { port, token } = yield* TestServer
    const authorization = client === null ? {} : { authorization: `Bearer ${yield* token(client)}` }
    return yield* Effect.promise(async (): Promise<Reply> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...authorization,
          ...headers
        },
        ...(body === undefined ? {} : { body })
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        body: text === "" ? undefined : JSON.parse(text)
      }
    })
  }
)

/** Sends any message, as text or as a value. */
export const send = (message: unknown, options: McpOptions = {}) =>
  request("POST", "/mcp", {
    ...options,
    body: typeof message === "string" ? message : JSON.stringify(message)
  })

/** A request of the protocol. */
export const asking = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params })

/** Calls a tool by a bare request. */
export const call = Effect.fnUntraced(function*(name: string, input: object, options?: McpOptions) {
  const { body } = yield* send(asking("tools/call", { name, arguments: input }), options)
  return body as { readonly result: CallToolResult; readonly error?: unknown }
})
