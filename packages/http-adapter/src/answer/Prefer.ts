/** The preferences of a request (RFC 7240, D2.8, D5.3). Unknown and malformed preferences are ignored. */
import * as HeaderValue from "@dockline/wire/HeaderValue"

export interface Preferences {
  readonly return: "minimal" | "representation" | undefined
  /** Only `dry-run=false` means no. */
  readonly dryRun: boolean
}

/** Reads the preferences. Names and values are case-insensitive, and if a preference is repeated, the first counts. */
export const parse = (header: string | undefined): Preferences => {
  const values = new Map<string, string>()
  for (const { name, value, wellFormed } of header === undefined ? [] : HeaderValue.parse(header)) {
    if (wellFormed && !values.has(name)) values.set(name, value.toLowerCase())
  }
  const preference = values.get("return")
  return {
    return: preference === "minimal" || preference === "representation" ? preference : undefined,
    dryRun: values.has("dry-run") && values.get("dry-run") !== "false"
  }
}
