/** The storage keeps its promises when two instances share a database, and when it is opened anew for each call. */
import {
  documentRecordSuite,
  idempotencyStoreSuite,
  intakeStoreSuite,
  movementSuite,
  Suite
} from "@dockline/core/testing"
import * as Sql from "@dockline/sql-storage/Sql"
import { describe } from "vitest"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

describe("two instances", () => {
  for (const suite of [intakeStoreSuite, movementSuite]) {
    Suite.register(runner, suite, Suite.alternating(Sql.layer), TestDatabase.layer)
  }
})

describe("a storage that is opened for each call", () => {
  for (const suite of [documentRecordSuite, idempotencyStoreSuite]) {
    Suite.register(runner, suite, Suite.reopening(Sql.layer), TestDatabase.layer)
  }
})
