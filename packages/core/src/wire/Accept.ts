/**
 * The form of an answer, from the `Accept` header (D2.8, RFC 9110 section 12.5.1).
 *
 * Guarantee: a type of quality 0 is never chosen; the most specific range decides about a type, wherever it stands;
 * ranges that break the grammar, or ask for another charset than UTF-8, count for nothing.
 */
import * as HeaderValue from "./HeaderValue.ts"

/** The media types that REST answers in. */
export type RestType = "application/json" | "application/xml" | "text/xml"

/** The media types of a result of GraphQL. */
export type GraphqlResultType = "application/json" | "application/graphql-response+json"

/** The media type of event streams. */
export const eventStream = "text/event-stream"

const restTypes = ["application/json", "application/xml", "text/xml"] as const
const resultTypes = ["application/json", "application/graphql-response+json"] as const

/** The form of an answer of REST: JSON unless the client prefers XML, and where it accepts neither. */
export const restType = (accept: string | undefined): RestType =>
  negotiate(accept, restTypes, "offered") ?? "application/json"

/**
 * The form of an answer of GraphQL, `undefined` where the client accepts none of them. Of types that it wants alike, the
 * one that it names first.
 */
export const graphqlType = (
  accept: string | undefined
): GraphqlResultType | typeof eventStream | "text/html" | undefined =>
  negotiate(accept, [...resultTypes, eventStream, "text/html"], "named")

/** The form of one result of GraphQL, for an answer that is given whatever the client accepts. */
export const graphqlResultType = (accept: string | undefined): GraphqlResultType =>
  negotiate(accept, resultTypes, "named") ?? "application/json"

/** Whether the client accepts a media type by its name. */
export const isNamed = (accept: string | undefined, type: string): boolean => {
  const { quality, specificity } = matchOf(rangesOf(accept ?? ""), type)
  return quality > 0 && specificity === exactly
}

/** Whether the client accepts a content coding, by its name, from the `Accept-Encoding` header. */
export const acceptsCoding = (acceptEncoding: string | undefined, coding: string): boolean =>
  rangesOf(acceptEncoding ?? "").some(({ range, quality }) => range === coding && quality > 0)

/**
 * Chooses by quality; at equal quality a type that is named wins over a wildcard, so that `application/xml, *\/*` is XML.
 * What is equal in both is chosen in the order in which it is offered, or named.
 */
const negotiate = <Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...ReadonlyArray<Type>],
  tie: "offered" | "named"
): Type | undefined => {
  if (accept === undefined || accept.trim() === "") return offered[0]
  const ranges = rangesOf(accept)
  let best: Type | undefined
  let bestMatch = none
  for (const type of offered) {
    const match = matchOf(ranges, type)
    const difference = match.quality - bestMatch.quality || match.specificity - bestMatch.specificity ||
      (tie === "named" ? bestMatch.position - match.position : 0)
    if (match.quality > 0 && difference > 0) {
      best = type
      bestMatch = match
    }
  }
  return best
}

interface Range {
  readonly range: string
  readonly quality: number
}

interface Match {
  readonly quality: number
  /** 3 for the type itself, 2 for `type/*`, 1 for any, 0 for no match. */
  readonly specificity: number
  readonly position: number
}

const exactly = 3

const none: Match = { quality: 0, specificity: 0, position: 0 }

const rangesOf = (header: string): ReadonlyArray<Range> => HeaderValue.parse(header).flatMap(toRange)

const toRange = ({ name, parameters, wellFormed }: HeaderValue.HeaderElement): ReadonlyArray<Range> => {
  const valueOf = (wanted: string) => parameters.find((parameter) => parameter.name === wanted)?.value
  const weight = valueOf("q")
  const quality = Number(weight ?? 1)
  if (!wellFormed || weight === "" || !(quality >= 0 && quality <= 1)) return []
  if (!/^utf-?8$/i.test(valueOf("charset") ?? "utf-8")) return []
  // `*` alone is what Java's HttpURLConnection sends for any type.
  return [{ range: name === "*" ? "*/*" : name, quality }]
}

/** The quality of a type is that of the most specific range that matches it. */
const matchOf = (ranges: ReadonlyArray<Range>, type: string): Match => {
  const patterns = ["", "*/*", `${type.slice(0, type.indexOf("/"))}/*`, type]
  let best = none
  ranges.forEach(({ range, quality }, position) => {
    const specificity = patterns.indexOf(range)
    if (specificity > best.specificity) best = { quality, specificity, position }
  })
  return best
}
