/**
 * The writing of a JSON text in steps.
 *
 * Guarantee: the text is that of `JSON.stringify`, for values that JSON has.
 */
import type { Steps } from "./Slices.ts"

/** A list of more entries is written entry by entry. */
const longList = 200

/** So many characters cost as much as one value that is read. */
const charactersPerStep = 128

/** Writes a value. */
export function* write(value: unknown): Steps<string> {
  if (!holdsMuch(value)) {
    const text = JSON.stringify(value)
    yield text.length / charactersPerStep
    return text
  }
  const parts: Array<string> = []
  if (Array.isArray(value)) {
    for (const entry of value) parts.push(yield* write(entry))
    return `[${parts.join(",")}]`
  }
  for (const [key, member] of Object.entries(value as object)) {
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${yield* write(member)}`)
  }
  return `{${parts.join(",")}}`
}

/** Whether there is a long list in a value. */
const holdsMuch = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  return Array.isArray(value)
    ? value.length > longList || value.some(holdsMuch)
    : Object.values(value).some(holdsMuch)
}
