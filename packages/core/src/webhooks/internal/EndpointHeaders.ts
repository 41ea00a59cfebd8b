/**
 * The rules for the headers that requests to an endpoint carry in addition to those of the service (D15.3).
 *
 * Guarantee: a header of an endpoint never replaces a header that the service or HTTP sets.
 */
import type { Redacted } from "effect"
import type { Faults } from "../../input/Faults.ts"

/** A header as an operator enters it. Without a value, the stored value stays. */
export interface HeaderInput {
  readonly name: string
  readonly value: Redacted.Redacted | undefined
}

export const maxHeaders = 10

const maxHeaderName = 64

/** Names, and prefixes of names that end with `-`, by the party that sets these headers. */
const clashes: ReadonlyArray<readonly [names: ReadonlyArray<string>, detail: string]> = [
  [
    ["content-type", "user-agent", "webhook-", "traceparent", "tracestate"],
    "is set by the service; choose another name"
  ],
  [["authorization"], "is set by the authentication; configure the sign-in there"],
  [
    [
      "accept-encoding",
      "connection",
      "content-encoding",
      "content-length",
      "date",
      "expect",
      "host",
      "http2-settings",
      "keep-alive",
      "proxy-",
      "te",
      "trailer",
      "transfer-encoding",
      "upgrade",
      "via"
    ],
    "belongs to HTTP itself; choose another name"
  ]
]

/** The fault of a header's name with its remedy; `undefined` for a valid one. */
export const headerNameFault = (name: string): string | undefined => {
  if (name === "") return "is required"
  if (name.length > maxHeaderName) return `must be at most ${maxHeaderName} characters long`
  if (!/^[a-z][\w.-]*$/i.test(name)) {
    return "must begin with a letter, and hold letters, digits, hyphens, periods and underscores only"
  }
  const lower = name.toLowerCase()
  return clashes.find(([names]) =>
    names.some((each) => each.endsWith("-") ? lower.startsWith(each) : lower === each)
  )?.[1]
}

/** The fault of a header's value. It does not quote the value. */
export const headerValueFault = (value: string): string | undefined =>
  /^[!-~](?:[ -~]*[!-~])?$/.test(value)
    ? undefined
    : "must be printable ASCII characters, without blanks at its ends"

/** Adds the faults of a list of headers: a repeated name, ignoring case. */
export const checkHeaders = (headers: ReadonlyArray<unknown>, faults: Faults): void => {
  const names = new Set<string>()
  for (const [index, header] of headers.entries()) {
    const name = Object(header).name
    if (typeof name !== "string") continue
    if (names.has(name.toLowerCase())) {
      faults.add("is the name of an earlier header; choose another name", "headers", index, "name")
    }
    names.add(name.toLowerCase())
  }
}
