/** The columns of the lists in CSV, by the names of their operations. */
import { operatorOperations } from "@dockline/core/internal/operator/OperatorOperations"
import type { Table } from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"

/** The columns of every list, by the name of its operation. */
export const allTables: ReadonlyMap<string, Table<never>> = new Map(
  [...Object.values(operations), ...Object.values(operatorOperations)].flatMap(
    (operation): ReadonlyArray<readonly [string, Table<never>]> =>
      operation.kind === "list" ? [[operation.name, operation.columns]] : []
  )
)
