/** Answers the declared operations that read: an entity in the format that the client prefers; a list also in CSV (D13). */
import type { Principal } from "@dockline/core/access/Access"
import type * as Operation from "@dockline/core/access/Operation"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import type { Page } from "@dockline/core/values/Page"
import { csv, listType } from "@dockline/wire/Accept"
import type { RestType } from "@dockline/wire/Accept"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Csv from "../answer/Csv.ts"
import * as EntityTags from "../answer/EntityTags.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import type { Answering, Query } from "../api/Parts.ts"

/** The format of the answers of an interface. */
export interface Form {
  /** Chooses the format of an answer that is not in CSV. */
  readonly typeOf: (accept: string | undefined) => RestType
  readonly headers: Readonly<Record<string, string>>
}

/** Runs an operation. */
export type Run = (input: Query, principal: Principal) => Effect.Effect<unknown, CatalogueError>

/** The query parameter for the cursor of the previous page. */
const positions: { readonly [Of in Operation.Cursor]: (next: string) => Query } = {
  id: (next) => ({ after: Number(next) }),
  name: (after) => ({ after }),
  position: (after) => ({ after }),
  message: (next) => ({ afterId: Number(next) }),
  count: (next) => ({ after: Number(next) })
}

/** Answers an operation that reads. The endpoint has already checked its parameters, and the query of a list. */
export const answering =
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
        at: positions[cursor]
      }
      return yield* Csv.respond(pages, listHeaders)
    }).pipe(Effect.catch(Answer.respond))
