/** The signatures of functions, as their texts have them. */
import type { Definition } from "../Definitions.ts"

/** A function: its parameters and its result. */
export interface Signature {
  readonly name: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** `void`, `json`, `setof bigint`, `table (…)`. */
  readonly returns: string
}

/** The declaration in a function that calls another one ({@link callInShard}): a variable for a result that is not a set. */
export const resultOf = ({ returns }: Signature): string =>
  isSet(returns) || returns === "void" ? "" : `v_result ${returns};`

export const isSet = (returns: string): boolean => /^(?:table|setof)/.test(returns)

/** The parameters of a statement that passes on those of a function. */
export const placesOf = (parameters: Signature["parameters"]): string =>
  parameters.map((_, at) => `$${at + 1}`).join(", ")

/** Statements that call the function of a shard, whose id is in a variable, and return what it returns. */
export const callInShard = (
  { name, parameters, returns }: Signature,
  shard: string
): string => {
  const using = parameters.length === 0 ? "" : ` using ${parameters.map((each) => each.name).join(", ")}`
  const call = `dockline_' || ${shard} || '.${name}(${placesOf(parameters)})`
  if (isSet(returns)) {
    return `return query execute 'select answer.* from ${call} as answer'${using}; return;`
  }
  return returns === "void"
    ? `execute 'select ${call}'${using}; return;`
    : `execute 'select ${call}' into v_result${using}; return v_result;`
}

/** The signature of a function, as its text has it. */
export const signatureOf = ({ name, text }: Definition): Signature => {
  const [, parameterList = "", returns = ""] =
    /function [\w.]+\s*\(([^)]*)\)\s*returns\s+((?:table\s*\([^)]*\)|setof\s+[\w.]+|[\w.]+)(?:\[\])?)/.exec(
      text
    ) ?? []
  const parameters = parameterList.split(",").map((each) => each.trim()).filter((each) => each !== "").map(
    (each) => {
      const [parameter = "", ...type] = each.split(/\s+/)
      return { name: parameter, type: type.join(" ") }
    }
  )
  return { name, parameters, returns }
}
