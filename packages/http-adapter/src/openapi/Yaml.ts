/** Writes JSON values as YAML 1.2, block by block. Texts stand in double quotes, which YAML reads as JSON does. */
import type { Json } from "./OpenApiSchemas.ts"

export const write = (value: Json): string => `${block(value, "").trimStart()}\n`

/** The value after its key, or after the dash of its list: on the same line, or as lines below. */
const block = (value: Json | undefined, indent: string): string => {
  const inner = `${indent}  `
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item: Json) => `\n${indent}- ${block(item, inner).trimStart()}`).join("")
  }
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [`\n${indent}${keyOf(key)}:${block(member, inner)}`]
    ).join("")
  }
  return ` ${JSON.stringify(value ?? null)}`
}

/** A key that YAML reads as text without quotes: `true`, `null` and numbers need them. */
const keyOf = (key: string): string =>
  /^[a-z$_][\w$/-]*$/i.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : JSON.stringify(key)
