/**
 * Two instances on one database while clients write: one after another is killed and started again, and what was acknowledged is
 * there once (D2.1, D5.2). Longer, and with everything else that can go wrong: `npm run test:faults`.
 */
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { tokenOf } from "../support/DemoToken.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const writers = 4

/** How many documents are acknowledged between two kills. */
const between = 15

const scope = Scope.makeUnsafe()
let settings: ReadonlyArray<Readonly<Record<string, string>>>
let instances: Array<ServerProcess.ServerProcess>

beforeAll(async () => {
  const { url } = await Effect.runPromise(Scope.provide(TestDatabase.createMigrated, scope))
  const ports = [await ServerProcess.freePort(), await ServerProcess.freePort()]
  settings = ports.map((port) => ({
    DATABASE_URL: Redacted.value(url),
    PORT: String(port),
    BASE_URL: `http://localhost:${ports[0]}`,
    SECRETS_KEY: randomBytes(32).toString("base64"),
    RATE_LIMIT_PER_MINUTE: "0",
    DEMO: "true"
  }))
  instances = []
  for (const each of settings) instances.push(await ServerProcess.serve(each))
})

afterAll(async () => {
  for (const { child, ended } of instances) {
    child.kill("SIGTERM")
    await ended
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** Sends a document until it is acknowledged: at one instance and then the other, under one key. */
const submit = async (token: string, order: string, lpn: string): Promise<void> => {
  for (let tries = 0;; tries++) {
    const status = await fetch(`${instances[tries % 2]!.baseUrl}/v1/documents`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": `${order}-${lpn}`
      },
      body: JSON.stringify({
        business: "acme",
        facility: "east",
        direction: "OUTBOUND",
        orderNumber: order,
        orderItemUpdateStrategy: "APPEND",
        items: [{ lpn, sku: "SKU-1", quantity: 1, quantityUnit: "CASE" }]
      })
    }).then(async (response) => {
      await response.arrayBuffer()
      return response.status
    }, () => 0)
    if (status === 200 || status === 201) return
    // No answer, not now, or the first try with this key still runs.
    assert.include([0, 409, 503], status)
    await wait(20)
  }
}

describe("two instances under load", () => {
  it("of which one after another is killed and started again lose nothing, and do nothing twice", async () => {
    const token = await tokenOf(instances[0]!.baseUrl, "acme-client")
    const acknowledged: Array<string> = []
    const progress = new EventTarget()
    const over = new AbortController()
    const write = async (writer: number) => {
      for (let at = 0; !over.signal.aborted; at++) {
        await submit(token, `RESTART-${writer}`, `L-${at}`)
        acknowledged.push(`RESTART-${writer} L-${at}`)
        progress.dispatchEvent(new Event("acknowledged"))
      }
    }
    const more = (count: number) =>
      new Promise<void>((resolve) => {
        const due = acknowledged.length + count
        const look = () => {
          if (acknowledged.length < due) return
          progress.removeEventListener("acknowledged", look)
          resolve()
        }
        progress.addEventListener("acknowledged", look)
      })
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    for (const at of [0, 1, 0]) {
      await more(between)
      instances[at]!.child.kill("SIGKILL")
      // The other one goes on alone.
      await more(between)
      instances[at] = await ServerProcess.serve(settings[at]!)
    }
    await more(between)
    over.abort()
    await writing

    const stored: Array<string> = []
    for (let writer = 0; writer < writers; writer++) {
      const response = await fetch(
        `${instances[1]!.baseUrl}/v1/shipments?business=acme&facility=east&shipmentNumber=RESTART-${writer}`,
        { headers: { authorization: `Bearer ${token}` } }
      )
      assert.strictEqual(response.status, 200)
      const { items } = await response.json() as {
        readonly items: ReadonlyArray<{
          readonly orders: ReadonlyArray<
            { readonly orderNumber: string; readonly items: ReadonlyArray<{ readonly lpn: string }> }
          >
        }>
      }
      for (const { orderNumber, items: of } of items.flatMap(({ orders }) => orders)) {
        stored.push(...of.map(({ lpn }) => `${orderNumber} ${lpn}`))
      }
    }
    assert.deepStrictEqual(stored.toSorted(), acknowledged.toSorted())
  })
})
