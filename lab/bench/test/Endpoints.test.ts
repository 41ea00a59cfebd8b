import { assert, describe, it } from "@effect/vitest"
import { listen } from "../src/Deliveries.ts"
import { endpoints } from "../src/overload/Endpoints.ts"
import { signatureOf } from "../src/webhooks/Workload.ts"

const open = async () => {
  const faults: Array<string> = []
  const onFault = (what: string) => void faults.push(what)
  const port = await listen(endpoints(onFault), onFault)
  const deliver = async (behaviour: string, id: number, shipment: string, signed = true): Promise<number> => {
    const body = JSON.stringify({ serviceShipmentId: shipment })
    const response = await fetch(`http://127.0.0.1:${port}/${behaviour}/api/palletEvent`, {
      method: "POST",
      headers: {
        "webhook-id": `msg_${id}`,
        "webhook-timestamp": "1000",
        "webhook-signature": signed ? signatureOf(`msg_${id}`, "1000", body) : "none"
      },
      body
    })
    await response.arrayBuffer()
    return response.status
  }
  return { deliver, faults }
}

describe("bench overload: endpoints keep what is promised in view", () => {
  it("what comes again is taken, and is no fault", async () => {
    const { deliver, faults } = await open()
    for (const id of [1, 2, 3, 2]) assert.strictEqual(await deliver("good", id, "S1"), 200)
    assert.deepStrictEqual(faults, [])
  })

  it("a message of a shipment before an earlier one of it is a fault; of another shipment it is none", async () => {
    const { deliver, faults } = await open()
    await deliver("good", 5, "S1")
    await deliver("good", 4, "S2")
    assert.deepStrictEqual(faults, [])
    await deliver("good", 3, "S1")
    assert.deepStrictEqual(faults, ["good: message 3 of shipment S1 came after a later one"])
  })

  it("a signature that does not hold is a fault", async () => {
    const { deliver, faults } = await open()
    await deliver("good", 1, "S1", false)
    assert.deepStrictEqual(faults, ["good: the signature of message 1 does not hold"])
  })

  it("the flaky one refuses one in twenty", async () => {
    const { deliver } = await open()
    const statuses: Array<number> = []
    for (let id = 1; id <= 20; id++) statuses.push(await deliver("flaky", id, `S${id}`))
    assert.deepStrictEqual(statuses, [...Array.from({ length: 19 }, () => 200), 503])
  })
})
