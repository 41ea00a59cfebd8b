/**
 * The schema of a database: the functions of the contract and of capabilities, and for a cluster also their tables, sequences and spanning
 * functions.
 */
import type { Text } from "./cluster/Merging.ts"
import * as Names from "./cluster/Names.ts"
import { spanning } from "./cluster/Spanning.ts"
import { define, definitions, inOrder } from "./Definitions.ts"
import type { Definition } from "./Definitions.ts"
import type * as SqlCapability from "./SqlCapability.ts"

/** The schema of the contract and of capabilities. */
export interface SqlSchema {
  /** In an order in which they can be created. */
  readonly definitions: ReadonlyArray<Definition>
  /** The tables whose rows belong to a business, each before the tables that refer to it. */
  readonly tables: ReadonlyArray<string>
  /** The sequences of the ids of rows of businesses. */
  readonly sequences: ReadonlyArray<string>
  /** Each function that spans businesses, by its name. */
  readonly spanning: Readonly<Record<string, Text>>
}

/** The schema of the contract and of these capabilities. */
export const schemaOf = (capabilities: SqlCapability.List): SqlSchema => ({
  definitions: inOrder([
    ...definitions,
    ...capabilities.flatMap(({ functions = [], name }) => functions.map((text) => define(text, name)))
  ]),
  tables: [...Names.tables, ...capabilities.flatMap(({ cluster }) => cluster?.tables ?? [])],
  sequences: [...Names.sequences, ...capabilities.flatMap(({ cluster }) => cluster?.sequences ?? [])],
  spanning: Object.assign({}, spanning, ...capabilities.map(({ cluster }) => cluster?.spanning))
})
