/** Writes and reads entity tags (RFC 9110, section 8.8.3): the version of what a change sets, quoted. */
import { versionOf } from "@dockline/core/internal/input/Precondition"
import type { Expected } from "@dockline/core/internal/input/Precondition"
import { Effect } from "effect"

/** An operation that says which part of its view has a version. */
interface Stated {
  stateOf?(view: unknown): unknown
}

/** The header with the version of a view, of an operation that declares one. */
export const headersOf = (
  operation: Stated,
  view: unknown
): Effect.Effect<Readonly<Record<string, string>>> =>
  operation.stateOf === undefined
    ? Effect.succeed({})
    : Effect.map(versionOf(operation.stateOf(view)), (version) => ({ etag: `"${version}"` }))

/** The versions that `If-Match` names; a weak tag, and what is no tag, names none (RFC 9110, section 13.1.1). */
export const expectedBy = (ifMatch: string | undefined): Expected =>
  ifMatch === undefined
    ? undefined
    : ifMatch.trim() === "*"
    ? ["*"]
    : Array.from(ifMatch.matchAll(/(W\/)?"([^"]*)"/g), ([, weak, version = ""]) =>
      weak === undefined ? version : "")
