/**
 * Answers the declared operations of clients: what reads in the form that the client prefers, lists in CSV too, what changes
 * something once under its key (D5, D13).
 */
import type { Principal } from "@dockline/core/Access"
import { handlers, reading, writing } from "@dockline/core/internal/operations/Handlers"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import type * as Operation from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"
import type { MethodOf, Operations } from "@dockline/core/Operations"
import type { Page } from "@dockline/core/Page"
import { csv, listType, restType } from "@dockline/wire/internal/Accept"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Csv from "../answer/Csv.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import { group } from "./DeclaredGroup.ts"
import type { Answering, Given } from "./DeclaredGroup.ts"
import * as Documents from "./Documents.ts"
import * as Write from "./Write.ts"

/** Answers a read in the form that the client prefers, in XML under this root element, and its errors as problems. */
const answerRead = <A, E extends CatalogueError, R>(
  rootName: string,
  read: (principal: Principal) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    return Answer.show(rootName, yield* read(yield* CurrentPrincipal), restType(headers["accept"]), varying)
  }).pipe(Effect.catch(Answer.respond))

const varying = { vary: "accept" }

/** Answers a read of a list, in CSV too. */
const answerList = <Query extends { readonly limit?: number | undefined }, Row, E extends CatalogueError, R>(
  rootName: string,
  table: Operation.Table<Row>,
  query: Query,
  read: (query: Query, principal: Principal) => Effect.Effect<Page<Row>, E, R>,
  at: Csv.List<Query, Row, E, R>["at"]
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    const type = listType(headers["accept"])
    return type === csv
      ? yield* Csv.respond({ table, query, read: (query) => read(query, principal), at }, varying)
      : Answer.show(rootName, yield* read(query, principal), type, varying)
  }).pipe(Effect.catch(Answer.respond))

/** The parameter with which a page begins after the one before. */
const positions: {
  readonly [Of in Operation.Cursor]: (next: string) => Readonly<Record<string, number | string>>
} = {
  id: (next) => ({ after: Number(next) }),
  name: (after) => ({ after }),
  position: (after) => ({ after }),
  message: (next) => ({ afterId: Number(next) }),
  count: (next) => ({ after: Number(next) })
}

/** What a list is asked for; only its declaration knows more. */
type Query = Readonly<Record<string, unknown>> & { readonly limit?: number }

/** Makes the handlers of what reads. */
const makeReading = Effect.map(
  handlers,
  (handlers) => {
    const read = reading(handlers)
    return (method: MethodOf<Operation.AnyRead | Operation.AnyList>) => {
      const operation: Operation.AnyRead | Operation.AnyList = operations[method]
      return ({ params = {}, query }: Given) =>
        operation.kind === "list"
          ? answerList(
            operation.page,
            operation.columns,
            { ...params, ...query } as Query,
            (query: Query, principal): Effect.Effect<Page<never>, CatalogueError> =>
              read(method, query, principal),
            positions[operation.cursor]
          )
          : answerRead(
            Answer.rootOf(operation.view),
            (principal) => Effect.andThen(Parameters.only(), read(method, params, principal))
          )
    }
  }
)

/** Makes the handlers of what changes something. */
const makeWriting = Effect.fnUntraced(function*(config: HttpConfig) {
  const handle = yield* Write.make(config)
  const run = writing(yield* handlers)
  return (method: MethodOf<Operation.AnyWrite>) => {
    const operation: Operation.AnyWrite = operations[method]
    const { creates, isBodyOptional, read, receipt, rest, show, view } = operation
    const body = isBodyOptional ? Write.optionalJson : Write.json
    const rootName = Answer.rootOf(receipt?.view ?? view)
    return ({ params = {} }: Given) =>
      handle<never>({
        operation: [
          rest.replace(/:(\w+)/g, "{$1}"),
          ...Object.keys(operation.params).map((name) => params[name]!)
        ],
        parameters: [],
        body,
        run: ({ bytes, principal }, once) =>
          run(method, { params, body: Write.readJson(bytes, read), principal, once }),
        show: (done) => ({
          status: (typeof creates === "function" ? creates(done) : creates) ? 201 : 200,
          headers: {},
          rootName,
          value: receipt !== undefined ? receipt.of(done) : show !== undefined ? show(done) : done
        })
      })
  }
})

/** Makes the handlers of all operations, by their names. */
const answering = Effect.fnUntraced(function*(config: HttpConfig) {
  const answerRead = yield* makeReading
  const answerWrite = yield* makeWriting(config)
  const submit = yield* Documents.makeHandler(config)
  const answerOf = (method: keyof Operations): Answering => {
    const { kind } = operations[method]
    if (kind === "upload") return ({ query }: Given) => submit(query ?? {})
    return kind === "write"
      ? answerWrite(method as MethodOf<Operation.AnyWrite>)
      : answerRead(method as MethodOf<Operation.AnyRead | Operation.AnyList>)
  }
  return new Map<string, Answering>(
    Object.entries(operations).map(([method, { name }]) => [name, answerOf(method as keyof Operations)])
  )
})

/** The groups of the operations of clients. */
export const layer = (config: HttpConfig) =>
  Layer.unwrap(Effect.map(answering(config), (answers) => {
    const answeringOf = (operation: string) => answers.get(operation)!
    return Layer.mergeAll(
      group("documents", answeringOf),
      group("shipments", answeringOf),
      group("pallets", answeringOf),
      group("exceptions", answeringOf),
      group("messages", answeringOf)
    )
  }))
