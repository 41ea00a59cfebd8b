/**
 * The preferences of a request: `Prefer: return=minimal, dry-run` (RFC 7240, D2.8, D5.3).
 *
 * Guarantee: always answers; unknown preferences and those that break the grammar are ignored, as RFC 7240 asks.
 */
import * as HeaderValue from "@dockline/core/internal/HeaderValue"

/** What a client prefers. */
export interface Preferences {
  /** `return=minimal` or `return=representation`; `undefined` when neither was asked for. */
  readonly return: "minimal" | "representation" | undefined
  /** Whether nothing is to be written. `dry-run=false` is the only form that means no. */
  readonly dryRun: boolean
}

/**
 * Reads a `Prefer` header. Names and values are case-insensitive, values may be quoted, and of a preference given
 * twice the first counts.
 */
export const parse = (header: string | undefined): Preferences => {
  const values = new Map<string, string>()
  for (const { name, value, wellFormed } of header === undefined ? [] : HeaderValue.parse(header)) {
    if (wellFormed && !values.has(name)) values.set(name, value.toLowerCase())
  }
  const wanted = values.get("return")
  return {
    return: wanted === "minimal" || wanted === "representation" ? wanted : undefined,
    dryRun: values.has("dry-run") && values.get("dry-run") !== "false"
  }
}
