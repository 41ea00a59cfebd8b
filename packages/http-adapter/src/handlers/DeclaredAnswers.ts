/**
 * Answers the declared operations: an entity in the format that the client prefers; a list also in CSV (D13). Operations of clients use
 * JSON or XML, and each change runs once under its key (D5). Operations of operators use JSON (D11). Their answers are never kept under an
 * `Idempotency-Key`, because they may hold secrets that are shown only once.
 */
import type { Principal } from "@dockline/core/access/Access"
import { RequestOrigin } from "@dockline/core/access/AuditLog"
import * as Operation from "@dockline/core/access/Operation"
import type { AnyKeylessWrite } from "@dockline/core/access/Operation"
import { declaredOfOperators, wordsOf } from "@dockline/core/capability/DeclaredOperations"
import {
  methodsOf,
  OperationRegistry,
  reading,
  writeOf,
  writing
} from "@dockline/core/capability/OperationRegistry"
import { submitDocument } from "@dockline/core/document/DocumentOperations"
import { ExpectedVersions } from "@dockline/core/input/Precondition"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { operatorHandlers } from "@dockline/core/operator/OperatorHandlers"
import { operatorOperationsOf } from "@dockline/core/operator/OperatorOperations"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { MalformedRequest } from "@dockline/core/values/Errors"
import type { Page } from "@dockline/core/values/Page"
import { AuthenticationSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { csv, listType, restType } from "@dockline/wire/MediaType"
import type { RestType } from "@dockline/wire/MediaType"
import { Effect, Option, Predicate, Schema, Struct } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Csv from "../answer/Csv.ts"
import * as EntityTags from "../answer/EntityTags.ts"
import * as Parameters from "../answer/Parameters.ts"
import { statusOf, takesVersion } from "../api/Endpoints.ts"
import { CurrentPrincipal, partsOf } from "../api/Parts.ts"
import type { Answering, Query, RestCapability } from "../api/Parts.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as ClientAddress from "../tokens/ClientAddress.ts"
import * as Documents from "./Documents.ts"
import * as Write from "./Write.ts"

/** The format of the answers of an interface. */
interface Form {
  /** Chooses the format of an answer that is not in CSV. */
  readonly typeOf: (accept: string | undefined) => RestType
  readonly headers: Readonly<Record<string, string>>
}

/** Runs an operation. */
type Run = (input: Query, principal: Principal) => Effect.Effect<unknown, CatalogueError>

/** The query parameter for the cursor of the previous page. */
const cursorParameters: { readonly [Of in Operation.Cursor]: (next: string) => Query } = {
  id: (next) => ({ after: Number(next) }),
  name: (after) => ({ after }),
  position: (after) => ({ after }),
  message: (next) => ({ afterId: Number(next) }),
  count: (next) => ({ after: Number(next) })
}

/** Answers an operation that reads. The endpoint has already checked its parameters, and the query of a list. */
const answerRead =
  (operation: Operation.AnyRead | Operation.AnyList, run: Run, { headers, typeOf }: Form): Answering =>
  ({ params, query }) =>
    Effect.gen(function*() {
      const { accept } = (yield* HttpServerRequest.HttpServerRequest).headers
      const principal = yield* CurrentPrincipal
      if (operation.kind === "read") {
        yield* Parameters.only()
        const rootName = Answer.rootOf(operation.view)
        const view: unknown = yield* run({ ...params }, principal)
        const tag = yield* EntityTags.headersOf(operation, view)
        return Answer.show(rootName, view, typeOf(accept), { ...headers, ...tag })
      }
      const { columns: table, cursor, page } = operation
      const input: Query = { ...params, ...query }
      const listHeaders = { ...headers, vary: "accept" }
      if (listType(accept) !== csv) {
        return Answer.show(page, yield* run(input, principal), typeOf(accept), listHeaders)
      }
      const pages = {
        table,
        query: input,
        // The declaration of a list guarantees that it returns pages.
        read: (query: Query) => run(query, principal) as Effect.Effect<Page<unknown>, CatalogueError>,
        at: cursorParameters[cursor]
      }
      return yield* Csv.respond(pages, listHeaders)
    }).pipe(Effect.catch(Answer.respond))

const ofClients: Form = { typeOf: restType, headers: { vary: "accept" } }

const ofOperators: Form = { typeOf: () => "application/json", headers: {} }

/** Makes the handlers of changes by clients. */
const makeWriting = Effect.fnUntraced(function*(config: HttpConfig) {
  const handle = yield* Write.make(config)
  const registry = yield* OperationRegistry
  const run = writing(registry)
  return (method: string): Answering => {
    const operation = writeOf(registry.operations, method)
    const { creates, isBodyOptional, read, receipt, rest, show, view } = operation
    return ({ params = {} }) =>
      handle<object>({
        identity: [
          rest.replace(/:(\w+)/g, "{$1}"),
          ...Struct.keys(operation.params).map((name) => params[name] ?? "")
        ],
        body: isBodyOptional ? Write.optionalJson : Write.json,
        run: ({ bytes, principal }, once) =>
          run(method, { params, body: Write.readJson(bytes, read), principal, once }),
        rootName: Answer.rootOf(receipt?.view ?? view),
        show: (done) => ({
          status: (typeof creates === "function" ? creates(done) : creates) ? 201 : 200,
          value: receipt !== undefined ? receipt.of(done) : show !== undefined ? show(done) : done
        })
      })
  }
})

const clientAnswers = Effect.fnUntraced(function*(
  config: HttpConfig,
  capabilities: ReadonlyArray<RestCapability>
) {
  const registry = yield* OperationRegistry
  const { operations } = registry
  const parts = yield* Effect.forEach(partsOf(capabilities), ({ handlers }) => handlers(config))
  const read = reading(registry)
  const answerWrite = yield* makeWriting(config)
  return new Map<string, Answering>([
    ...Object.entries(operations).flatMap(([method, operation]): ReadonlyArray<[string, Answering]> =>
      operation.kind === "read" || operation.kind === "list"
        ? [[
          operation.name,
          answerRead(operation, (input, principal) => read(method, input, principal), ofClients)
        ]]
        : []
    ),
    ...methodsOf(operations, "write").map((method) =>
      [operations[method]!.name, answerWrite(method)] as const
    ),
    [submitDocument.name, yield* Documents.makeHandler(config)],
    ...parts.flat()
  ])
})

const operatorAnswers = Effect.fnUntraced(function*(config: HttpConfig) {
  const { capabilities, operatorHandlers: ofCapabilities } = yield* OperationRegistry
  const operations: Readonly<Record<string, Operation.AnyOfOperators>> = {
    ...operatorOperationsOf(yield* AuthenticationSchemes, wordsOf(capabilities)),
    ...declaredOfOperators(capabilities)
  }
  const handlers: Readonly<Record<string, Operation.AnyOperatorHandler>> = {
    ...yield* operatorHandlers,
    ...ofCapabilities
  }
  const answerWrite = makeKeylessWriting(config)
  return new Map(
    Object.entries(operations).map(([name, operation]): readonly [string, Answering] => {
      const run: Run = (input, principal) => handlers[name]!(input, principal)
      return [
        name,
        operation.kind === "write"
          ? answerWrite(operation, run)
          : answerRead(operation, run, ofOperators)
      ]
    })
  )
})

/** Makes the answers to the declared operations, and to the parts of the capabilities of the service. */
export const make = Effect.fnUntraced(function*(
  config: HttpConfig,
  capabilities: ReadonlyArray<RestCapability>
) {
  return Object.fromEntries([
    ...yield* clientAnswers(config, capabilities),
    ...yield* operatorAnswers(config)
  ])
})

/** Makes the handlers of writes without a key. They get the address of their client. */
const makeKeylessWriting = ({ bodyLimit, trustedProxies }: HttpConfig) => {
  const addresses = ClientAddress.make(trustedProxies)

  const readRequest = Effect.fnUntraced(function*(
    operation: AnyKeylessWrite,
    request: HttpServerRequest.HttpServerRequest
  ) {
    const { body, isBodyOptional, read = noFields } = operation
    const isOptional = body === undefined || isBodyOptional === true
    const { bytes } = yield* Write.receive(request, isOptional ? Write.optionalJson : Write.json, bodyLimit)
    yield* Parameters.onlyWith(takesVersion(operation) ? ["If-Match"] : [])
    if (request.method === "POST" && request.headers["idempotency-key"] !== undefined) {
      return yield* keyRefused
    }
    const expected = yield* Effect.fromResult(EntityTags.expectedBy(request.headers["if-match"]))
    return { body: yield* Write.readJson(bytes, read), expected }
  })

  return (operation: AnyKeylessWrite, run: Run): Answering => ({ params = {} }) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { body, expected } = request.method === "DELETE"
        ? yield* Effect.as(Parameters.only(), withoutBody)
        : yield* readRequest(operation, request)
      const address = addresses.of(Option.getOrUndefined(request.remoteAddress), request.headers)
      const done = yield* run({ ...params, body }, yield* CurrentPrincipal).pipe(
        Effect.provideService(RequestOrigin, { address }),
        Effect.provideService(ExpectedVersions, expected)
      )
      const status = statusOf(operation)
      if (status === 204) return HttpServerResponse.empty({ status })
      const value = operation.show === undefined ? done : operation.show(done)
      const headers = {
        ...locationOf(operation, params, value),
        ...(yield* EntityTags.headersOf(operation, value))
      }
      return value === undefined
        ? HttpServerResponse.empty({ status, headers })
        : HttpServerResponse.jsonUnsafe(value, { status, headers })
    }).pipe(Effect.catch(Answer.respond))
}

const withoutBody = { body: undefined, expected: undefined }

const noFields = RequestInput.reader(Schema.Struct({}), "the body")

/** The location of the created entity: the path of the request, followed by the field that names the entity. */
const locationOf = (
  { creates, rest }: AnyKeylessWrite,
  params: Readonly<Record<string, string>>,
  value: unknown
): Readonly<Record<string, string>> => {
  if (creates === undefined) return {}
  const path = rest.replace(/^\w+ /, "").replaceAll(
    /:(\w+)/g,
    (_, name: string) => encodeURIComponent(params[name] ?? "")
  )
  return {
    location: creates !== null && Predicate.hasProperty(value, creates)
      ? `${path}/${encodeURIComponent(String(value[creates]))}`
      : path
  }
}

const keyRefused = new MalformedRequest({
  errors: [{
    path: "Idempotency-Key",
    detail:
      "is not supported here, because the answer may hold a secret and is not kept; leave it out, and check the \
present state before you repeat the request"
  }]
})
