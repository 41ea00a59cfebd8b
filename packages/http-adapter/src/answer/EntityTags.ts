/** Writes and reads entity tags (RFC 9110, section 8.8.3): the quoted version of the entity that a change or a document changes. */
import type { DocumentPrecondition } from "@dockline/core/document/DocumentPrecondition"
import { versionOf } from "@dockline/core/input/Precondition"
import type { Expected } from "@dockline/core/input/Precondition"
import { MalformedRequest } from "@dockline/core/values/Errors"
import { Effect, Result } from "effect"

/** An operation whose view, or a part of it, has a version. */
interface Versions {
  stateOf?(view: unknown): unknown
  versionOf?(view: unknown): number
}

/** The tag of a version. */
export const tagOf = (version: string | number): string => `"${version}"`

/** The header with the version of a view, of an operation that declares one. */
export const headersOf = (
  operation: Versions,
  view: unknown
): Effect.Effect<Readonly<Record<string, string>>> => {
  if (operation.versionOf !== undefined) return Effect.succeed({ etag: tagOf(operation.versionOf(view)) })
  return operation.stateOf === undefined
    ? Effect.succeed({})
    : Effect.map(versionOf(operation.stateOf(view)), (version) => ({ etag: tagOf(version) }))
}

/**
 * The versions that `If-Match` names; a weak tag, and `*` within quotes, names none (RFC 9110, section 13.1.1). Fails if no version could
 * match: for text that is not a list of tags, and if all tags are weak.
 */
export const expectedBy = (ifMatch: string | undefined): Result.Result<Expected, MalformedRequest> => {
  if (ifMatch === undefined) return Result.succeed(undefined)
  if (ifMatch.trim() === "*") return Result.succeed(["*"])
  if (!isListOfTags.test(ifMatch)) {
    return refusedTag("must be * or an ETag as the answer had it, with its double quotes")
  }
  const tags = Array.from(
    ifMatch.matchAll(tag),
    ([, weak, version = ""]) => weak === undefined ? version === "*" ? "" : version : undefined
  ).filter((each) => each !== undefined)
  return tags.length > 0 ? Result.succeed(tags) : refusedTag(
    "is weak, like an ETag that a proxy has changed, and matches no version; send it without W/"
  )
}

const tag = /(W\/)?"([^"]*)"/g

const isListOfTags = /^[\s,]*(?:(?:W\/)?"[^"]*"\s*(?:,[\s,]*|$))+$/

const refusedTag = (detail: string) =>
  Result.fail(new MalformedRequest({ errors: [{ path: "If-Match", detail }] }))

/** The precondition of a document from its headers. It fails for an `If-None-Match` with a version, and like {@link expectedBy}. */
export const preconditionOf = (
  { "if-match": ifMatch, "if-none-match": ifNoneMatch }: Readonly<Record<string, string | undefined>>
): Result.Result<DocumentPrecondition, MalformedRequest> => {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== "*") {
    const detail =
      "must be *, for a document whose orders must all be new; send the ETag of a shipment as If-Match"
    return Result.fail(new MalformedRequest({ errors: [{ path: "If-None-Match", detail }] }))
  }
  return Result.map(expectedBy(ifMatch), (expected) => ({
    ...(ifNoneMatch === undefined ? {} : { ordersAreNew: true }),
    ...(expected === undefined
      ? {}
      : { versions: expected.map((version) => version === "*" ? version : countOf(version)) })
  }))
}

/** The version that a tag names; no shipment has the version 0. */
const countOf = (version: string): number => /^[1-9]\d{0,14}$/.test(version) ? Number(version) : 0
