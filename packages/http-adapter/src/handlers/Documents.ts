/**
 * `POST /v1/documents`: passes documents in JSON or XML to core's intake.
 */
import { Intake } from "@dockline/core/Intake"
import { Strategies } from "@dockline/core/Strategy"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Prefer from "../answer/Prefer.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import { countBytes, makeReader } from "./DocumentFiles.ts"
import * as Write from "./Write.ts"

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
        // The kept answer of a dry run, or a short one, must not answer another request.
        operation: ["POST /v1/documents", String(dryRun), String(minimal)],
        parameters: ["dryRun"],
        permissions: ["documents:write"],
        body: Write.document,
        writesOnce: true,
        run: ({ principal, bytes, type, responseType }) =>
          Effect.gen(function*() {
            yield* countBytes(bytes)
            const document = yield* read(bytes, type)
            const result = yield* intake.submit(document, principal, { dryRun })
            const { business, facility } = document
            // 201 exactly when something was created (D3.4), without the ids of a dry run.
            const created = result.created.length > 0
            const applied = [...(minimal ? ["return=minimal"] : []), ...(dryRun ? ["dry-run"] : [])]
            const { id, status } = result.shipment
            return {
              status: created ? 201 : 200,
              headers: {
                ...(created && !dryRun ? { location: `/v1/shipments/${id}` } : {}),
                ...(applied.length > 0 ? { "preference-applied": applied.join(", ") } : {}),
                vary: "accept, prefer"
              },
              ...yield* Answer.encode(
                "IntakeResult",
                minimal ? { shipment: { id, status } } : result,
                responseType
              ),
              place: { business, facility }
            }
          })
      })
    })
})
