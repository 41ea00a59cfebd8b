/**
 * The part of a capability that is stored in PostgreSQL (ADR 31). Its tables, functions and views are in SQL files that psql and editors
 * understand.
 *
 * Guarantee: its tables and functions are migrated with the schema of the contract, in one transaction. They belong to the capability: a
 * program without the capability leaves them unchanged. A comment outside a statement is not a part of it, so a changed comment does not
 * change a database.
 *
 * In a file of functions and views, each statement begins with `create or replace function dockline.` or `create or replace view dockline.`
 * at the beginning of a line, below a comment with its purpose and its guarantee. In a file of a migration, each statement ends with a
 * semicolon at the end of a line.
 *
 * ```ts
 * export const photosSql = SqlCapability.make("photos", {
 *   stores: SqlPhotoStore.layer,
 *   migrations: { "1_photos": SqlCapability.statementsOf(new URL("../../sql/1_photos.sql", import.meta.url)) },
 *   functions: SqlCapability.functionsOf(new URL("../../sql/photos.sql", import.meta.url)),
 *   cluster: { tables: ["photo"] }
 * })
 * ```
 */
import type { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import type { Announcer } from "../connections/Announcer.ts"
import type { Text } from "./cluster/Merging.ts"

/** The parts of a capability for a cluster. Absent parts are empty. */
export interface ClusterParts {
  /**
   * The tables whose rows belong to a business, each before the tables that refer to it. The first column of their keys is `business_id`.
   */
  readonly tables: ReadonlyArray<string>
  /** The sequences for the ids of these rows. Each shard has its own, so functions draw the ids, and do not rely on defaults of columns. */
  readonly sequences: ReadonlyArray<string>
  /** The functions that span businesses, and how they ask the shards. */
  readonly spanning: Readonly<Record<string, Text>>
}

/** The part of a capability that is stored in PostgreSQL. */
export interface SqlCapability<Port> {
  /** The name of the capability. */
  readonly name: string
  /** Its ports, on the database of the `SqlClient`. Ports that append messages also announce them. */
  readonly stores: Layer.Layer<Port, never, SqlClient.SqlClient | Announcer>
  /** The statements of its migrations, by number (from 1) and name. A released migration never changes. */
  readonly migrations?: Readonly<Record<`${number}_${string}`, ReadonlyArray<string>>>
  /** The number of the oldest migration whose version may still use the newest schema; 1 unless a newer migration removes something. */
  readonly oldestServed?: number
  /** The statements that create its functions and views. */
  readonly functions?: ReadonlyArray<string>
  /** Its parts for a cluster. */
  readonly cluster?: Partial<ClusterParts>
  /** The types of messages that it appends to the log. */
  readonly messageTypes?: ReadonlyArray<string>
}

/** The parts of several capabilities. */
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

/** The number of the newest migration of a capability; 0 if it has none. */
export const newestOf = (capability: SqlCapability<never>): number => migrationsOf(capability).at(-1)?.id ?? 0

const read = (file: URL): string => {
  try {
    return readFileSync(file, "utf8").replaceAll("\r\n", "\n")
  } catch (cause) {
    throw new Error(
      `There is no ${file.href}, which the storage needs: a bundler left it out. Leave the packages of Dockline out of the bundle `
        + "(most bundlers call them external), so that they find their files beside them",
      { cause }
    )
  }
}

const isStatement = (line: string): boolean => !/^\s*(?:--|$)/.test(line)

const isNotComment = (text: string): boolean => text.split("\n").some(isStatement)

/** A text without the comments and empty lines around it, and without the semicolon at its end. */
const statementOf = (text: string): string => {
  const lines = text.split("\n")
  return lines.slice(lines.findIndex(isStatement), lines.findLastIndex(isStatement) + 1).join("\n").replace(
    /;$/,
    ""
  )
}

const heading = /^(?=create or replace (?:function|view) dockline\.)/m

/** The statements of a file that create or replace functions and views. */
export const functionsOf = (file: URL): ReadonlyArray<string> =>
  read(file).split(heading).filter(isNotComment).map(statementOf)

/** The statements of a file of a migration. */
export const statementsOf = (file: URL): ReadonlyArray<string> =>
  read(file).split(/;$/m).filter(isNotComment).map(statementOf)
