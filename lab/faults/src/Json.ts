/** Reads JSON of others without trusting its form. */

/** The value as an object; an empty one if it is none. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {}

/** The value as a list; an empty one if it is none. */
export const asList = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

type Shape = Readonly<Record<string, (value: unknown) => unknown>>
type Shaped<S extends Shape> = { readonly [Name in keyof S]: ReturnType<S[Name]> }

/** Reads only the fields of a shape from an object, each by its function. */
export const shaped = <S extends Shape>(shape: S) => (value: unknown): Shaped<S> => {
  const record = asRecord(value)
  return Object.fromEntries(
    Object.entries(shape).map(([name, read]) => [name, read(record[name])])
  ) as Shaped<S>
}

export const listOf = <A>(read: (value: unknown) => A) => (value: unknown): ReadonlyArray<A> =>
  asList(value).map((each) => read(each))
