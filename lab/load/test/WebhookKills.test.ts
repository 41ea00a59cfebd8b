/**
 * A sender that is killed at any moment loses nothing, and repeats at most what it had on its way (D9.3, D9.4).
 */
import { DeliveryStore } from "@dockline/core/DeliveryStore"
import { MessageLog } from "@dockline/core/MessageLog"
import { secretsContext, SecretsVault } from "@dockline/core/SecretsVault"
import { fromMillis } from "@dockline/core/Timestamp"
import { plainSettings } from "@dockline/core/WebhookEndpoint"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { aBusiness, aDraft } from "@dockline/testing/worlds/MessageLogWorld"
import * as SecretsKey from "@dockline/webhook-adapter/SecretsKey"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { build } from "esbuild"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { WebhookCustomer } from "../../../test/server/WebhookCustomer.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

/** How often a sender is killed, every other time before an answer. */
const kills = 28

const shipments = [1, 2, 3]

/** How many messages of each shipment are appended for each kill. */
const perKill = 2

const secretsKey = randomBytes(32).toString("base64")

/** Makes one file of the sender and all that it loads: loading takes most of the time of this test. */
const bundle = async (folder: string): Promise<string> => {
  const outfile = join(folder, "sender.mjs")
  await build({
    entryPoints: [fileURLToPath(new URL("WebhookSender.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@dockline/source", "module-sync"],
    // For what packages in the other form of module require of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
    }
  })
  return outfile
}

/** Loads a sender, that waits to be told to begin. */
const load = async (url: Redacted.Redacted, file: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: Redacted.value(url),
      SECRETS_KEY: secretsKey,
      NODE_COMPILE_CACHE: dirname(file)
    },
    stdio: ["pipe", "pipe", "inherit"]
  })
  await once(child.stdout, "data")
  return child
}

/** How many senders are loaded ahead: as many as there are cores on a small machine. */
const loadedAhead = 2

/** One sender at a time, named by its number from 0, and the next ones loaded meanwhile. */
class Senders {
  #number = 0
  #running: ChildProcess | undefined
  readonly #load: () => Promise<ChildProcess>
  readonly #next: Array<Promise<ChildProcess>>

  constructor(load: () => Promise<ChildProcess>) {
    this.#load = load
    this.#next = Array.from({ length: loadedAhead }, load)
  }

  /** Lets the next sender begin. */
  async begin(): Promise<void> {
    this.#next.push(this.#load())
    this.#running = await this.#next.shift()!
    this.#running.stdin!.write(`${this.#number++}\n`)
  }

