/** Tables that give names a meaning, such as the words and the tone of an outcome. */
type Table<Name extends string> = Readonly<
  Record<Name, string | readonly [word: string, ...ReadonlyArray<unknown>]>
>

/** The words of a badge, and its tone. */
export type Toned = readonly [words: string, tone: "ok" | "calm" | "warn" | "bad" | "none"]

/** The options of a choice: each has a value and its words. */
export type Options<Value extends string = string> = ReadonlyArray<readonly [value: Value, words: string]>

/** The name in a table that equals a text, such as a parameter of the address. */
export const nameIn = <Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  text: string | null
): Name | undefined => text !== null && Object.hasOwn(table, text) ? text as Name : undefined

/** The names of a table with their words, to choose among. */
export const optionsOf = <Name extends string>(table: Table<Name>) =>
  (Object.keys(table) as Array<Name>).map((name) => {
    const row = table[name]
    return [name, typeof row === "string" ? row : row[0]] as const
  })
