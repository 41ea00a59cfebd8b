/** Handlers for endpoints of capability parts whose parameters are all texts. */
import type { Principal } from "@dockline/core/access/Access"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { restType } from "@dockline/wire/Accept"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import type { Answering, Query } from "../api/Parts.ts"

/** The parameters of a request, by their names. */
export type Texts = Readonly<Record<string, string>>

/** Answers in JSON or XML with this root element; refuses parameters with other names. */
export const textQuery = (
  rootName: string,
  names: ReadonlyArray<string>,
  work: (query: Texts, principal: Principal) => Effect.Effect<object, CatalogueError>
): Answering =>
({ query = {} }) =>
  Effect.gen(function*() {
    const { accept } = (yield* HttpServerRequest.HttpServerRequest).headers
    const principal = yield* CurrentPrincipal
    yield* Parameters.only(...names)
    // The parameters of these endpoints are texts.
    const value = yield* work(query as Query & Texts, principal)
    return Answer.show(rootName, value, restType(accept), { vary: "accept" })
  }).pipe(Effect.catch(Answer.respond))
