/** The services over PostgreSQL keep their laws; the laws of concurrent documents show that its locks suffice. */
import * as Sql from "@dockline/sql-storage/Sql"
import * as Law from "@dockline/testing/Law"
import * as IntakeLaws from "@dockline/testing/laws/IntakeLaws"
import * as MovementLaws from "@dockline/testing/laws/MovementLaws"
import * as SerialLaws from "@dockline/testing/laws/SerialLaws"
import { Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"
import { often, runner } from "../support/Runner.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** Built once, because each history has a business of its own. */
const storage = ManagedRuntime.make(Layer.provide(Sql.layer, TestDatabase.layer))
afterAll(() => storage.dispose())

const stores = Layer.effectContext(storage.contextEffect)

/** Each step of a history reads everything before and after it; in memory, the same laws are tried ten times as often. */
const seldom = { factor: 0.1 * often.factor }

Law.register(runner, "documents on PostgreSQL", IntakeLaws.everyLaw(stores), seldom)
Law.register(runner, "shipments in motion on PostgreSQL", MovementLaws.everyLaw(stores), seldom)
Law.register(runner, "documents at once on PostgreSQL", SerialLaws.everyLaw(stores), often)
