/** Reads the JSON of a request as REST does, and the operation that its members ask for. */
import * as JsonText from "@dockline/core/input/JsonText"
import { MalformedRequest } from "@dockline/core/values/Errors"
import { Effect, Predicate } from "effect"
import type { GraphqlRequest } from "../engine/Prepared.ts"

/** The refusal of a request for the part at `path`. */
export const malformed = (detail: string, path: string): MalformedRequest =>
  new MalformedRequest({ errors: [{ path, detail }] })

export const aborted = malformed("ended before it was complete", "body")

/** Reads JSON as REST does (D2.6); `part` names the part of the request that holds it. */
export const readJson = (json: Uint8Array | string, part: string): Effect.Effect<unknown, MalformedRequest> =>
  JsonText.read(json).pipe(
    Effect.map(({ value }) => value),
    Effect.mapError(({ errors }) =>
      new MalformedRequest({
        errors: errors.map(({ path, detail }) => ({
          // All paths begin in the body, so it is not named.
          path: path === "" ? part : part === "body" ? path : `${part}.${path}`,
          detail
        }))
      })
    )
  )

/** The operation that the members of a JSON object ask for; `part` names the part of the request that holds it. */
export const operationOf = Effect.fnUntraced(function*(
  members: unknown,
  part: string
): Effect.fn.Return<GraphqlRequest, MalformedRequest> {
  if (Array.isArray(members)) {
    return yield* malformed("is a list; batches are not taken: send one operation a request", part)
  }
  if (!Predicate.isObject(members)) return yield* malformed("must be an object", part)
  const { query, operationName = null, variables = null, extensions = null } = members
  if (typeof query !== "string") return yield* malformed("must be text: the document", "query")
  if (operationName !== null && typeof operationName !== "string") {
    return yield* malformed("must be text", "operationName")
  }
  if (!isRecordOrNull(variables)) return yield* malformed("must be an object", "variables")
  if (!isRecordOrNull(extensions)) return yield* malformed("must be an object", "extensions")
  return { query, operationName, variables }
})

const isRecordOrNull = (value: unknown): value is Record<string, unknown> | null =>
  value === null || Predicate.isObject(value)
