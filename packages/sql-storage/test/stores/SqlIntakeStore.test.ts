import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { intakeStoreSuite } from "@dockline/testing/suites/intake/IntakeStoreSuite"
import { assert } from "@effect/vitest"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, services, statements, times } from "../Movements.ts"

// Two instances on one database: what one of them keeps in its process, the other does not know.
Suite.register(runner, intakeStoreSuite, Suite.alternating(Sql.layer), TestDatabase.layer)

over(services)("SqlIntakeStore", (test) => {
  test("a document costs the same number of statements whatever its number of items", function*() {
    const { submit } = yield* aBusiness
    const cost = (name: string, items: number) =>
      statements(submit(name, name, ...times(items).map((n) => `L-${n}`)))
    // Whether the database is a cluster is found out once.
    yield* cost("FIRST", 1)
    // With the BEGIN and COMMIT of its batch, which are sent with the other two.
    assert.strictEqual(yield* cost("SMALL", 1), 4)
    assert.strictEqual(yield* cost("LARGE", 1000), 4)
    assert.strictEqual(yield* cost("ALONE", 2000), 2)
  })
})
