/**
 * Tables of fields, one row for each field of an entity in documents. Reading, checking, storing, showing and describing
 * a field all derive from its row: a field without a rule of its own needs only a row, and a column in the storage.
 */
import { Schema } from "effect"
import * as Field from "./Field.ts"
import type { VocabularyWords, Word } from "./Vocabulary.ts"

/** The kinds of fields. A `key` is text that never changes and must not be empty when present; a `word` is text of a vocabulary. */
export type Kind =
  | "text"
  | "identifier"
  | "key"
  | "word"
  | "amount"
  | "wholeAmount"
  | "flag"
  | "date"
  | "list"

/** The row of a field. */
export interface Row<
  K extends Kind = Kind,
  Input extends Schema.Top = Schema.Top,
  View extends Schema.Top = Schema.Top
> {
  readonly kind: K
  readonly description: string
  readonly vocabulary?: keyof VocabularyWords
  readonly entry?: Table
  /** The value that stands for an absent one, in entities and in answers. */
  readonly empty: View["Type"]
  /** The schema of the value in a document, with its limits. */
  readonly input: (vocabulary: VocabularyWords) => Input
  readonly view: View
}

/** Fields by name, in the order of answers and of storages. */
export type Table = Readonly<Record<string, Row>>

/** The entity of a table: each field has a value; an absent field has the empty value of its row. */
export type Values<T extends Table> = { readonly [Name in keyof T]: T[Name]["view"]["Type"] }

const rows = <K extends Kind, Input extends Schema.Top, View extends Schema.Top>(
  kind: K,
  empty: View["Type"],
  input: (description: string, vocabulary: VocabularyWords) => Input,
  view: (description: string) => View
) =>
(description: string): Row<K, Input, View> => ({
  kind,
  description,
  empty,
  input: (vocabulary) => input(description, vocabulary),
  view: view(description)
})

const textSchema = (description: string) => Schema.String.annotate({ description })

/** Text that may be absent. */
export const text = rows("text", "", Field.text, textSchema)

/** Optional text without invisible characters. */
export const identifier = rows("identifier", "", Field.identifier, textSchema)

/** A key: it is required and never changes. */
export const key = rows("key", "", Field.requiredText, textSchema)

/** A key without invisible characters. */
export const visibleKey = rows("key", "", Field.requiredIdentifier, textSchema)

/** A key that is an LPN: it has no invisible characters except FNC1 in a form of an SSCC (D22). */
export const lpn = rows("key", "", Field.requiredLpn, textSchema)

/** An optional word of a vocabulary. The vocabulary in force determines the words (D1.3). */
export const word = <Of extends keyof VocabularyWords>(vocabulary: Of, description: string) => ({
  ...rows("word", "", (text, words) => Field.word<Word<Of>>(words[vocabulary], text), textSchema)(
    description
  ),
  vocabulary
})

/** A number of at least 0, fractions allowed; 0 when absent. */
export const amount = rows(
  "amount",
  0,
  Field.amount,
  (description) => Schema.Finite.annotate({ description })
)

/** A whole number of at least 0; 0 when absent. */
export const wholeAmount = rows(
  "wholeAmount",
  0,
  Field.wholeAmount,
  (description) => Schema.Int.annotate({ description })
)

/** A boolean; `false` when absent. */
export const flag = rows("flag", false, Field.flag, Field.flag)

/** A calendar date, `YYYY-MM-DD` (D1.6); `""` when absent. */
export const date = rows(
  "date",
  "",
  Field.calendarDate,
  (description) => textSchema(`${description}, YYYY-MM-DD, or empty`)
)

/** A list of entries with their own fields, whose keys are required. */
export const list = <T extends Table>(entry: T, most: number, description: string) => ({
  ...rows(
    "list",
    [],
    (text, vocabulary) =>
      Schema.Array(Schema.Struct(entryFields(entry, vocabulary))).check(Field.atMost(most)).annotate({
        description: text
      }),
    (text) => Schema.Array(Schema.Struct(shownFields(entry))).annotate({ description: text })
  )(description),
  entry
})

/** The names of all fields of a table, in its order. */
export const namesOf = <T extends Table>(table: T): ReadonlyArray<keyof T & string> => Object.keys(table)

type NameOfKind<T extends Table, K extends Kind> =
  & string
  & keyof { readonly [Name in keyof T as T[Name]["kind"] extends K ? Name : never]: unknown }

