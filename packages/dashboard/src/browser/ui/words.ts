/** Words for readers: tables that give names a meaning, such as the words and the tone of an outcome; numbers and counts. */

type Table<Name extends string> = Readonly<
  Record<Name, string | readonly [word: string, ...ReadonlyArray<unknown>]>
>

/** The words of a badge, and its tone. */
export type BadgeText = readonly [words: string, tone: "ok" | "calm" | "warn" | "bad" | "none"]

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

/** Numbers and counts, in the reader's notation. */
const format = new Intl.NumberFormat()

/** Orders names as people count: D2 before D10. */
export const compareNames = new Intl.Collator(undefined, { numeric: true }).compare

/** `1,234`, or `1.5`. */
export const amount = (number: number): string => format.format(number)

/** `1 shipment`, `2 shipments`. */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${amount(count)} ${count === 1 ? noun : plural}`
