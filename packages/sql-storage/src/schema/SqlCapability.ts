/**
 * The part of a capability that is stored in PostgreSQL (ADR 31).
 *
 * Guarantee: its tables and functions are brought up to date with the schema of the contract, in one transaction, and are its own: a program
 * whose list lacks it leaves them as they are.
 *
 * ```ts
 * export const photosSql = SqlCapability.make("photos", {
 *   stores: SqlPhotoStore.layer,
 *   migrations: { "1_photos": SqlText.statementsOf(new URL("../../sql/1_photos.sql", import.meta.url)) },
 *   functions: SqlText.functionsOf(new URL("../../sql/photos.sql", import.meta.url)),
 *   cluster: { tables: ["photo"] }
 * })
 * ```
 */
import type { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Announcer } from "../connections/Announcer.ts"
import type { Text } from "./cluster/Merging.ts"

/** What a cluster has of a capability; what is not said is empty. */
export interface ClusterParts {
  /** The tables whose rows belong to a business, a table before those that refer to it. Their first column of a key is `business_id`. */
  readonly tables: ReadonlyArray<string>
  /** The sequences of the ids of such rows; each shard has its own, from which functions draw them, and no default of a column. */
  readonly sequences: ReadonlyArray<string>
  /** The functions that span businesses, and how they ask the shards. */
  readonly spanning: Readonly<Record<string, Text>>
}

/** The part of a capability that is stored in PostgreSQL. */
export interface SqlCapability<Port> {
  /** The name of the capability. */
  readonly name: string
  /** Its ports, on the database of the `SqlClient`. Those that append messages announce them. */
  readonly stores: Layer.Layer<Port, never, SqlClient.SqlClient | Announcer>
  /** The statements of its migrations by their numbers and names, from 1 on. A migration that has been released never changes. */
  readonly migrations?: Readonly<Record<`${number}_${string}`, ReadonlyArray<string>>>
  /** The number of the oldest migration whose version may still run on the newest; 1 unless the newest takes something away. */
  readonly oldestServed?: number
  /** The statements that create its functions and views. */
  readonly functions?: ReadonlyArray<string>
  /** What a cluster has of it. */
  readonly cluster?: Partial<ClusterParts>
  /** The types of messages that it appends to the log. */
  readonly messageTypes?: ReadonlyArray<string>
}

/** A list of such parts. */
export type List = ReadonlyArray<SqlCapability<never>>

/** The ports of a list. */
export type PortsOf<Capabilities extends List> = Layer.Success<Capabilities[number]["stores"]>

/** Makes the part of a capability that is stored in PostgreSQL. */
export const make = <Port>(
  name: string,
  slots: Omit<SqlCapability<Port>, "name">
): SqlCapability<Port> => ({ name, ...slots })

/** A migration: its number, its name, and its statements. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** The migrations of a capability, in the order of their numbers. */
export const migrationsOf = ({ migrations = {} }: SqlCapability<never>): ReadonlyArray<Migration> =>
  Object.entries(migrations)
    .map(([name, statements]) => ({ id: Number.parseInt(name, 10), name, statements }))
    .sort((one, other) => one.id - other.id)

/** The number of the newest migration of a capability; 0 where it has none. */
export const newestOf = (capability: SqlCapability<never>): number => migrationsOf(capability).at(-1)?.id ?? 0
