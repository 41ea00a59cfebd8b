/**
 * The checker notices when a webhook was lost, invented, out of order or counted as delivered without an answer.
 */
import { assert, describe, it } from "@effect/vitest"
import { Script } from "./Script.ts"

const endpoint = () =>
  new Script().tell({ type: "endpoint", endpoint: "E", business: "acme", facility: null })

let receipts = 0

/** Something comes to the endpoint and is answered; not with a status of 0. */
const post = (
  script: Script,
  id: number,
  status: number,
  more: { readonly path?: string; readonly signed?: boolean; readonly digest?: string } = {}
) => {
  const receipt = ++receipts
  const { digest = `digest ${id}`, path = "/api/palletEvent", signed = true } = more
  const webhookId = `msg_${id}`
  script.tell({
    type: "receipt",
    receipt,
    endpoint: "E",
    path,
    webhookId,
    signed,
    digest,
    tags: ["acme/east"]
  })
  return status === 0 ? script : script.tell({ type: "answered", receipt, status })
}

const delivery = (script: Script, messageId: number, status = "DELIVERED", attempts = 1) =>
  script.tell({ type: "delivery", endpoint: "E", messageId, status, attempts })

describe("delivered or dead", () => {
  const judge = (script: Script) => script.finds("delivered or dead")

  it("each is answered 2xx, in the end, or is dead after all its attempts", () => {
    const script = post(post(post(endpoint(), 1, 500), 1, 0), 1, 204).log(1).log(2)
    assert.deepStrictEqual(judge(delivery(delivery(script, 1), 2, "DEAD", 10)), [])
  })

  it("one is missing, waits for ever, or was given up early", () => {
    const one = () => post(endpoint(), 1, 500).log(1)
    assert.lengthOf(judge(one()), 1)
    assert.lengthOf(judge(delivery(one(), 1, "PENDING")), 1)
    assert.lengthOf(judge(delivery(one(), 1, "DEAD", 9)), 1)
  })

  it("one counts as delivered that was never answered so", () => {
    assert.lengthOf(judge(delivery(endpoint().log(1), 1)), 1)
    assert.lengthOf(judge(delivery(post(endpoint(), 1, 0).log(1), 1)), 1)
    assert.lengthOf(judge(delivery(post(endpoint(), 1, 302).log(1), 1)), 1)
  })

  it("one was answered by another customer", () => {
    const script = endpoint().tell({ type: "endpoint", endpoint: "F", business: "acme", facility: null })
    delivery(post(script, 1, 204), 1).log(1).tell({
      type: "delivery",
      endpoint: "F",
      messageId: 1,
      status: "DELIVERED",
      attempts: 1
    })
    assert.lengthOf(judge(script), 1)
  })

  it("one has two deliveries, or is for another endpoint", () => {
    assert.lengthOf(judge(delivery(delivery(post(endpoint(), 1, 204), 1), 1).log(1)), 1)
    assert.lengthOf(judge(delivery(post(endpoint(), 1, 204), 1).log(1, { business: "globex" })), 1)
  })

  it("an endpoint that has a backlog or is disabled at the end", () => {
    const left = (count: number, enabled: boolean) =>
      judge(endpoint().tell({ type: "backlog", endpoint: "E", count, enabled }))
    assert.deepStrictEqual(left(0, true), [])
    assert.lengthOf(left(1, true), 1)
    assert.lengthOf(left(0, false), 1)
  })
})

describe("order of the shipment", () => {
  const judge = (script: Script) => script.finds("order of the shipment")

  it("a later one comes when the earlier was delivered, and may be followed by a repeat of that", () => {
    const script = post(post(post(post(endpoint(), 1, 500), 1, 204), 2, 204), 1, 204).log(1).log(2)
    assert.deepStrictEqual(judge(script), [])
  })

  it("a later one comes before the earlier, or before it was answered well", () => {
    assert.lengthOf(judge(post(post(endpoint(), 2, 204), 1, 204).log(1).log(2)), 1)
    assert.lengthOf(judge(post(post(endpoint(), 1, 500), 2, 204).log(1).log(2)), 1)
  })

  it("other shipments do not wait, and nothing waits for the dead", () => {
    const other = post(post(endpoint(), 1, 500), 2, 204).log(1).log(2, { shipmentId: 2 })
    assert.deepStrictEqual(judge(other), [])
    const dead = post(post(endpoint(), 1, 500), 2, 204).log(1).log(2)
    assert.deepStrictEqual(judge(delivery(dead, 1, "DEAD", 10)), [])
  })

  it("a later one waits until the earlier is dead", () => {
    const early = post(post(post(endpoint(), 1, 500), 2, 204), 1, 500).log(1).log(2)
    assert.lengthOf(judge(delivery(early, 1, "DEAD", 10)), 1)
    const unreached = post(endpoint(), 2, 204).log(1).log(2)
    assert.deepStrictEqual(judge(delivery(unreached, 1, "DEAD", 10)), [])
  })
})

describe("sent as in the log", () => {
  const judge = (script: Script) => script.finds("sent as in the log")

  it("the same each time, to the path of its type, signed", () => {
    assert.deepStrictEqual(judge(post(post(endpoint(), 1, 500), 1, 204).log(1)), [])
    const complete = post(endpoint(), 2, 204, { path: "/api/shipmentComplete" }).completion(2)
    assert.deepStrictEqual(judge(complete), [])
  })

  it("another payload, path or id, or no signature", () => {
    assert.lengthOf(judge(post(endpoint(), 1, 204, { digest: "other" }).log(1)), 1)
    assert.lengthOf(judge(post(endpoint(), 1, 204, { path: "/astray" }).log(1)), 1)
    assert.lengthOf(judge(post(endpoint(), 1, 204, { path: "/api/shipmentComplete" }).log(1)), 1)
    assert.lengthOf(judge(post(endpoint(), 2, 204).log(1)), 1)
    assert.lengthOf(judge(post(endpoint(), 1, 204, { signed: false }).log(1)), 1)
  })
})
