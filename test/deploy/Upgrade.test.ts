/**
 * A rolling upgrade: the present server runs beside an invented next version, which extends the schema under load; and a version after
 * that, which removes things that the first one uses.
 */
import { recently } from "@dockline/testing/generators/Given"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { newest } from "../../packages/sql-storage/src/schema/Migrations.ts"
import { bundle } from "../../programs/Bundle.mjs"
import type { Replacement } from "../../programs/Bundle.mjs"
import { tokenOf } from "../support/DemoToken.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as Debian from "./Debian.ts"

const schema = "packages/sql-storage/src/schema"

const migrationsAre = (added: string): Replacement => ({
  file: `${schema}/Migrations.ts`,
  from: `"../../sql/0001_initial.sql", import.meta.url))`,
  to: `"../../sql/0001_initial.sql", import.meta.url))${added}`
})

/** Columns with defaults in the tables of each document, an index, and functions with another text. */
const expansion = `, "${newest + 1}_next": [
  "alter table dockline.shipment add column next_note text not null default ''",
  "alter table dockline.order_item add column next_weight int not null default 0",
  "create index shipment_next on dockline.shipment (next_note) where next_note <> ''"
]`

/** Functions of every document and every pallet with other bodies, which replace the running ones. */
const otherTexts: ReadonlyArray<Replacement> = [
  ["sql/intake.sql", "  if p_records is not null then\n"],
  ["sql/intake.sql", "    'begun', now()::text,\n"],
  ["sql/movement.sql", "  return (select json_agg(m->0) from json_array_elements(v_messages) as m);\n"],
  ["sql/messages.sql", "  return coalesce(v_result, '[]');\n"]
].map(([name, from = ""]) => ({
  file: `packages/sql-storage/${name}`,
  from,
  to: `${from}-- of the next version\n`
}))

/** It removes things that the first version uses, or might have used: nothing in this test, so that only its declaration counts. */
const contraction = `${expansion}, "${newest + 2}_last": []`
const servesFrom = (oldest: number): Replacement => ({
  file: "packages/sql-storage/sql/basics.sql",
  from: "'select 1'",
  to: `'select ${oldest}'`
})

let folder: string
let postgres: Debian.Postgres
let url: string
const running: Array<ServerProcess.ServerProcess> = []

/** The versions as programs, each in a bundle of its own. */
const versions = { old: "", next: "", last: "" }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-upgrade-"))
  const entry = join(Debian.root, "packages/server/src/main.ts")
  const made = {
    old: [],
    next: [migrationsAre(expansion), ...otherTexts],
    last: [migrationsAre(contraction), ...otherTexts, servesFrom(newest + 1)]
  }
  for (const name of ["old", "next", "last"] as const) {
    versions[name] = join(folder, `${name}.mjs`)
    await bundle({ entry, outfile: versions[name], replacements: made[name] })
  }
  postgres = await Debian.postgres()
  url = await postgres.create("upgraded")
})

afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGKILL")
    await ended
  }
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const environment = () => ({ DATABASE_URL: url, DEMO: "true", MIGRATE: "false", RATE_LIMIT_PER_MINUTE: "0" })

const serve = async (version: keyof typeof versions) => {
  const server = await ServerProcess.serve(environment(), [versions[version]])
  running.push(server)
  return server
}

const called = (version: keyof typeof versions, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
    execFile(
      ServerProcess.node,
      [versions[version], ...args],
      { env: { PATH: process.env["PATH"], PORT: "1", ...environment() } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, text: stdout + stderr })
    )
  })

const isReady = async ({ baseUrl }: ServerProcess.ServerProcess): Promise<boolean> =>
  (await fetch(`${baseUrl}/readyz`)).status === 200

