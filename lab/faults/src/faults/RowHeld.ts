/**
 * Many documents for a number that cannot be written: another session of the database locks the row of its shipment, and documents for
 * it, each with its own `Idempotency-Key`, come to one instance and wait there. Each is repeated until it is acknowledged.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { markOf } from "../history/History.ts"
import { inSession } from "../system/Database.ts"
import { past } from "../Until.ts"
import { Client, newRequest } from "../workload/Client.ts"
import type { Account, Site } from "../workload/Client.ts"
import { addRequest } from "../workload/Documents.ts"

/** The number of waiting documents: more than an instance has connections. */
const documents = 20

/** How long each of them waits for an answer, and how long they are repeated after the row is free, in milliseconds. */
const patienceMillis = 12_000
const settlingMillis = 60_000

/** The least time for which the row is locked, in milliseconds: a shorter one would show nothing. */
const leastMillis = 4000

const account: Account = { clientId: "acme-client", business: "acme", facility: "east" }

let numbers = 0

/**
 * Creates a shipment, locks its row, and sends documents for it. The returned function releases the row, waits for the documents, and
 * returns how many there were; `undefined`: the service or the database is down.
 */
export const begin = async (
  site: Site,
  databaseUrl: string,
  instance: number
): Promise<(() => Promise<string>) | undefined> => {
  const { recorder } = site
  const { business, facility } = account
  const random = Random.of(++numbers)
  const name = (kind: string) => `${markOf(business, facility)}H${kind}${numbers}`
  const shipment = name("S")
  const client = new Client(site, account, random, { instance, patience: patienceMillis })
  const add = (lpn: string, givenUp: () => boolean) => {
    const request = newRequest()
    const asked = addRequest(account, { shipment, own: { [name("O")]: [lpn] } }, request)
    return client.settle(asked, givenUp, request)
  }
  const made = await add(name("L"), past(settlingMillis))
  if (made.outcome.type !== "ok") return undefined
  const release = await hold(databaseUrl, shipment)
  if (release === undefined) return undefined

  const held = { type: "held", business, facility, shipment, instance } as const
  recorder.record({ ...held, phase: "begin" })
  const shownSomething = wait(leastMillis)
  let isOver = () => false
  const writing = Array.from({ length: documents }, (_, at) => add(`${name("L")}-${at}`, () => isOver()))
  return async () => {
    await shownSomething
    recorder.record({ ...held, phase: "end" })
    isOver = past(settlingMillis)
    await release()
    await Promise.all(writing)
    return `${documents} documents`
  }
}

/** Locks the row of a shipment until the returned function is called. */
const hold = async (databaseUrl: string, shipment: string) => {
  const kept = Promise.withResolvers<boolean>()
  const free = Promise.withResolvers<void>()
  const holding = Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    yield* sql.withTransaction(Effect.gen(function*() {
      const rows = yield* sql`select id from dockline.shipment where number = ${shipment} for update`
      kept.resolve(rows.length === 1)
      yield* Effect.promise(() => free.promise)
    }))
  })
  // A broken connection releases the row.
  const held = inSession(databaseUrl, holding).catch(() => {}).finally(() => kept.resolve(false))
  const release = () => {
    free.resolve()
    return held
  }
  if (await kept.promise) return release
  await release()
  return undefined
}
