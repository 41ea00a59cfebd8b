/**
 * Secrets stay secret: canaries are planted in every setting and every request with a secret, in a server that runs as in production, at
 * the most verbose log level and in every format of the log, while things work and while they fail. None of them is in its output, its
 * answers, its metrics, its traces or, in clear, its database.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseWay, whileAway } from "../../support/database/DatabaseWay.ts"
import * as Way from "../../support/database/DatabaseWay.ts"
import { EchoCustomer } from "../EchoCustomer.ts"
import { Story } from "./CanaryStory.ts"

/** Every row of every table, as text. */
const rows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`
  const texts: Array<string> = []
  for (const { name } of tables) {
    const found = yield* sql.unsafe<{ readonly row: string }>(`select t::text as row from ${name} t`)
    texts.push(...found.map(({ row }) => `${name}: ${row}`))
  }
  return texts
}).pipe(Effect.orDie)

/** Runs an effect while a table has another name. */
const without = <A>(table: string, effect: Effect.Effect<A>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* Effect.acquireUseRelease(
      sql.unsafe(`alter table dockline.${table} rename to ${table}_away`),
      () => effect,
      () => Effect.orDie(sql.unsafe(`alter table dockline.${table}_away rename to ${table}`))
    )
  }).pipe(Effect.orDie)

layer(Way.layer, { excludeTestServices: true })("no secret leaves the server", (it) => {
  for (const logFormat of ["json", "logfmt", "pretty"]) {
    // @threat secrets.1
    it.effect(
      `not in the output as ${logFormat}, answers, deliveries, metrics, traces and rows`,
      () =>
        Effect.scoped(Effect.gen(function*() {
          const { url } = yield* DatabaseWay
          const collector = yield* EchoCustomer.open(() => ({ status: 200, body: "{}" }))
          const story = yield* Story.begin(url, collector, logFormat)
          const token = yield* Effect.promise(() => story.clients())
          yield* Effect.promise(() => story.webhooks())
          const broken = (what: string) => Effect.promise(() => story.broken(token, what))
          yield* without("webhook_endpoint", broken("a table is missing"))
          yield* without("shipment", broken("another table is missing"))
          yield* whileAway(broken("the database is away"))
          const found = (texts: ReadonlyArray<string>) =>
            texts.flatMap((text) =>
              story.canaries.foundIn(text).map((what) => `${what}: ${text.slice(0, 300)}`)
            )
          assert.deepStrictEqual(found(yield* rows), [])
          yield* Effect.promise(() => story.end())
          assert.deepStrictEqual(found(story.client.answers), [])
          assert.deepStrictEqual(found(story.server.output().split("\n")), [])
          assert.deepStrictEqual(found(collector.got.map((got) => JSON.stringify(got))), [])
          // The canaries could be found: the customer received its passwords and its token.
          const sent = story.canaries.foundIn(JSON.stringify(story.customer.got))
          for (
            const what of ["the customer's token, as it is", "the basic password of what works, in base64"]
          ) {
            assert.include(sent, what)
          }
          assert.include(story.server.output(), "shipment")
          assert.include(JSON.stringify(collector.got), "POST /v1/documents", "traces arrived")
        })),
      120_000
    )
  }
})