/** Sends documents, and then a pallet for each, to an instance, each of them twice, until it is told to stop. */
const load = async (server: ServerProcess.ServerProcess, name: string) => {
  const answers: Array<number> = []
  const sender = async (path: string, client: string) => {
    const authorization = `Bearer ${await tokenOf(server.baseUrl, client)}`
    const headers = { authorization, "content-type": "application/json" }
    return async (content: object) => {
      const body = JSON.stringify({ business: "acme", facility: "east", direction: "OUTBOUND", ...content })
      for (const _ of ["new", "again"]) {
        answers.push(
          await fetch(`${server.baseUrl}${path}`, { method: "POST", headers, body }).then(
            ({ status }) => status,
            () => 0
          )
        )
      }
    }
  }
  const document = await sender("/v1/documents", "acme-client")
  const pallet = await sender("/v1/pallet-events", "tower")
  const over = new AbortController()
  const ended = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const lpn = `LPN-${name}-${n}`
      await document({
        orderNumber: `${name}-${n}`,
        items: [{ lpn, sku: "S", quantity: 1, quantityUnit: "CASE" }]
      })
      await pallet({
        eventId: lpn,
        dockSlug: "D1",
        direction: "LOADING",
        occurredAt: recently("17:00:00Z"),
        labels: [{ name: "lpn", value: lpn }]
      })
    }
  })()
  return {
    /** Waits for more answers. */
    further: async (count: number) => {
      const until = answers.length + count
      while (answers.length < until) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    /** Ends it, and returns the number of acknowledged documents, which equals that of pallets. */
    end: async () => {
      over.abort()
      await ended
      const count = answers.length / 4
      // A repeated document is written again; a repeated pallet is not.
      const expected = Array.from({ length: count }, () => [201, 201, 201, 200]).flat()
      assert.deepStrictEqual(answers, expected, `answers of ${name}`)
      return count
    }
  }
}

const count = (statement: string): Promise<number> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<{ readonly count: number }>(statement)).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(url) })),
        Effect.map(([row]) => row!.count)
      )
    )
  )

it("versions that follow each other serve together while the schema is extended, and nothing fails", async () => {
  assert.strictEqual((await called("old", "migrate")).code, 0)
  const first = await serve("old")
  const second = await serve("old")
  const loads = [await load(first, "first"), await load(second, "second")]
  await Promise.all(loads.map((each) => each.further(20)))

  const migrated = await called("next", "migrate")
  assert.match(migrated.text, new RegExp(`is number ${newest + 1}; ran next`))
  await Promise.all(loads.map((each) => each.further(20)))
  assert.isTrue(await isReady(first))

  // One instance after another. An instance of the old version that starts again serves, and changes nothing.
  const third = await serve("next")
  loads.push(await load(third, "third"))
  const sent = await loads[0]!.end()
  first.child.kill("SIGTERM")
  assert.strictEqual(await first.ended, 0)
  const again = await serve("old")
  assert.match(
    (await called("old", "migrate")).text,
    new RegExp(`is number ${newest + 1}; no migration had to run`)
  )
  loads.push(await load(again, "again"))
  await Promise.all(loads.slice(1).map((each) => each.further(20)))
  let acknowledged = sent
  for (const each of loads.slice(1)) acknowledged += await each.end()

  assert.strictEqual(await count("select count(*)::int from dockline.shipment"), acknowledged)
  assert.strictEqual(await count("select count(*)::int from dockline.order_item"), acknowledged)
  assert.strictEqual(await count("select count(*)::int from dockline.pallet_event"), acknowledged)
  // Each pallet is the first of its shipment, and so makes it arrive.
  for (const type of ["PALLET_EVENT", "SHIPMENT_ARRIVED"]) {
    const messages = await count(
      `select count(distinct id)::int from dockline.message where type = '${type}'`
    )
    assert.strictEqual(messages, acknowledged, type)
  }
  // The functions of the next version run, whichever version calls them or starts.
  assert.strictEqual(
    await count("select count(*)::int from pg_proc where prosrc like '%-- of the next version%'"),
    otherTexts.length
  )
})

it("a version that takes away says so: the first one is not ready and does not start, the one between goes on", async () => {
  const [, second, third] = running
  assert.match((await called("last", "migrate")).text, new RegExp(`is number ${newest + 2}; ran last`))
  assert.isFalse(await isReady(second!))
  assert.isTrue(await isReady(third!))
  const refused = await called("old")
  assert.strictEqual(refused.code, 1)
  assert.include(refused.text, "A newer version of Dockline has changed the schema")
  const last = await serve("last")
  const loads = [await load(third!, "between"), await load(last, "last")]
  await Promise.all(loads.map((each) => each.further(10)))
  for (const each of loads) assert.isAbove(await each.end(), 0)
})
