/**
 * Looking into JSON that came from elsewhere, without believing anything of it.
 */

export type JsonObject = Readonly<Record<string, unknown>>

interface Types {
  readonly string: string
  readonly number: number
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field of the type named; `undefined` where it is absent or of another. */
export const field = <T extends keyof Types>(
  object: JsonObject,
  name: string,
  type: T
): Types[T] | undefined => {
  const value = object[name]
  return typeof value === type ? value as Types[T] : undefined
}

/** A list of strings; what else it holds is left out, and what is no list is empty. */
export const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each: unknown) => typeof each === "string") : []
