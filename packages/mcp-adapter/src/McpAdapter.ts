/**
 * The Model Context Protocol: `POST /mcp`, at which each declared operation is a tool (D16.3).
 *
 * ```ts
 * // `services` are those of core, an `Authenticator` and `RequestLimits`
 * HttpRouter.serve(McpAdapter.routes(config)).pipe(Layer.provide(services))
 * ```
 *
 * Guarantee: a request is checked, counted and bounded like a REST request: its token and the rate limit before its body is read (D10.5),
 * and its answer by the memory that its client may use (D12.3).
 */
import type { Principal } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import { Keeping } from "@dockline/core/access/Idempotency"
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Strategies } from "@dockline/core/document/Strategy"
import * as JsonText from "@dockline/core/input/JsonText"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { MalformedRequest } from "@dockline/core/values/Errors"
import { MethodNotAllowed, ResourceNotFound } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { withCacheControl } from "@dockline/wire/AnswerHeaders"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import { contentTypeReader } from "@dockline/wire/MediaType"
import { mcpPath, pathOf } from "@dockline/wire/Path"
import * as Pieces from "@dockline/wire/Pieces"
import * as Refusal from "@dockline/wire/Refusal"
import * as RequestAdmission from "@dockline/wire/RequestAdmission"
import {
  createMcpHandler,
  isLegacyRequest,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { Effect, Layer, Stream } from "effect"
import type { Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import * as ToolCalls from "./ToolCalls.ts"
import { offeredTo, toolsOf } from "./Tools.ts"
import type { Tool, Tools } from "./Tools.ts"

/** The defaults of {@link McpConfig}. */
export const defaultMcpConfig = {
  /** The address that clients use, without a trailing slash. */
  baseUrl: "http://localhost:8080",
  /** The issuers of the tokens that the service accepts, for clients that look for an issuer (RFC 9728). */
  authorizationServers: ["http://localhost:8080"] as ReadonlyArray<string>,
  /** The largest request body, in bytes (413 beyond it). */
  bodyLimit: 1024 * 1024,
  /** The version of the service, for clients. */
  version: "0.1.0"
}

/** Settings of the MCP adapter; see {@link defaultMcpConfig}. */
export type McpConfig = Readonly<typeof defaultMcpConfig>

/** Calls a tool for the client of the request. */
type Call = (tool: Tool, args: Readonly<Record<string, unknown>>) => Promise<ToolCalls.ToolAnswer>

/** The answer to a message: its status and headers, and the parts of its text. */
export interface Answer {
  readonly response: Response
  readonly parts: Iterator<string>
}

const instructions =
  "Dockline tracks shipments, orders and pallets at the docks of warehouses. Begin with search, which finds entities by a number or an \
LPN. Lists answer pages: pass `next` of a page as `after` to read the one after it."

const serverFor = (
  { version }: McpConfig,
  tools: Tools,
  principal: Principal,
  call: (...request: Parameters<Call>) => Promise<ToolCalls.MarkedAnswer>
): Server => {
  const server = new Server(
    { name: "dockline", title: "Dockline", version },
    { capabilities: { tools: {} }, instructions }
  )
  server.setRequestHandler("tools/list", () => ({ tools: offeredTo(tools, principal) }))
  server.setRequestHandler("tools/call", ({ params: { arguments: args = {}, name } }) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
    return call(tool, args).then(ToolCalls.resultOf)
  })
  return server
}

const respond = async (server: Server, request: Request, message: unknown): Promise<Response> => {
  const options = { parsedBody: message }
  if (!(await isLegacyRequest(request, message))) {
    // No subscriptions: nothing that clients could listen to ever changes.
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

/**
 * Answers a message of a client, which is the parsed body of the request. The official SDK speaks the protocol; the tools are ours.
 *
 * Guarantee: nothing outlives a request. There are no sessions, so any instance answers any request, and no streams: each message gets one
 * JSON text as its answer (D16.3).
 */
export const answerMessage = async (
  config: McpConfig,
  request: Request,
  message: unknown,
  tools: Tools,
  principal: Principal,
  call: Call
): Promise<Answer> => {
  let answer: ToolCalls.MarkedAnswer | undefined
  const server = serverFor(
    config,
    tools,
    principal,
    async (tool, args) => answer = ToolCalls.withMark(await call(tool, args))
  )
  const response = originValidationResponse(request, [new URL(config.baseUrl).hostname]) ??
    (await respond(server, request, message))
  const text = await response.text()
  return { response, parts: answer === undefined ? [text].values() : ToolCalls.parts(text, answer) }
}

/** The path of the interface, and the paths of its metadata for clients that look for a token (RFC 9728). */
export const routes = (config: McpConfig = defaultMcpConfig) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const handle = yield* make(config)
    // A router also accepts other spellings of a path; this one is served under a single spelling (`Path` of wire).
    const at = (
      path: `/${string}`,
      handle: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<
        HttpServerResponse.HttpServerResponse,
        never,
        Scope.Scope
      >
    ) =>
    (request: HttpServerRequest.HttpServerRequest) =>
      pathOf(request.url) === path
        ? handle(request)
        : refuse(config, new ResourceNotFound({ path: pathOf(request.url) }))
    yield* router.add("*", mcpPath, at(mcpPath, handle))
    const metadata = HttpServerResponse.jsonUnsafe(metadataOf(config))
    for (const path of [metadataPath, `${metadataPath}${mcpPath}`] as const) {
      yield* router.add("GET", path, at(path, () => Effect.succeed(metadata)))
    }
  })).pipe(Layer.provide(Keeping.layer))

