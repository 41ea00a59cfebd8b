/**
 * The choice between JSON and XML for a response, from the `Accept` header (D2.8, RFC 9110 section 12.5.1).
 *
 * Guarantee: always answers; whatever a client sends, a response can be written. JSON unless the client prefers XML.
 */
import * as HeaderValue from "./HeaderValue.ts"

/** The media types a response is written in. */
export type ResponseType = "application/json" | "application/xml" | "text/xml"

/**
 * Chooses by quality value. At equal quality a type that is named wins over a wildcard, then JSON over XML, so that
 * `application/xml, *\/*` is XML and `*\/*` is JSON. A header that accepts neither form is disregarded, as RFC 9110
 * allows: JSON. Ranges that break the grammar are ignored.
 */
export const negotiate = (accept: string | undefined): ResponseType => {
  if (accept === undefined) return "application/json"
  const ranges = HeaderValue.parse(accept).flatMap(toRange)
  let best: ResponseType = "application/json"
  let bestMatch = match(ranges, best)
  for (const type of ["application/xml", "text/xml"] as const) {
    const candidate = match(ranges, type)
    if (
      candidate.quality > bestMatch.quality ||
      (candidate.quality > 0 && candidate.quality === bestMatch.quality &&
        candidate.specificity > bestMatch.specificity)
    ) {
      best = type
      bestMatch = candidate
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
}

const toRange = (element: HeaderValue.HeaderElement): ReadonlyArray<Range> => {
  if (!element.wellFormed) return []
  const weight = element.parameters.find(({ name }) => name === "q")
  const quality = weight === undefined ? 1 : Number(weight.value)
  if (!(quality >= 0 && quality <= 1) || weight?.value === "") return []
  // `*` alone is what Java's HttpURLConnection sends for any type.
  return [{ range: element.name === "*" ? "*/*" : element.name, quality }]
}

/** The quality of a type is that of the most specific range that matches it, however it ranks among others. */
const match = (ranges: ReadonlyArray<Range>, type: ResponseType): Match => {
  const patterns = ["", "*/*", `${type.slice(0, type.indexOf("/"))}/*`, type]
  let best: Match = { quality: 0, specificity: 0 }
  for (const { range, quality } of ranges) {
    const specificity = patterns.indexOf(range)
    if (specificity > best.specificity) best = { quality, specificity }
  }
  return best
}
