/** D9.4: a name server that does not answer for one customer delays no other. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { eventually } from "../../../../test/support/Eventually.ts"
import * as NameLookup from "../../src/outbound/NameLookup.ts"
import { test } from "../OutboundSetup.ts"

/** An answer to a question for an address: one A record, or none. */
const answerTo = (query: Buffer, address: string | undefined): Buffer => {
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(address === undefined ? 0 : 1, 6)
  head.writeUInt32BE(0, 8)
  const question = query.subarray(12, questionEnd(query))
  if (address === undefined) return Buffer.concat([head, question])
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)])
  return Buffer.concat([head, question, record])
}

const questionEnd = (query: Buffer): number => query.indexOf(0, 12) + 5

const nameOf = (query: Buffer): string => {
  const labels: Array<string> = []
  for (let at = 12; query[at] !== 0; at += query[at]! + 1) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!))
  }
  return labels.join(".").toLowerCase()
}

/** A name server: an address, `undefined` for a name that there is not, `"silent"` for none of these. */
const nameServer = (resolve: (name: string) => string | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const queries: Array<string> = []
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => {
        const name = nameOf(query)
        const isIpv4 = query.readUInt16BE(questionEnd(query) - 4) === 1
        if (isIpv4) queries.push(name)
        const answer = resolve(name)
        if (answer !== "silent") socket.send(answerTo(query, isIpv4 ? answer : undefined), port, address)
      })
      socket.bind(0, "127.0.0.1")
      await once(socket, "listening")
      return { asked: queries, socket, servers: [`127.0.0.1:${socket.address().port}`] }
    }),
    ({ socket }) => Effect.sync(() => socket.close())
  )

describe("names", () => {
  test("are asked of the name servers, once at a time, and kept for a while", function*() {
    const { asked, servers } = yield* nameServer((name) =>
      name === "customer.example" ? "192.0.2.7" : "192.0.2.8"
    )
    const lookup = NameLookup.system({ servers })
    const many = yield* Effect.promise(() =>
      Promise.all(Array.from({ length: 50 }, () => lookup("customer.example")))
    )
    for (const addresses of many) assert.deepStrictEqual(addresses, ["192.0.2.7"])
    assert.deepStrictEqual(yield* Effect.promise(() => lookup("other.example")), ["192.0.2.8"])
    assert.deepStrictEqual(asked, ["customer.example", "other.example"])
  })

  test("are asked for once at a time though the answer takes longer than it is kept, and anew after that", function*() {
    let isSilent = true
    const { asked, servers } = yield* nameServer(() => isSilent ? "silent" : "192.0.2.7")
    const lookup = NameLookup.system({ servers, timeoutMillis: 250, keepMillis: 1 })
    const first = lookup("customer.example")
    yield* Effect.promise(() => eventually("the first question", () => asked.length === 1))
    isSilent = false
    const second = lookup("customer.example")
    assert.deepStrictEqual(yield* Effect.promise(() => Promise.all([first, second])), [["192.0.2.7"], [
      "192.0.2.7"
    ]])
    // Asked again once, by whoever asked first, as there was no answer in time.
    assert.strictEqual(asked.length, 2)
    yield* Effect.sleep(20)
    yield* Effect.promise(() => lookup("customer.example"))
    assert.strictEqual(asked.length, 3)
  })

  test("without an answer delay no other name", function*() {
    const { servers } = yield* nameServer((name) => name.startsWith("silent") ? "silent" : "192.0.2.7")
    const lookup = NameLookup.system({ servers, timeoutMillis: 250 })
    const silent = Array.from({ length: 20 }, (_, at) => lookup(`silent${at}.example`))
    const addresses = yield* Effect.promise(() =>
      Promise.race([
        lookup("customer.example"),
        ...silent.map((pending) => pending.then(() => ["late"], () => ["late"]))
      ])
    )
    assert.deepStrictEqual(addresses, ["192.0.2.7"])
    const outcomes = yield* Effect.promise(() => Promise.allSettled(silent))
    for (const outcome of outcomes) {
      assert.strictEqual(outcome.status === "rejected" && outcome.reason.code, "ETIMEOUT")
    }
  })

  test("that are unknown fail, and are asked again the next time", function*() {
    let address: string | undefined
    const { servers } = yield* nameServer(() => address)
    const lookup = NameLookup.system({ servers })
    const reason = yield* Effect.promise(() =>
      lookup("unknown.example").then(() => "found", (error) => error.code)
    )
    assert.strictEqual(reason, "ENOTFOUND")
    address = "192.0.2.9"
    assert.deepStrictEqual(yield* Effect.promise(() => lookup("unknown.example")), ["192.0.2.9"])
  })

  test("without a dot are the system's", function*() {
    const { asked, servers } = yield* nameServer(() => "192.0.2.7")
    const addresses = yield* Effect.promise(() => NameLookup.system({ servers })("localhost"))
    assert.include(addresses, "127.0.0.1")
    assert.deepStrictEqual(asked, [])
  })
})
