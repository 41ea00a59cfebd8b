/**
 * Negotiates the media type of an answer from the `Accept` header (D2.8, D4.6, RFC 9110 section 12.5.1).
 *
 * Guarantee: a type of quality 0 is never chosen. The most specific range that matches a type gives its quality, whatever its position.
 * Ranges that violate the grammar, or request a charset other than UTF-8, are ignored.
 */
import * as HeaderValue from "./HeaderValue.ts"

/** The media type of server-sent events, the format of GraphQL subscriptions over HTTP (D8.3). */
export const eventStream = "text/event-stream"

const restTypes = ["application/json", "application/xml", "text/xml"] as const
const resultTypes = ["application/json", "application/graphql-response+json"] as const

/** The media types of an answer over REST: JSON, or XML under either of its names (D2.8). */
export type RestType = (typeof restTypes)[number]

/** The media type of comma-separated values (RFC 4180), for lists. */
export const csv = "text/csv"

type GraphqlResultType = (typeof resultTypes)[number]

/** The media type of a REST answer: JSON unless the client prefers XML; also JSON when the client accepts neither. */
export const restType = (accept: string | undefined): RestType => typeOf(accept, restTypes)

/** The media type of a list over REST: that of a REST answer, or CSV if the client prefers it. */
export const listType = (accept: string | undefined): RestType | typeof csv =>
  typeOf(accept, [...restTypes, csv])

/**
 * The media type of an answer among `offers`: the first one, unless the client prefers another. The first one also if the client accepts
 * none of them.
 */
export const typeOf = <const Type extends string>(
  accept: string | undefined,
  offers: readonly [Type, ...ReadonlyArray<Type>]
): Type => negotiate(accept, offers, "offered") ?? offers[0]

/**
 * The media type of a GraphQL answer; `undefined` when the client accepts none. Among equally preferred types, the first
 * that the client names wins.
 */
export const graphqlType = (
  accept: string | undefined
): GraphqlResultType | typeof eventStream | "text/html" | undefined =>
  negotiate(accept, [...resultTypes, eventStream, "text/html"], "named")

/** The media type of a single GraphQL result. The result is sent even if the client accepts no such type. */
export const graphqlResultType = (accept: string | undefined): GraphqlResultType =>
  negotiate(accept, resultTypes, "named") ?? "application/json"

/** Whether an `Accept` header names this media type itself, with a quality above 0. Wildcards do not count. */
export const isNamed = (accept: string | undefined, type: string): boolean => {
  const { quality, specificity } = matchOf(rangesOf(accept ?? ""), type)
  return quality > 0 && specificity === exactly
}

/** Whether an `Accept-Encoding` header names this content coding, with a quality above 0. A wildcard does not count. */
export const acceptsCoding = (acceptEncoding: string | undefined, coding: string): boolean =>
  rangesOf(acceptEncoding ?? "").some(({ range, quality }) => range === coding && quality > 0)

/**
 * Chooses by quality. At equal quality a named type wins over a wildcard, so `application/xml, *\/*` gives XML. `tie` says whether the
 * order of `offers` or of the header resolves the remaining ties.
 */
const negotiate = <Type extends string>(
  accept: string | undefined,
  offers: readonly [Type, ...ReadonlyArray<Type>],
  tie: "offered" | "named"
): Type | undefined => {
  if (accept === undefined || accept.trim() === "" || accept === offers[0]) return offers[0]
  const ranges = rangesOf(accept)
  let best: Type | undefined
  let bestMatch = none
  for (const type of offers) {
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
  const valueOf = (wordName: string) => parameters.find((parameter) => parameter.name === wordName)?.value
  const weight = valueOf("q")
  const quality = Number(weight ?? 1)
  if (!wellFormed || weight === "" || !(quality >= 0 && quality <= 1)) return []
  if (!/^utf-?8$/i.test(valueOf("charset") ?? "utf-8")) return []
  // Java's HttpURLConnection sends a bare `*` for any type.
  return [{ range: name === "*" ? "*/*" : name, quality }]
}

const matchOf = (ranges: ReadonlyArray<Range>, type: string): Match => {
  const patterns = ["", "*/*", `${type.slice(0, type.indexOf("/"))}/*`, type]
  let best = none
  ranges.forEach(({ range, quality }, position) => {
    const specificity = patterns.indexOf(range)
    if (specificity > best.specificity) best = { quality, specificity, position }
  })
  return best
}
