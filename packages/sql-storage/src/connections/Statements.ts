/**
 * Statements, each with the schema of its result, which also gives its type.
 *
 * Guarantee: a row that does not match its schema is a defect that names the function and the field. Rows of the functions in {@link hot}
 * are checked only if {@link RowChecks} is `all`, as in tests. Only then are members beyond the schema of a function a fault: during an
 * update the database has the functions of the next version, whose rows may have more members.
 */
import { Context, Effect, Result, Schema, SchemaIssue, SchemaParser } from "effect"
import type { SqlClient, SqlConnection, SqlError, Statement } from "effect/sql"

/**
 * The functions that run for each document, pallet event, message, delivery or page. With checks, the storage takes 1.6 times the CPU time
 * for a document of ten items, and 1.4 times for pages of shipments and of messages.
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

/**
 * The rows that are checked: `all` rows strictly, or (`cold`) only rows of functions that are not {@link hot}, which may have members
 * beyond their schemas.
 */
export const RowChecks: Context.Reference<"all" | "cold"> = Context.Reference<"all" | "cold">(
  "@dockline/sql-storage/RowChecks",
  { defaultValue: () => "cold" }
)

/** The schema of a row, or of the value of a call: JSON and columns as the driver reads them. */
export type RowSchema<A> = Schema.Schema<A>

const messageOf = SchemaIssue.makeFormatterDefault()

/** Finds where a value does not match a schema. */
type Check = (value: unknown) => SchemaIssue.Issue | undefined

/** Whether the only faults are members beyond the schema. */
const isOnlyMore = (issue: SchemaIssue.Issue): boolean => {
  switch (issue._tag) {
    case "UnexpectedKey":
      return true
    case "Pointer":
      return isOnlyMore(issue.issue)
    case "Composite":
      return issue.issues.every(isOnlyMore)
    case "AnyOf":
      return issue.issues.some(isOnlyMore)
    default:
      return false
  }
}

const checks = new WeakMap<RowSchema<unknown>, Record<"all" | "cold", Check>>()

const makeChecks = (schema: RowSchema<unknown>): Record<"all" | "cold", Check> => {
  const type = Schema.toType(schema)
  // An unknown column is also a fault, because PostgreSQL would read and send it for nothing.
  const first = SchemaParser.decodeUnknownResult(type, { onExcessProperty: "error" })
  const every = SchemaParser.decodeUnknownResult(type, { onExcessProperty: "error", errors: "all" })
  const all: Check = (value) =>
    Result.match(first(value), { onSuccess: () => undefined, onFailure: (issue) => issue })
  return {
    all,
    cold: (value) =>
      all(value) === undefined ? undefined : Result.match(every(value), {
        onSuccess: () => undefined,
        onFailure: (issue) => isOnlyMore(issue) ? undefined : issue
      })
  }
}

const checkOf = (schema: RowSchema<unknown>, which: "all" | "cold"): Check => {
  const present = checks.get(schema)
  if (present !== undefined) return present[which]
  const both = makeChecks(schema)
  checks.set(schema, both)
  return both[which]
}

/** Returns a value that matches its schema, or throws with the difference. */
const verify = (name: string, check: Check, value: unknown): unknown => {
  const issue = check(value)
  if (issue === undefined) return value
  throw new TypeError(`${name} returned a value that does not match its schema: ${messageOf(issue)}`)
}

/** Reads the rows of a statement that runs on a connection without a client. */
export const rowsOf =
  <Row>(row: RowSchema<Row>, name: string) => (rows: ReadonlyArray<unknown>): ReadonlyArray<Row> =>
    // The check has verified the rows.
    rows.map((each) => verify(name, checkOf(row, "cold"), each) as Row)

/** Reads stored JSON. A newer version of the service may have stored members beyond the schema. */
export const storedJson = <A>(schema: RowSchema<A>, name: string) => (text: string): A => {
  const value: unknown = JSON.parse(text)
  // The check has verified the value.
  return verify(name, checkOf(schema, "cold"), value) as A
}

const names = new WeakMap<TemplateStringsArray, string>()

