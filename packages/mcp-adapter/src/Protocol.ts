/**
 * The Model Context Protocol over one request: the official SDK answers a message, and the tools are ours.
 *
 * Guarantee: nothing outlives a request. There are no sessions, so any instance answers any request, and no streams: each message
 * is answered by one JSON text (D16.3).
 */
import type { Principal } from "@dockline/core/Access"
import {
  createMcpHandler,
  isLegacyRequest,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { McpConfig } from "./McpConfig.ts"
import { offeredTo, tools } from "./Tools.ts"
import type { Tool } from "./Tools.ts"

/** Calls a tool for the client of the request. */
type Call = (tool: Tool, given: Readonly<Record<string, unknown>>) => Promise<CallToolResult>

const instructions =
  "Dockline tracks shipments, orders and pallets at the docks of warehouses. Begin with search, which finds what a number or an \
LPN leads to. Lists answer pages: pass `next` of a page as `after` to read the one after it."

const serverFor = ({ version }: McpConfig, principal: Principal, call: Call): Server => {
  const server = new Server(
    { name: "dockline", title: "Dockline", version },
    { capabilities: { tools: {} }, instructions }
  )
  server.setRequestHandler("tools/list", () => ({ tools: offeredTo(principal) }))
  server.setRequestHandler("tools/call", ({ params: { arguments: given = {}, name } }) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
    return call(tool, given)
  })
  return server
}

/** Answers a message of a client, which is the parsed body of the request. */
export const answer = async (
  config: McpConfig,
  request: Request,
  message: unknown,
  principal: Principal,
  call: Call
): Promise<Response> => {
  const foreign = originValidationResponse(request, [new URL(config.baseUrl).hostname])
  if (foreign !== undefined) return foreign
  const server = serverFor(config, principal, call)
  const given = { parsedBody: message }
  if (!(await isLegacyRequest(request, message))) {
    // Nothing that clients could listen to changes.
    return createMcpHandler(() => server, { legacy: "reject", maxSubscriptions: 0 }).fetch(request, given)
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, given)
  } finally {
    await server.close()
  }
}
