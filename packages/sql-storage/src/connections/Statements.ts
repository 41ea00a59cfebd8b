/**
 * Statements, each with the schema of what it returns, from which the type follows.
 *
 * Guarantee: a row that is not as its schema says breaks what reads it, with the function and the field. Rows of the functions of
 * {@link hot} are checked only where {@link RowChecks} says so, as in tests: they are what the tests have seen, as the functions of a database
 * are those of this version (`schema/Definitions`).
 */
import { Context, Effect, Result, Schema, SchemaIssue, SchemaParser } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * The functions of each document, pallet event, message, delivery and page: with checks the storage takes 1.6 times the CPU time for a
 * document of ten items, and 1.4 times for pages of shipments and of messages.
 */
const hot: ReadonlySet<string> = new Set([
  "intake_load",
  "pallet_load",
  "message_read",
  "webhook_open",
  "webhook_take",
  "webhook_settle",
  "shipments_shown",
  "orders_shown"
])

/** Which rows are checked: `all`, or those of functions that are not {@link hot}. */
export const RowChecks: Context.Reference<"all" | "cold"> = Context.Reference<"all" | "cold">(
  "@dockline/sql-storage/RowChecks",
  { defaultValue: () => "cold" }
)

/** The schema of a row, or of the value of a call: JSON and columns as the driver reads them. */
export type RowSchema<A> = Schema.Schema<A>

const messageOf = SchemaIssue.makeFormatterDefault()

type Check = (value: unknown) => Result.Result<unknown, SchemaIssue.Issue>

const checks = new WeakMap<RowSchema<unknown>, Check>()

const checkOf = (schema: RowSchema<unknown>): Check => {
  const present = checks.get(schema)
  if (present !== undefined) return present
  // A column that nobody reads is a fault as well: PostgreSQL would read and send it for nothing.
  const check = SchemaParser.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
  checks.set(schema, check)
  return check
}

const names = new WeakMap<TemplateStringsArray, string>()

/** The function that a statement calls first, or how the statement begins. */
const nameOf = (text: TemplateStringsArray): string => {
  const present = names.get(text)
  if (present !== undefined) return present
  const whole = text.join("?")
  const name = /\bdockline\.(\w+)\(/.exec(whole)?.[1] ?? whole.trim().slice(0, 100)
  names.set(text, name)
  return name
}

/** A statement with arguments in it. */
type Tag<A> = (
  text: TemplateStringsArray,
  ...args: ReadonlyArray<unknown>
) => Effect.Effect<A, SqlError.SqlError>

/**
 * Statements, each with the schema of what it returns: `` call(Schema.Boolean)`dockline.webhook_remove(${business}, ${id})` ``.
 * PostgreSQL takes the types of the arguments of a function from the function.
 */
export interface Calls {
  /** The value that a function returns. */
  readonly call: <A>(value: RowSchema<A>) => Tag<A>
  /** Calls a function that returns nothing. */
  readonly run: Tag<void>
  /** The rows that a function returns. */
  readonly rows: <Row>(row: RowSchema<Row>) => Tag<ReadonlyArray<Row>>
  /** The rows of any statement, whose arguments have the types that the driver gives them. */
  readonly query: <Row>(row: RowSchema<Row>) => Tag<ReadonlyArray<Row>>
  /** The values of rows that have one column, `json`, with JSON as text. */
  readonly jsonTexts: <A>(value: RowSchema<A>) => Tag<ReadonlyArray<A>>
}

/** Makes the reader of what a statement returns by a schema. */
type Take = <A>(schema: RowSchema<A>, text: TemplateStringsArray) => (value: unknown) => A

/** Makes {@link Take} for these checks. */
const takes = (which: "all" | "cold"): Take => <A>(schema: RowSchema<A>, text: TemplateStringsArray) => {
  const name = nameOf(text)
  const check = which === "all" || !hot.has(name) ? checkOf(schema) : undefined
  return (value) => {
    if (check !== undefined) {
      const result = check(value)
      if (Result.isFailure(result)) {
        throw new TypeError(`${name} returned what its schema has not: ${messageOf(result.failure)}`)
      }
    }
    // It is as the schema says: the check, or the tests, have seen it.
    return value as A
  }
}

const around = (before: string, after: string) => {
  const made = new WeakMap<TemplateStringsArray, TemplateStringsArray>()
  return (text: TemplateStringsArray): TemplateStringsArray => {
    const known = made.get(text)
    if (known !== undefined) return known
    const strings = [...text]
    strings[0] = before + strings[0]
    strings.push(strings.pop() + after)
    const statement = Object.assign(strings, { raw: strings })
    made.set(text, statement)
    return statement
  }
}

const calling = around("select ", " as value")

const selecting = around("select * from ", "")

/** The driver gives a number a type by its size, which may be no type of the function's argument. A text has none. */
const untyped = (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  args.map((arg) => typeof arg === "number" ? String(arg) : arg)

const readers = { all: takes("all"), cold: takes("cold") }

/** Statements on the database of a client. */
export const callsOf = (sql: SqlClient.SqlClient, checks: "all" | "cold" = "all"): Calls => {
  const take = readers[checks]
  return {
    call: (schema) => (text, ...args) =>
      Effect.map(oneRow(sql(calling(text), ...untyped(args))), ({ value }) => take(schema, text)(value)),
    run: (text, ...args) => Effect.asVoid(sql(calling(text), ...untyped(args))),
    rows: (schema) => (text, ...args) =>
      Effect.map(sql(selecting(text), ...untyped(args)), (rows) => rows.map(take(schema, text))),
    query: (schema) => (text, ...args) =>
      Effect.map(sql(text, ...args), (rows) => rows.map(take(schema, text))),
    jsonTexts: (schema) => (text, ...args) => {
      const toValue = take(schema, text)
      return Effect.map(
        sql(text, ...args),
        (rows) => rows.map(({ json }) => toValue(JSON.parse(String(json))))
      )
    }
  }
}

/** Takes the row of a statement that returns one whatever it finds, as a call of a function or an aggregate does. */
export const oneRow = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row, E, R> =>
  Effect.map(statement, ([row]) => {
    if (row === undefined) throw new Error("The statement returned no row")
    return row
  })

/** Takes the row, or `null`. */
export const rowOrNull = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row | null, E, R> => Effect.map(statement, ([row]) => row ?? null)