/** The function that a statement calls first, or the beginning of the statement. */
const nameOf = (text: TemplateStringsArray): string => {
  const present = names.get(text)
  if (present !== undefined) return present
  const whole = text.join("?")
  const name = /\bdockline\.(\w+)\(/.exec(whole)?.[1] ?? whole.trim().slice(0, 100)
  names.set(text, name)
  return name
}

/** Makes a statement from a template with arguments. */
type Tag<A> = (
  text: TemplateStringsArray,
  ...args: ReadonlyArray<unknown>
) => Effect.Effect<A, SqlError.SqlError>

/**
 * Statements, each with the schema of its result: `` call(Schema.Boolean)`dockline.webhook_remove(${business}, ${id})` ``. The arguments of
 * a function have the types that the function declares.
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
  /** The values of rows with one column, `json`, which holds JSON as text. */
  readonly jsonTexts: <A>(value: RowSchema<A>) => Tag<ReadonlyArray<A>>
}

/** Makes the function that reads a result by a schema. */
type Take = <A>(schema: RowSchema<A>, text: TemplateStringsArray) => (value: unknown) => A

/** Makes {@link Take} for these checks. */
const takes = (which: "all" | "cold"): Take => <A>(schema: RowSchema<A>, text: TemplateStringsArray) => {
  const name = nameOf(text)
  const check = which === "all" || !hot.has(name) ? checkOf(schema, which) : undefined
  // The check, or the tests, have verified the value.
  return (value) => (check === undefined ? value : verify(name, check, value)) as A
}

const around = (before: string, after: string) => {
  const statements = new WeakMap<TemplateStringsArray, TemplateStringsArray>()
  return (text: TemplateStringsArray): TemplateStringsArray => {
    const earlier = statements.get(text)
    if (earlier !== undefined) return earlier
    const strings = [...text]
    strings[0] = before + strings[0]
    strings.push(strings.pop() + after)
    const statement = Object.assign(strings, { raw: strings })
    statements.set(text, statement)
    return statement
  }
}

const calling = around("select ", " as value")

const selecting = around("select * from ", "")

const texts = new WeakMap<TemplateStringsArray, string>()

/** The text of a statement with numbered arguments; it is made once for each template. */
const textOf = (strings: TemplateStringsArray): string => {
  const present = texts.get(strings)
  if (present !== undefined) return present
  const text = strings.reduce((before, after, at) => `${before}$${at}${after}`)
  texts.set(strings, text)
  return text
}

/** Whether an argument is a value rather than a part of the text. */
const isValue = (arg: unknown): boolean => typeof arg !== "object" || arg === null || Array.isArray(arg)

/** Makes statements. The client would build the text at each call, which is needed only if an argument is a part of the text. */
const statementsOf =
  (sql: SqlClient.SqlClient) =>
  (strings: TemplateStringsArray, args: ReadonlyArray<unknown>): Statement.Statement<SqlConnection.Row> =>
    args.every(isValue) ? sql.unsafe(textOf(strings), args) : sql(strings, ...args)

/**
 * Numbers as texts: the driver would give a number a type by its size, which may differ from the type of the argument. It gives a text no
 * type.
 */
const textsOf = (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  args.map((arg) => typeof arg === "number" ? String(arg) : arg)

const readers = { all: takes("all"), cold: takes("cold") }

/** Statements on the database of a client. Unless `checks` is `cold`, all rows are checked strictly. */
export const callsOf = (sql: SqlClient.SqlClient, checks: "all" | "cold" = "all"): Calls => {
  const take = readers[checks]
  const make = statementsOf(sql)
  return {
    call: (schema) => (text, ...args) =>
      Effect.map(
        oneRow(make(calling(text), textsOf(args))),
        ({ value }) => take(schema, text)(value)
      ),
    run: (text, ...args) => Effect.asVoid(make(calling(text), textsOf(args))),
    rows: (schema) => (text, ...args) =>
      Effect.map(make(selecting(text), textsOf(args)), (rows) => rows.map(take(schema, text))),
    query: (schema) => (text, ...args) =>
      Effect.map(make(text, args), (rows) => rows.map(take(schema, text))),
    jsonTexts: (schema) => (text, ...args) => {
      const toValue = take(schema, text)
      return Effect.map(
        make(text, args),
        (rows) => rows.map(({ json }) => toValue(JSON.parse(String(json))))
      )
    }
  }
}

/** Takes the row of a statement that always returns exactly one, such as a call of a function or an aggregate. */
export const oneRow = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row, E, R> =>
  Effect.map(statement, ([row]) => {
    if (row === undefined) throw new Error("The statement returned no row")
    return row
  })

/** Takes the only row; `null` if there is none. */
export const rowOrNull = <Row, E, R>(
  statement: Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Row | null, E, R> => Effect.map(statement, ([row]) => row ?? null)
