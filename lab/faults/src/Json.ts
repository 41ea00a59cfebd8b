/**
 * Looking into JSON that others have made, without believing anything of it.
 */

/** The value as an object; one without fields if it is none. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {}

/** The value as a list; an empty one if it is none. */
export const asList = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The texts of a list. */
export const asTexts = (value: unknown): ReadonlyArray<string> => asList(value).map(String)
