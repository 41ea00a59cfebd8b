/**
 * `POST /v1/documents`: from the bytes of a document, in JSON or XML, to core's intake and back.
 */
import { Intake } from "@dockline/core/Intake"
import type { RestType } from "@dockline/core/internal/Accept"
import type { IntakeResult } from "@dockline/core/Outcome"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Prefer from "../answer/Prefer.ts"
import * as Write from "../answer/Write.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import { countBytes, documentBody, makeReader } from "../body/DocumentFiles.ts"

/** Makes the handler of `POST /v1/documents`. */
export const makeHandler = Effect.fnUntraced(function*(config: HttpConfig) {
  const intake = yield* Intake
  const handle = yield* Write.make(config)
  const read = makeReader({ vocabulary: yield* Vocabulary, strategies: yield* Strategies }, config.itemLimit)

  return (query: { readonly dryRun?: boolean }) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const preferences = Prefer.parse(headers["prefer"])
      const dryRun = query.dryRun === true || preferences.dryRun
      const minimal = preferences.return === "minimal"
      return handle({
        // A dry run, or a short answer, must not answer for the real one.
        operation: ["POST /v1/documents", String(dryRun), String(minimal)],
        parameters: ["dryRun"],
        permission: "documents:write",
        body: documentBody,
        run: ({ principal, bytes, type, responseType }) =>
          Effect.gen(function*() {
            yield* countBytes(bytes)
            const document = yield* read(bytes, type)
            const result = yield* intake.submit(document, principal, { dryRun })
            return {
              ...yield* toAnswer(result, { dryRun, minimal, responseType }),
              place: { business: document.business, facility: document.facility }
            }
          })
      })
    })
})

interface Wanted {
  readonly dryRun: boolean
  readonly minimal: boolean
  readonly responseType: RestType
}

/** 201 exactly when something was created, then with `Location` (D3.4); never in answer to a dry run's ids. */
const toAnswer = (result: IntakeResult, wanted: Wanted): Effect.Effect<Answer.Answer> => {
  const created = result.created.length > 0
  const applied = [...(wanted.minimal ? ["return=minimal"] : []), ...(wanted.dryRun ? ["dry-run"] : [])]
  const body = wanted.minimal
    ? { shipment: { id: result.shipment.id, status: result.shipment.status } }
    : result
  return Effect.map(Answer.encode("IntakeResult", body, wanted.responseType), (encoded) => ({
    status: created ? 201 : 200,
    headers: {
      ...(created && !wanted.dryRun ? { location: `/v1/shipments/${result.shipment.id}` } : {}),
      ...(applied.length > 0 ? { "preference-applied": applied.join(", ") } : {}),
      vary: "accept, prefer"
    },
    ...encoded
  }))
}
