/**
 * The Model Context Protocol over one request: the official SDK answers a message, and the tools are ours.
 *
 * Guarantee: nothing outlives a request. There are no sessions, so any instance answers any request, and no streams: each message
 * is answered by one JSON text (D16.3).
 */
import type { Principal } from "@dockline/core/access/Access"
import {
  createMcpHandler,
  isLegacyRequest,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import type { McpConfig } from "./McpConfig.ts"
import { offeredTo } from "./Tools.ts"
import type { Tool, Tools } from "./Tools.ts"
import * as ToolText from "./ToolText.ts"

/** Calls a tool for the client of the request. */
type Call = (tool: Tool, args: Readonly<Record<string, unknown>>) => Promise<ToolText.ToolAnswer>

/** An answer, with the parts of its body. */
export interface Answer {
  readonly response: Response
  readonly parts: Iterator<string>
}

const instructions =
  "Dockline tracks shipments, orders and pallets at the docks of warehouses. Begin with search, which finds what a number or an \
LPN leads to. Lists answer pages: pass `next` of a page as `after` to read the one after it."

const serverFor = (
  { version }: McpConfig,
  tools: Tools,
  principal: Principal,
  call: (...request: Parameters<Call>) => Promise<ToolText.MarkedAnswer>
): Server => {
  const server = new Server(
    { name: "dockline", title: "Dockline", version },
    { capabilities: { tools: {} }, instructions }
  )
  server.setRequestHandler("tools/list", () => ({ tools: offeredTo(tools, principal) }))
  server.setRequestHandler("tools/call", ({ params: { arguments: args = {}, name } }) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
    return call(tool, args).then(ToolText.resultOf)
  })
  return server
}

const respond = async (server: Server, request: Request, message: unknown): Promise<Response> => {
  const options = { parsedBody: message }
  if (!(await isLegacyRequest(request, message))) {
    // Nothing that clients could listen to changes.
    return createMcpHandler(() => server, { legacy: "reject", maxSubscriptions: 0 }).fetch(request, options)
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, options)
  } finally {
    await server.close()
  }
}

/** Answers a message of a client, which is the parsed body of the request. */
export const answerMessage = async (
  config: McpConfig,
  request: Request,
  message: unknown,
  tools: Tools,
  principal: Principal,
  call: Call
): Promise<Answer> => {
  let answer: ToolText.MarkedAnswer | undefined
  const server = serverFor(
    config,
    tools,
    principal,
    async (tool, args) => answer = ToolText.withMark(await call(tool, args))
  )
  const response = originValidationResponse(request, [new URL(config.baseUrl).hostname]) ??
    (await respond(server, request, message))
  const text = await response.text()
  return { response, parts: answer === undefined ? [text].values() : ToolText.parts(text, answer) }
}
