/**
 * Two instances on one database while clients write to both: each is killed in turn and started again on another port, answers are lost,
 * and everything acknowledged is stored once (D2.1, D5.2). Longer, and with all other faults: `npm run test:faults`.
 */
import type { ShipmentView } from "@dockline/core/shipment/View"
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { tokenOf } from "../support/DemoToken.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import type { PageView } from "../support/TestServer.ts"

const writers = 4

/** The number of acknowledged documents between two kills. */
const between = 15

/** The address that clients use, whichever instance answers. */
const serviceUrl = "http://service.test"

const scope = Scope.makeUnsafe()
const instances: Array<ServerProcess.ServerProcess> = []
let settings: Readonly<Record<string, string>>

beforeAll(async () => {
  const { url } = await Effect.runPromise(Scope.provide(TestDatabase.createMigrated, scope))
  settings = {
    DATABASE_URL: Redacted.value(url),
    BASE_URL: serviceUrl,
    SECRETS_KEY: randomBytes(32).toString("base64"),
    RATE_LIMIT_PER_MINUTE: "0",
    DEMO: "true"
  }
  for (let count = 0; count < 2; count++) instances.push(await ServerProcess.serve(settings))
})

afterAll(async () => {
  for (const { child, ended } of instances) {
    child.kill("SIGTERM")
    await ended
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** A write, with its writer. */
interface Writing {
  readonly token: string
  readonly writer: number
  readonly lpn: string
  /** Whether its first answer is treated as lost. */
  readonly isLost: boolean
  /** Ends it, whether it was acknowledged or not. */
  readonly signal: AbortSignal
}

/** Sends a document until it is acknowledged: to the two instances in turn, under one key. */
const submit = async ({ isLost, lpn, signal, token, writer }: Writing): Promise<void> => {
  const order = `RESTART-${writer}`
  for (let tries = 0;; tries++) {
    const answer = await fetch(`${instances[(writer + tries) % 2]!.baseUrl}/v1/documents`, {
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
      }),
      signal
    }).then(async (response) => ({ status: response.status, text: await response.text() })).catch(() =>
      undefined
    )
    if (answer?.status === 200 || answer?.status === 201) {
      if (isLost && tries === 0) continue
      return
    }
    // There was no answer, or the first attempt with this key is still running.
    if (answer !== undefined) {
      assert.deepInclude(
        { status: answer.status, ...JSON.parse(answer.text) },
        { status: 409, code: "IDEMPOTENCY_KEY_IN_USE" },
        answer.text
      )
    }
    await wait(20, undefined, { signal })
  }
}

/** Lets all writers write while instances are killed; returns the acknowledged documents. */
const writeAndKill = async (token: string): Promise<ReadonlyArray<string>> => {
  const acknowledged: Array<string> = []
  const over = new AbortController()
  const { signal } = over
  const enough = new AbortController()
  const write = async (writer: number) => {
    for (let at = 0; !enough.signal.aborted; at++) {
      await submit({ token, writer, lpn: `L-${at}`, isLost: at % 4 === 0, signal })
      acknowledged.push(`RESTART-${writer} L-${at}`)
    }
  }
  const more = async () => {
    const due = acknowledged.length + between
    await eventually(`${due} documents are acknowledged`, () => {
      signal.throwIfAborted()
      return acknowledged.length >= due
    })
  }
  const kill = async () => {
    for (const at of [0, 1, 0]) {
      await more()
      instances[at]!.child.kill("SIGKILL")
      await instances[at]!.ended
      // The other instance continues alone.
      await more()
      instances[at] = await ServerProcess.serve(settings)
    }
    await more()
  }
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const killing = kill()
  try {
    await Promise.race([writing, killing])
    enough.abort()
    await writing
    return acknowledged
  } finally {
    over.abort()
    await Promise.allSettled([writing, killing])
  }
}

describe("two instances that clients write to", () => {
  it("of which one after another is killed and started again lose nothing, and do nothing twice", async () => {
    const token = await tokenOf(instances[0]!.baseUrl, "acme-client", serviceUrl)
    const acknowledged = await writeAndKill(token)
    const stored: Array<string> = []
    for (let writer = 0; writer < writers; writer++) {
      const response = await fetch(
        `${instances[1]!.baseUrl}/v1/shipments?business=acme&facility=east&shipmentNumber=RESTART-${writer}`,
        { headers: { authorization: `Bearer ${token}` } }
      )
      assert.strictEqual(response.status, 200)
      const { items } = await response.json() as PageView<ShipmentView>
      for (const { orderNumber, items: of } of items.flatMap(({ orders }) => orders)) {
        stored.push(...of.map(({ lpn }) => `${orderNumber} ${lpn}`))
      }
    }
    assert.deepStrictEqual(stored.toSorted(), acknowledged.toSorted())
  })
})
