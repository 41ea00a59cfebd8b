import { assert, describe, it } from "vitest"
import { Ledger, maxShipments } from "../../examples/customer/src/Ledger.ts"
import type { Effect } from "../../examples/customer/src/Ledger.ts"
import type { PushMessage } from "../../examples/customer/src/PushMessage.ts"
import { completion, pallet } from "./Messages.ts"

const into = (ledger: Ledger, messages: ReadonlyArray<PushMessage>): ReadonlyArray<Effect> =>
  messages.map((message) => {
    const effect = ledger.judge(message)
    ledger.take(message, effect)
    return effect
  })

const changes = (effects: ReadonlyArray<Effect>) =>
  effects.map((effect) => effect.type === "pallet" ? effect.change : effect.type)

const differences = (effect: Effect | undefined) =>
  effect?.type === "completion" ? effect.differences : undefined

/** What remains after directions of one pallet, each at its second. */
const remainingOf = (directions: ReadonlyArray<"LOADING" | "UNLOADING">) => {
  const ledger = new Ledger()
  into(ledger, directions.map((direction, index) => pallet(index + 1, { direction })))
  return ledger.summaries[0]!.remaining.map(({ direction }) => direction)
}

describe("the customer's own count", () => {
  it.each(
    [
      [["LOADING"], ["LOADING"]],
      [["LOADING", "UNLOADING"], []],
      [["UNLOADING", "LOADING"], []],
      [["LOADING", "UNLOADING", "LOADING"], ["LOADING"]],
      [["LOADING", "LOADING"], ["LOADING"]],
      [["LOADING", "UNLOADING", "UNLOADING"], []],
      [["LOADING", "UNLOADING", "UNLOADING", "LOADING"], ["LOADING"]]
    ] as const
  )("D6.6 of %j remains %j", (directions, remaining) => {
    assert.deepStrictEqual(remainingOf(directions), [...remaining])
  })

  it("says of each message whether it counts, cancels or repeats", () => {
    const effects = into(new Ledger(), [
      pallet(1),
      pallet(2),
      pallet(3, { direction: "UNLOADING" }),
      pallet(4, { pallet: "2" })
    ])
    assert.deepStrictEqual(changes(effects), ["counts", "repeats", "cancels", "counts"])
  })

  it("D6.6 counts in order of occurrence, in whatever order messages come", () => {
    const ledger = new Ledger()
    into(ledger, [
      pallet(1, { second: 30 }),
      pallet(2, { second: 40, direction: "UNLOADING" }),
      // Recorded late: it was loaded before all that.
      pallet(3, { second: 10 })
    ])
    assert.deepStrictEqual(ledger.summaries[0]!.remaining, [])
    into(ledger, [pallet(4, { second: 20, direction: "UNLOADING" })])
    assert.deepStrictEqual(ledger.summaries[0]!.remaining, [])
    assert.strictEqual(ledger.summaries[0]!.cancelledPairs, 2)
  })

  it("a completion that says the same agrees, and ends the count of its shipment", () => {
    const ledger = new Ledger()
    const effects = into(ledger, [
      pallet(1),
      pallet(2, { direction: "UNLOADING" }),
      pallet(3, { pallet: "2" }),
      completion(4, [{ pallet: "2" }])
    ])
    assert.deepStrictEqual(differences(effects.at(-1)), [])
    assert.deepStrictEqual(ledger.summaries, [])
  })

  it("a completion that says otherwise names each pallet with both sides", () => {
    const effects = into(new Ledger(), [
      pallet(1),
      pallet(2, { pallet: "2" }),
      completion(3, [{ direction: "UNLOADING" }, { pallet: "9" }])
    ])
    assert.deepStrictEqual(differences(effects.at(-1)), [
      "pallet 1: the service says UNLOADING, we counted LOADING",
      "pallet 9: the service says LOADING, we counted nothing",
      "pallet 2: the service says nothing, we counted LOADING"
    ])
  })

  it("what it does not understand changes nothing", () => {
    const ledger = new Ledger()
    const strange = { ...pallet(1), messageType: "TRUCK_WEIGHED" }
    const broken = { ...pallet(2), message: { direction: "SIDEWAYS" } }
    const half = { ...completion(3, []), message: { serviceShipmentId: "1", pallets: [{}] } }
    assert.deepStrictEqual(changes(into(ledger, [strange, broken, half])), ["unknown", "unknown", "unknown"])
    assert.deepStrictEqual(ledger.counts, {})
  })

  it("keeps a limited number of shipments, those with the latest messages", () => {
    const ledger = new Ledger()
    const shipments = Array.from({ length: maxShipments }, (_, index) => String(index + 1))
    into(ledger, shipments.map((shipment, index) => pallet(index + 1, { shipment, second: 1 })))
    into(ledger, [pallet(5001, { shipment: "1", second: 2 }), pallet(5002, { shipment: "new", second: 2 })])
    const kept = new Set(ledger.summaries.map(({ shipmentId }) => shipmentId))
    assert.strictEqual(kept.size, maxShipments)
    assert.isTrue(kept.has("1") && kept.has("new") && !kept.has("2"))
  })
})
