/** Writes and reads entity tags (RFC 9110, section 8.8.3). A tag is the version of an entity in quotation marks. */
import type { DocumentPrecondition } from "@dockline/core/document/DocumentPrecondition"
import { versionOf } from "@dockline/core/input/Precondition"
import type { Expected } from "@dockline/core/input/Precondition"
import { MalformedRequest } from "@dockline/core/values/Errors"
import { Effect, Result } from "effect"

/** An operation whose view has a version, as a whole or in a part. */
interface Versions {
  stateOf?(view: unknown): unknown
  versionOf?(view: unknown): number
}

/** The tag of a version. */
export const tagOf = (version: string | number): string => `"${version}"`

/** The header with the version of a view, if the operation declares a version. */
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
 * The versions in `If-Match`. A weak tag and a quoted `*` match no version (RFC 9110, section 13.1.1). Fails if the text is not a list of
 * tags, or if all its tags are weak.
 */
export const expectedBy = (ifMatch: string | undefined): Result.Result<Expected, MalformedRequest> => {
  if (ifMatch === undefined) return Result.succeed(undefined)
  if (ifMatch.trim() === "*") return Result.succeed(["*"])
  if (!tagList.test(ifMatch)) {
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

const tagList = /^[\s,]*(?:(?:W\/)?"[^"]*"\s*(?:,[\s,]*|$))+$/

const refusedTag = (detail: string) =>
  Result.fail(new MalformedRequest({ errors: [{ path: "If-Match", detail }] }))

/** The precondition of a document, from its headers. Fails if `If-None-Match` has a version, and in the cases of {@link expectedBy}. */
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

/** The version in a tag; 0, which no shipment has, if the tag holds no version. */
const countOf = (version: string): number => /^[1-9]\d{0,14}$/.test(version) ? Number(version) : 0
