/** The signatures of functions, as their texts have them. */
import type { Definition } from "../Definitions.ts"

/** A function: its parameters and its result. */
export interface Signature {
  readonly name: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** `void`, `json`, `setof bigint`, `table (…)`. */
  readonly returns: string
}

/** The signature of a function, as its text has it. */
export const signatureOf = ({ name, text }: Definition): Signature => {
  const [, given = "", returns = ""] =
    /function [\w.]+\s*\(([^)]*)\)\s*returns\s+((?:table\s*\([^)]*\)|setof\s+[\w.]+|[\w.]+)(?:\[\])?)/.exec(
      text
    ) ?? []
  const parameters = given.split(",").map((each) => each.trim()).filter((each) => each !== "").map((each) => {
    const [parameter = "", ...type] = each.split(/\s+/)
    return { name: parameter, type: type.join(" ") }
  })
  return { name, parameters, returns }
}