/** The interface as the resource of a token (RFC 8707). */
export const resourceOf = (baseUrl: string): string => `${baseUrl}${mcpPath}`

const metadataPath = "/.well-known/oauth-protected-resource"

const metadataOf = ({ authorizationServers, baseUrl }: McpConfig) => ({
  resource: resourceOf(baseUrl),
  authorization_servers: authorizationServers,
  bearer_methods_supported: ["header"],
  resource_name: "Dockline"
})

/** Answers an error as a problem. A client without a valid token gets the address of the metadata, which names the token issuers. */
const refuse = ({ baseUrl }: McpConfig, error: CatalogueError) => {
  const answer = Refusal.answerIn("problem", error)
  const challenge = answer.headers["www-authenticate"]
  if (challenge === undefined) return Refusal.respond("mcp", error, answer)
  const metadata = `${
    challenge === "Bearer" ? " " : ", "
  }resource_metadata="${baseUrl}${metadataPath}${mcpPath}"`
  const headers = { ...answer.headers, "www-authenticate": `${challenge}${metadata}` }
  return Refusal.respond("mcp", error, { ...answer, headers })
}

const malformed = (detail: string) => new MalformedRequest({ errors: [{ path: "", detail }] })

const readType = contentTypeReader("application/json")

/** Reads the message of a request (D2.6). Refuses a batch, which would count as one request. */
const readMessage = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  { bodyLimit }: McpConfig
) {
  const { method } = request
  if (method !== "POST") return yield* new MethodNotAllowed({ method, allowed: ["POST"] })
  yield* Effect.fromResult(readType(request.headers))
  const bytes = yield* BoundedBody.read(request, bodyLimit).pipe(
    Effect.catchTag("HttpServerError", () => Effect.fail(malformed("ended before it was complete")))
  )
  const { value } = yield* JsonText.read(bytes).pipe(
    Effect.mapError(({ errors }) => new MalformedRequest({ errors }))
  )
  if (Array.isArray(value)) {
    return yield* malformed("is a list; batches are not supported: send one message in each request")
  }
  return value
})

/** The HTTP response to a request; a long text is written in pieces. */
const responseOf = (
  { parts, response: { headers, status } }: Answer
): HttpServerResponse.HttpServerResponse => {
  const options = { status, headers: Object.fromEntries(headers) }
  const body = Pieces.outputOf(parts)
  if (body._tag === "Pieces") return HttpServerResponse.stream(Stream.encodeText(body.pieces), options)
  return body.text === "" ? HttpServerResponse.empty(options) : HttpServerResponse.text(body.text, options)
}

const make = (config: McpConfig) =>
  Effect.gen(function*() {
    const { authenticate } = yield* Authenticator
    const admit = yield* RequestAdmission.make
    const call = yield* ToolCalls.make
    const { operations } = yield* OperationRegistry
    const tools = toolsOf(operations, { vocabulary: yield* Vocabulary, strategies: yield* Strategies })

    const answerRequest = Effect.fnUntraced(
      function*(request: HttpServerRequest.HttpServerRequest, principal: Principal) {
        const message = yield* readMessage(request, config)
        const caller = { principal, key: request.headers["idempotency-key"] }
        const context = yield* Effect.context<never>()
        return yield* Effect.promise(async (signal) => {
          const clientRequest = new Request(resourceOf(config.baseUrl), {
            method: "POST",
            headers: request.headers,
            signal
          })
          return responseOf(
            await answerMessage(
              config,
              clientRequest,
              message,
              tools,
              principal,
              (tool, args) => Effect.runPromiseWith(context)(call(tool, args, caller), { signal })
            )
          )
        })
      }
    )

    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.gen(function*() {
        const { principal } = yield* authenticate(request.headers["authorization"])
        yield* RequestLog.add({ route: mcpPath, clientId: principal.clientId })
        const memory = yield* admit(principal)
        return yield* Effect.provideService(answerRequest(request, principal), AnswerMemory, memory)
      }).pipe(Effect.catch((error) => refuse(config, error)), Effect.map(withCacheControl))
  })
