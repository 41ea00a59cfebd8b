/** PgBouncer between us and PostgreSQL is refused, whatever it lets through. Where there is no PgBouncer, it is said. */
import * as Dockline from "@dockline/core/embed/Dockline"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as PgBouncer from "../../../../test/support/database/PgBouncer.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import * as Postgres from "../../src/Postgres.ts"

const scope = Scope.makeUnsafe()
let direct: URL

beforeAll(async () => {
  direct = new URL(Redacted.value((await Effect.runPromise(Scope.provide(TestDatabase.create, scope))).url))
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const refusal = async (url: string): Promise<string> => {
  const error = await Dockline.open({ storage: Postgres.layer({ url }) }).then(
    () => assert.fail("was opened"),
    (error: Dockline.DocklineNotOpened) => error.cause
  )
  assert.instanceOf(error, Postgres.PostgresError)
  assert.strictEqual(error.code, "DATABASE_REFUSED")
  return error.message
}

describe.skipIf(!PgBouncer.isThere)("PgBouncer", () => {
  it("that knows no start-up parameters is refused with what to do", async () => {
    await using bouncer = await PgBouncer.start(direct, { pool_mode: "session" })
    assert.match(
      await refusal(bouncer.url),
      /the address is that of a pooler \(.*default_transaction_isolation\); let the URL lead to PostgreSQL itself/
    )
  })

  it.each(["transaction", "session"])("is refused with what to do, pool_mode=%s", async (pool_mode) => {
    await using bouncer = await PgBouncer.start(direct, {
      pool_mode,
      ignore_startup_parameters: PgBouncer.ignoredParameters
    })
    assert.match(
      await refusal(bouncer.url),
      /the address is that of a pooler; let the URL lead to PostgreSQL itself/
    )
  })
})