  /** Kills the sender and waits until it is gone. */
  async kill(): Promise<void> {
    const ended = once(this.#running!, "exit")
    this.#running!.kill("SIGKILL")
    await ended
  }

  async close(): Promise<void> {
    this.#running?.kill("SIGKILL")
    for (const sender of await Promise.all(this.#next)) sender.kill("SIGKILL")
  }
}

/** Kills a sender at one of its first deliveries, before its answer or after; returns when it is gone. */
const killAtDelivery = async (customer: WebhookCustomer, senders: Senders, turn: number): Promise<void> => {
  let left = 1 + turn % 4
  await new Promise<void>((resolve) => {
    if (turn % 2 === 0) {
      customer.beforeAnswer = async () => {
        if (--left > 0) return "answer"
        if (left === 0) await senders.kill().then(resolve)
        return "silence"
      }
    } else {
      customer.afterAnswer = () => {
        // From when the answer is on its way to when it has been written down.
        if (--left === 0) setTimeout(() => void senders.kill().then(resolve), turn % 7)
      }
    }
  })
  customer.beforeAnswer = () => Promise.resolve("answer")
  customer.afterAnswer = () => {}
}

const world = Effect.gen(function*() {
  const business = yield* aBusiness
  const customer = yield* Effect.acquireRelease(
    Effect.promise(() => WebhookCustomer.open()),
    (customer) => Effect.sync(() => customer.close())
  )
  const vault = yield* SecretsVault
  const endpoints = yield* WebhookEndpointStore
  const secret = Redacted.make(`whsec_${randomBytes(32).toString("base64")}`)
  const endpoint = yield* endpoints.create({
    business,
    facility: null,
    baseUrl: customer.baseUrl,
    messageTypes: ["PALLET_EVENT"],
    authentication: { type: "none", settings: {}, secrets: {} },
    signingSecrets: [{ sealed: yield* vault.seal(secret, secretsContext(business)), validUntil: null }],
    ...plainSettings,
    enabled: true,
    fromId: null,
    now: fromMillis(Date.now())
  })
  return { business, customer, endpoint }
})

/** Has everything sent while senders are killed; gives what was appended, with its shipment, and what came. */
const sendAll = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const { business, customer, endpoint } = yield* world
  const log = yield* MessageLog
  const endpoints = yield* WebhookEndpointStore
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dockline-kills-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const file = yield* Effect.promise(() => bundle(folder))
  const senders = yield* Effect.acquireRelease(
    Effect.sync(() => new Senders(() => load(url, file))),
    (senders) => Effect.promise(() => senders.close())
  )
  const appended = new Map<string, number>()
  for (let turn = 0; turn < kills; turn++) {
    const drafts = shipments.flatMap((shipmentId) =>
      Array.from({ length: perKill }, () => aDraft(business, turn, { shipmentId }))
    )
    const gone = killAtDelivery(customer, senders, turn)
    const messages = yield* log.append(drafts)
    messages.forEach(({ id }, at) => appended.set(`msg_${id}`, drafts[at]!.shipmentId))
    yield* Effect.promise(() => senders.begin())
    yield* Effect.promise(() => gone)
  }
  yield* Effect.promise(() => senders.begin())
  yield* endpoints.find(endpoint.id).pipe(
    Effect.flatMap((found) => found?.backlog === 0 ? Effect.void : Effect.fail("not yet")),
    Effect.retry(Schedule.spaced("20 millis"))
  )
  return { appended, received: customer.received, endpointId: endpoint.id }
})

describe(`a sender that is killed ${kills} times, before and after the customer's 200 (D9.3, D9.4)`, () => {
  it.live(
    "loses nothing, keeps the order of each shipment, and repeats one message of it at most each time",
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestDatabase.createMigrated
        yield* Effect.provide(Effect.scoped(sendAndCheck(url)), environment(url))
      }),
    240_000
  )
})

const sendAndCheck = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const { appended, endpointId, received } = yield* sendAll(url)
  assert.sameMembers([...new Set(received.map(({ webhookId }) => webhookId))], [...appended.keys()])
  const store = yield* DeliveryStore
  const { items } = yield* store.list(endpointId, "DELIVERED", { after: 0, limit: appended.size + 1 })
  assert.sameMembers(items.map(({ messageId }) => `msg_${messageId}`), [...appended.keys()])

  for (const shipment of shipments) {
    const seen = received.filter(({ webhookId }) => appended.get(webhookId) === shipment)
    seen.slice(1).forEach(({ sender, webhookId }, at) => {
      const before = seen[at]!
      const [id, last] = [idOf(webhookId), idOf(before.webhookId)]
      assert.isAtLeast(id, last, "in the order of the log")
      // One sender sends nothing twice, so that each kill repeats one message of a shipment at most.
      if (id === last) assert.notStrictEqual(sender, before.sender)
    })
  }
  const repeats = received.length - appended.size
  // What was not answered comes again.
  assert.isAtLeast(repeats, kills / 2)
  assert.isAtMost(repeats, kills * shipments.length)
})

const idOf = (webhookId: string): number => Number(webhookId.slice("msg_".length))

const environment = (url: Redacted.Redacted) =>
  Layer.mergeAll(Sql.layer, SecretsKey.layer([Redacted.make(secretsKey)])).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(Database.layer({ ...Database.defaultDatabaseConfig, url }))
  )
