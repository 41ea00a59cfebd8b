/** Checks the query parameters of requests whose parameters the framework does not check. */
import { unknownName } from "@dockline/core/input/Faults"
import { clip } from "@dockline/core/values/Clip"
import { InvalidParameter } from "@dockline/core/values/Errors"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** What the error says of a parameter that a request does not have. */
export const unknownParameter = (name: string, known: ReadonlyArray<string>): string =>
  unknownName(name, "a parameter of this request", known)

/** Refuses every query parameter but those named, so that a misspelt one is not lost in silence. */
export const only = (
  ...names: ReadonlyArray<string>
): Effect.Effect<void, InvalidParameter, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const start = url.indexOf("?")
    if (start < 0) return Effect.void
    const unknown = Array.from(new Set(new URLSearchParams(url.slice(start)).keys())).filter((name) =>
      !names.includes(name)
    )
    return unknown.length === 0
      ? Effect.void
      : Effect.fail(
        new InvalidParameter({
          errors: unknown.map((name) => ({ path: clip(name), detail: unknownParameter(name, names) }))
        })
      )
  })
