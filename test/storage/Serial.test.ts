/** The laws of documents at once on PostgreSQL: its locks suffice. */
import * as Law from "@dockline/core/testing/Law"
import * as SerialLaws from "@dockline/core/testing/SerialLaws"
import * as SqlDirectory from "@dockline/sql-storage/SqlDirectory"
import * as SqlIntakeStore from "@dockline/sql-storage/SqlIntakeStore"
import * as SqlShipmentStore from "@dockline/sql-storage/SqlShipmentStore"
import { Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"
import { often, runner } from "../support/Runner.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const database = ManagedRuntime.make(TestDatabase.layer)
afterAll(() => database.dispose())

/** Built anew for each history, over the one pool of connections. */
const stores = Layer.mergeAll(SqlDirectory.layer, SqlIntakeStore.layer, SqlShipmentStore.layer).pipe(
  Layer.provide(Layer.effectContext(database.contextEffect))
)

Law.register(runner, "documents at once on PostgreSQL", SerialLaws.everyLaw(stores), often)
