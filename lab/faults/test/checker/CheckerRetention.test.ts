/**
 * The checker notices when expired messages stay, when others go, and when readers are told of what is not so.
 */
import { assert, describe, it } from "@effect/vitest"
import { Script } from "./Script.ts"

describe("expired messages go", () => {
  const judge = (left: number) =>
    new Script().tell({ type: "swept", instance: 0, expired: 9, left, millis: 100 }).finds(
      "expired messages go"
    )

  it("all of them", () => {
    assert.deepStrictEqual(judge(0), [])
    assert.lengthOf(judge(1), 1)
  })
})

describe("nothing else goes", () => {
  const script = () =>
    new Script().tell({ type: "retention", millis: 3000 })
      .tell({ type: "reader", reader: "R", client: "acme-client", business: "acme", facility: null })
      .log(1).log(2).log(3)
  const drop = (script: Script, id: number, age: number | null) =>
    script.tell({ type: "dropped", business: "acme", id, age })
  const judge = (script: Script) => script.finds("nothing else goes")

  it("than what is old enough, where clocks are right", () => {
    assert.deepStrictEqual(judge(drop(drop(script(), 1, 3001), 2, null)), [])
    assert.lengthOf(judge(drop(script(), 1, 2900)), 1)
    assert.lengthOf(judge(drop(new Script(), 1, 1e9)), 1)
  })

  it("readers are told of what was dropped", () => {
    const told = (afterId: number, droppedId: number) =>
      drop(script(), 1, 4000).tell({ type: "expired", reader: "R", afterId, droppedId })
    assert.deepStrictEqual(judge(told(0, 1)), [])
    assert.lengthOf(judge(told(0, 2)), 1)
    assert.lengthOf(judge(told(1, 1)), 1)
  })
})

describe("what becomes of webhooks of messages that were dropped", () => {
  const endpoint = () =>
    new Script().tell({ type: "endpoint", endpoint: "E", business: "acme", facility: null }).log(1)
  const drop = (script: Script) => script.tell({ type: "dropped", business: "acme", id: 1, age: null })
  const delivery = (script: Script, status: string, attempts: number) =>
    script.tell({ type: "delivery", endpoint: "E", messageId: 1, status, attempts })

  it("no record is left, or one that says that it was given up", () => {
    assert.deepStrictEqual(drop(endpoint()).finds("delivered or dead"), [])
    assert.lengthOf(endpoint().finds("delivered or dead"), 1)
    assert.deepStrictEqual(drop(delivery(endpoint(), "DEAD", 2)).finds("delivered or dead"), [])
    assert.lengthOf(delivery(endpoint(), "DEAD", 2).finds("delivered or dead"), 1)
    assert.lengthOf(drop(delivery(endpoint(), "DELIVERED", 1)).finds("delivered or dead"), 1)
  })

  it("a later message of the shipment need not wait for one that was dropped", () => {
    const sent = (script: Script) =>
      script.log(2).tell({
        type: "receipt",
        receipt: 1,
        endpoint: "E",
        path: "/api/palletEvent",
        webhookId: "msg_2",
        signed: true,
        digest: "digest 2",
        tags: []
      })
    assert.lengthOf(sent(endpoint()).finds("order of the shipment"), 1)
    assert.deepStrictEqual(sent(drop(endpoint())).finds("order of the shipment"), [])
  })
})