/** The names of the fields of some kinds, in the order of the table. */
export const namesOfKinds = <T extends Table, K extends Kind>(
  table: T,
  kinds: ReadonlyArray<K>
): ReadonlyArray<NameOfKind<T, K>> =>
  Object.keys(table).filter((name): name is NameOfKind<T, K> =>
    kinds.some((kind) => kind === table[name]?.kind)
  )

const mapRows = <A>(table: Table, f: (row: Row) => A): Record<string, A> =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, f(row)]))

/** The schemas of the fields in a document, all of them optional, including keys. */
export const givenFields = <T extends Table>(table: T, vocabulary: VocabularyWords) =>
  mapRows(table, ({ input }) => Schema.optionalKey(input(vocabulary))) as {
    readonly [Name in keyof T]: Schema.optionalKey<ReturnType<T[Name]["input"]>>
  }

const entryFields = <T extends Table>(table: T, vocabulary: VocabularyWords) =>
  mapRows(
    table,
    ({ input, kind }) => kind === "key" ? input(vocabulary) : Schema.optionalKey(input(vocabulary))
  ) as {
    readonly [Name in keyof T]: T[Name]["kind"] extends "key" ? ReturnType<T[Name]["input"]>
      : Schema.optionalKey<ReturnType<T[Name]["input"]>>
  }

/** The schemas of the fields in answers, all of them present. */
export const shownFields = <T extends Table>(table: T) =>
  mapRows(table, ({ view }) => view) as { readonly [Name in keyof T]: T[Name]["view"] }

/**
 * The entity with empty fields only. It is parsed from JSON, because V8 serializes such objects and their copies faster than objects built
 * by name.
 */
export const emptyOf = <T extends Table>(table: T): Values<T> =>
  JSON.parse(JSON.stringify(mapRows(table, ({ empty }) => empty)))

type Entity = Readonly<Record<string, unknown>>

const listsOf = <T extends Table>(table: T) =>
  Object.entries(table).flatMap(([name, { entry }]) => entry === undefined ? [] : [[name, entry] as const])

/** Makes the function that fills absent fields of an entity with their empty values. */
export const complete = <T extends Table>(
  table: T
): (fields: { readonly [Name in keyof T]?: unknown }) => Values<T> => {
  const empty: Readonly<Record<string, unknown>> = emptyOf(table)
  const lists = listsOf(table).map(([name, entry]) => [name, take(entry)] as const)
  return (fields) => {
    // The object has all fields of the table, and lists hold entities.
    const entity: Record<string, unknown> = { ...empty, ...fields }
    for (const [name, completeEntry] of lists) {
      entity[name] = (entity[name] as ReadonlyArray<Entity>).map((entry) => completeEntry(entry))
    }
    return entity as Values<T>
  }
}

/** Makes the function that copies each field of a table from a source; if it is absent or `""` there, from a second source. */
export const take = <T extends Table>(table: T) => {
  const empty = emptyOf(table)
  const names = namesOf(table)
  type Source = { readonly [Name in keyof T]?: unknown }
  return (source: Source, otherwise?: Source): Values<T> => {
    // The object has all fields of the table.
    const values: Record<string, unknown> = { ...empty }
    for (const name of names) {
      const first = source[name]
      const value = first === undefined || first === "" ? otherwise?.[name] : first
      if (value !== undefined) values[name] = value
    }
    return values as Values<T>
  }
}

/** Makes the predicate for entities with no members beyond the fields of the table. The entity must have all fields. */
const holdsOnly = (table: Table): (entity: Entity) => boolean => {
  const size = Object.keys(table).length
  const tests = listsOf(table).map(([name, entry]) => ({ name, test: holdsOnly(entry) }))
  return (entity) => {
    // Counting by a loop allocates nothing, unlike `Object.keys`.
    let members = 0
    for (const _ in entity) members++
    if (members !== size) return false
    for (const { name, test } of tests) {
      // A field with a table is a list of entities.
      for (const entry of entity[name] as ReadonlyArray<Entity>) if (!test(entry)) return false
    }
    return true
  }
}

/** Makes the function that keeps only the fields of the table. */
export const only = <T extends Table>(table: T): (entity: Values<T>) => Values<T> => {
  const isExact = holdsOnly(table)
  const takeFields = take(table)
  const lists = listsOf(table).map(([name, entry]) => [name, only(entry)] as const)
  return (entity) => {
    if (isExact(entity)) return entity
    // The object has all fields of the table, and lists hold entities.
    const own: Record<string, unknown> = takeFields(entity)
    for (const [name, onlyEntry] of lists) {
      own[name] = (own[name] as ReadonlyArray<Values<Table>>).map(onlyEntry)
    }
    return own as Values<T>
  }
}
