/**
 * PgBouncer between us and PostgreSQL: what it takes of start-up parameters, and that nothing depends on a session. Where
 * there is no PgBouncer, it is said.
 */
import * as Dockline from "@dockline/core/Dockline"
import { payloadOf } from "@dockline/core/Message"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as PgBouncer from "../../../../test/support/database/PgBouncer.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import * as Postgres from "../../src/Postgres.ts"

const scope = Scope.makeUnsafe()
let direct: URL

const set = (names: ReadonlyArray<PgBouncer.Timeout>) => PgBouncer.set(direct, names)

const pooler = (options: Readonly<Record<string, string>>) => PgBouncer.start(direct, options)

const ignore_startup_parameters = PgBouncer.ignoredParameters

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

const client = {
  clientId: "wms",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  }]
} as const

const value = <A>(answer: Dockline.Answer<A, { readonly message: string }>): A => {
  if (answer.ok) return answer.value
  throw new Error(`refused: ${answer.error.message}`)
}

/** Many at once through two instances, of which one follows what both do. */
const work = async (url: string, name: string) => {
  await using first = await Dockline.open({ storage: Postgres.layer({ url }) })
  await using second = await Dockline.open({ storage: Postgres.layer({ url }) })
  value(
    await first.places([{
      slug: "acme",
      name: "Acme",
      facilities: [{ slug: "east", name: "East", docks: ["D1"] }]
    }])
  )
  const orders = Array.from({ length: 40 }, (_, at) => `${name}-${at}`)
  const place = { business: "acme", facility: "east", dockSlug: "D1" }
  // From the beginning: to begin with what comes takes a look at the log, which some of it may overtake.
  const following = second.follow({ business: "acme", afterId: 0 }, client)
  const next = following.next()
  await Promise.all(orders.map(async (orderNumber, at) => {
    const instance = at % 2 === 0 ? first : second
    const items = [{ lpn: `P-${orderNumber}`, sku: "S1", quantity: 1, quantityUnit: "CASE" as const }]
    value(await instance.submit({ ...place, direction: "OUTBOUND", orderNumber, items }, client))
    const event = {
      eventId: `event-${orderNumber}`,
      direction: "LOADING",
      occurredAt: "2026-11-20T17:00:00Z"
    }
    value(
      await instance.recordPallet({
        ...place,
        ...event,
        labels: [{ name: "lpn", value: `P-${orderNumber}` }]
      }, client)
    )
  }))
  const seen = new Set<string>()
  for (
    let message = await next;
    !message.done && seen.size < orders.length;
    message = await following.next()
  ) {
    for (const order of payloadOf(message.value)["orders"] as ReadonlyArray<string>) {
      if (orders.includes(order)) seen.add(order)
    }
    if (seen.size === orders.length) break
  }
  await following.return()
  assert.deepStrictEqual([...seen].toSorted(), orders.toSorted())
}

describe.skipIf(!PgBouncer.isThere)("PgBouncer", () => {
  it("that knows no start-up parameters is refused with the name of the first", async () => {
    await using bouncer = await pooler({ pool_mode: "session" })
    assert.match(await refusal(bouncer.url), /unsupported startup parameter: default_transaction_isolation/)
  })

  it("that ignores them is refused until they are set for the user, with what to do", async () => {
    await using bouncer = await pooler({ pool_mode: "transaction", ignore_startup_parameters })
    const all = await refusal(bouncer.url)
    assert.match(all, /set them for the user: alter role \S+ set /)
    assert.include(all, "set statement_timeout = '30000'")
    assert.include(all, "set lock_timeout = '10000'")
    await set(["statement_timeout", "lock_timeout"])
    // Sessions that were open before keep what they had.
    await using another = await pooler({ pool_mode: "transaction", ignore_startup_parameters })
    assert.match(
      await refusal(another.url),
      /set them for the user: alter role \S+ set idle_in_transaction_session_timeout = '30000'$/
    )
  })

  for (const mode of ["transaction", "session"]) {
    it(`works with sessions of its own choice, pool_mode=${mode}`, async () => {
      await set(["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
      // Of a session each of both instances needs as many as it opens.
      const size = mode === "session" ? "50" : "4"
      await using bouncer = await pooler({
        pool_mode: mode,
        ignore_startup_parameters,
        default_pool_size: size
      })
      await work(bouncer.url, mode)
    }, 60_000)
  }
})
