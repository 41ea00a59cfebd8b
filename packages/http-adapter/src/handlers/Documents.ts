/** `POST /v1/documents`: passes documents in JSON or XML to core's intake, with the preferences of the request (RFC 7240, D2.8, D5.3). */
import { keepView, run } from "@dockline/core/access/Idempotency"
import { ownPlace } from "@dockline/core/access/Operation"
import { AnswerMemory, unlimitedMemory } from "@dockline/core/access/RequestLimits"
import { submitDocument } from "@dockline/core/document/DocumentOperations"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { Strategies } from "@dockline/core/document/Strategy"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { parseHeader } from "@dockline/wire/MediaType"
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as EntityTags from "../answer/EntityTags.ts"
import type { CallInput } from "../api/Parts.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import { countBytes, makeReader } from "./DocumentFiles.ts"
import * as Write from "./Write.ts"

/** The effects of a document, in the requested form. */
interface Receipt {
  readonly id: number
  readonly version: number
  readonly isCreated: boolean
  readonly view: IntakeResult | { readonly shipment: Pick<IntakeResult["shipment"], "id" | "status"> }
}

export const makeHandler = Effect.fnUntraced(function*(config: HttpConfig) {
  const intake = yield* Intake
  const handle = yield* Write.make(config)
  const read = makeReader({ vocabulary: yield* Vocabulary, strategies: yield* Strategies }, config.itemLimit)

  return ({ query = {} }: CallInput) =>
    Effect.gen(function*() {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const precondition = yield* Effect.fromResult(EntityTags.preconditionOf(headers))
      const preferences = preferencesOf(headers["prefer"])
      const dryRun = query["dryRun"] === true || preferences.dryRun
      const minimal = preferences.return === "minimal"
      const answerOf = (result: IntakeResult) => {
        const { shipment } = result
        const { id, status } = shipment
        return Result.succeed({
          place: ownPlace(shipment),
          answer: {
            id,
            version: submitDocument.versionOf!(result),
            // 201 exactly when something was created (D3.4), without the ids of a dry run.
            isCreated: submitDocument.creates(result),
            view: minimal ? { shipment: { id, status } } : result
          }
        })
      }
      const preferencesMet = [...(minimal ? ["return=minimal"] : []), ...(dryRun ? ["dry-run"] : [])]
      return yield* handle<Receipt>({
        // These values identify the request, because the kept answer of a dry run, in the short form, or with a precondition must not serve
        // another request.
        identity: ["POST /v1/documents", String(dryRun), String(minimal), JSON.stringify(precondition)],
        parameters: ["dryRun"],
        conditions: ["If-Match", "If-None-Match"],
        body: Write.document,
        run: ({ principal, bytes, type }, once) =>
          run<Receipt, CatalogueError>(once, submitDocument.may, (keep) => {
            const document = Effect.andThen(countBytes(bytes), read(bytes, type))
            const submission = keepView(
              keep,
              answerOf,
              (keep) => intake.receive(document, principal, { dryRun, keep, precondition })
            )
            return minimal ? Effect.provideService(submission, AnswerMemory, unlimitedMemory) : submission
          }),
        rootName: "IntakeResult",
        show: ({ id, isCreated, view, version }) => ({
          status: isCreated ? 201 : 200,
          headers: {
            ...(isCreated && !dryRun ? { location: `/v1/shipments/${id}` } : {}),
            ...(dryRun ? {} : { etag: EntityTags.tagOf(version) }),
            ...(preferencesMet.length > 0 ? { "preference-applied": preferencesMet.join(", ") } : {}),
            vary: "accept, prefer"
          },
          value: view
        })
      })
    }).pipe(Effect.catch(Answer.respond))
})

/** The preferences of a request. Unknown and malformed preferences are ignored. */
interface Preferences {
  readonly return: "minimal" | "representation" | undefined
  /** Whether `dry-run` is present with any value but `false`. */
  readonly dryRun: boolean
}

/** Reads the preferences. Names and values are case-insensitive, and if a preference is repeated, the first counts. */
export const preferencesOf = (header: string | undefined): Preferences => {
  const values = new Map<string, string>()
  for (const { name, value, wellFormed } of header === undefined ? [] : parseHeader(header)) {
    if (wellFormed && !values.has(name)) values.set(name, value.toLowerCase())
  }
  const preference = values.get("return")
  return {
    return: preference === "minimal" || preference === "representation" ? preference : undefined,
    dryRun: values.has("dry-run") && values.get("dry-run") !== "false"
  }
}
