/**
 * Writes a JSON text in steps, equal to that of `JSON.stringify` for values of JSON.
 */
import type { Steps } from "./Slices.ts"

/** Lists of more entries are written entry by entry. */
const longList = 200

/** Writing this many characters costs as much as reading one value. */
const charactersPerStep = 128

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

const holdsMuch = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.length > longList || value.some(holdsMuch)
  for (const key in value) if (holdsMuch((value as Record<string, unknown>)[key])) return true
  return false
}
