/**
 * The part of a capability that is stored in PostgreSQL (ADR 31).
 *
 * Guarantee: its tables and functions are migrated with the schema of the contract, in one transaction. They are its own: a program without
 * the capability leaves them unchanged.
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

/** The parts of a capability for a cluster; absent parts are empty. */
export interface ClusterParts {
  /**
   * The tables whose rows belong to a business, each before the tables that refer to it. The first column of their keys is `business_id`.
   */
  readonly tables: ReadonlyArray<string>
  /** The sequences of the ids of such rows. Each shard has its own; functions draw from them, and no column default does. */
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
  /** The number of the oldest migration whose version may still run on the newest; 1 unless a newer migration removes something. */
  readonly oldestServed?: number
  /** The statements that create its functions and views. */
  readonly functions?: ReadonlyArray<string>
  /** Its parts for a cluster. */
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
