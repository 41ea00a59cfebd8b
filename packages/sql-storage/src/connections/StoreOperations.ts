/**
 * What stores do with the database of the `SqlClient`.
 *
 * Guarantee: an operation ends within its deadline. What may wait for a lock or takes long claims an exclusive
 * connection before it holds any (`Loan.ts`), and is repeated after a conflict. An operation inside a transaction is part of it:
 * it has its connection and its deadline.
 */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"
import { Deadline, isPart, Lending, within } from "./Loan.ts"
import { followShards, Nodes } from "./Nodes.ts"
import { oneRow } from "./OneRow.ts"
import { refine, repeatConflicts } from "./StorageErrors.ts"

/** A claim of a connection, which leads to the node of a business, if one is named by its id. */
export interface StoreClaim extends Omit<Claim, "node"> {
  readonly business?: string | undefined
}

type Needs = Partial<StoreClaim>

/** Makes an effect on the database an operation: SQL failures become `StorageUnavailable` or defects. */
export type Operation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R>

/** Does something with statements, whose failures stay. */
type Around = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/**
 * Calls of functions of the schema: `` call`dockline.shipment_business(${id})` ``. PostgreSQL takes the types of the arguments from the
 * function.
 */
interface Calls {
  /** The value that a function returns. */
  readonly call: <A>(
    text: TemplateStringsArray,
    ...args: ReadonlyArray<unknown>
  ) => Effect.Effect<A, SqlError.SqlError>
  /** The rows that a function returns. */
  readonly rows: <Row extends object>(
    text: TemplateStringsArray,
    ...args: ReadonlyArray<unknown>
  ) => Statement.Statement<Row>
}

/** Operations of stores: calls of functions, and the connections on which they run. */
export interface Operations extends Calls {
  readonly sql: SqlClient.SqlClient
  readonly operation: Operation
  /** Runs statements on a connection of a claim; inside a transaction there is nothing to claim. */
  readonly loan: (claim: StoreClaim) => Around
  /** An operation that reads on a connection of its own. */
  readonly read: (needs?: Needs) => Operation
  /**
   * An operation on a connection of the lane "requests", repeated after conflicts; inside a transaction up to a savepoint. Reads
   * that no client asks for use it too.
   */
  readonly write: (needs?: Needs) => Operation
  /** Runs statements in a transaction of their own on a connection of the lane "requests", repeated after conflicts. */
  readonly transaction: (needs?: Needs) => Around
  /** {@link transaction} as an operation. */
  readonly transact: (needs?: Needs) => Operation
  /** Repeats statements after conflicts; inside a transaction up to a savepoint, as a statement that failed leaves nothing to repeat. */
  readonly repeatable: Around
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

/** Calls of functions on the database of a client. */
export const callsOf = (sql: SqlClient.SqlClient): Calls => ({
  call: <A>(text: TemplateStringsArray, ...args: ReadonlyArray<unknown>) =>
    Effect.map(oneRow(sql<{ readonly value: A }>(calling(text), ...untyped(args))), ({ value }) => value),
  rows: (text, ...args) => sql(selecting(text), ...untyped(args))
})

/** The operations of stores in the database of the `SqlClient`. */
export const operations: Effect.Effect<Operations, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const deadline = yield* Deadline
  const lend = yield* Lending
  const nodes = yield* Nodes
  const follow = followShards(nodes.forget)

  const operation: Operation = (effect) =>
    Effect.flatMap(isPart(sql), (isPart) => isPart ? refine(effect) : within(refine(effect), deadline.millis))

  const loan: Operations["loan"] = ({ business, ...claim }) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      isPart(sql),
      (isPart): Effect.Effect<A, E | SqlError.SqlError, R> =>
        isPart
          ? effect
          : follow(Effect.flatMap(
            business === undefined ? Effect.undefined : nodes.of(business),
            (node) => lend({ ...claim, node })(effect)
          ))
    )

  const repeatable: Around = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    repeatConflicts(
      Effect.flatMap(
        isPart(sql),
        (isPart): Effect.Effect<A, E | SqlError.SqlError, R> => isPart ? sql.withTransaction(effect) : effect
      )
    )

  const transaction: Operations["transaction"] = (needs) => (effect) =>
    loan({ lane: "requests", ...needs })(repeatConflicts(sql.withTransaction(effect)))

  return {
    ...callsOf(sql),
    sql,
    operation,
    loan,
    repeatable,
    read: (needs) => (effect) => operation(loan({ lane: "reads", ...needs })(effect)),
    write: (needs) => (effect) => operation(loan({ lane: "requests", ...needs })(repeatable(effect))),
    transaction,
    transact: (needs) => (effect) => operation(transaction(needs)(effect))
  }
})
