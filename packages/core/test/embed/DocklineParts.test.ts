/** Dockline with a storage, clock, strategies and other parts of one's own. */
import { Clock, Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { Intake } from "../../src/document/Intake.ts"
import type { Strategy } from "../../src/document/Strategy.ts"
import * as Dockline from "../../src/embed/Dockline.ts"
import { payloadOf } from "../../src/messages/Message.ts"
import { eventOf, everything, item, open, order, refusal, value } from "./DocklineWorld.ts"

describe("parts of one's own", () => {
  it("writes every time by the clock that is given", async () => {
    let now = Date.parse("2030-01-01T00:00:00Z")
    await using dockline = await open({ clock: { now: () => now } })
    const { shipment } = value(await dockline.submit(order("O-1"), everything))
    assert.strictEqual(shipment.scheduledAt, "2030-01-01T00:00:00.000Z")
    now += 60_000
    const arrived = value(await dockline.arrive(shipment.id, {}, everything))
    value(await dockline.recordPallet({ ...eventOf("e1"), occurredAt: "2030-01-01T00:01:00Z" }, everything))
    assert.strictEqual(arrived.statusEvents[1]!.completedAt, "2030-01-01T00:01:00.000Z")
    now += 60_000
    value(await dockline.depart(shipment.id, {}, everything))
    const messages = value(await dockline.messages({ business: "acme" }, everything))
    assert.deepStrictEqual(messages.map(({ sentAt }) => sentAt), [
      "2030-01-01T00:01:00.000Z",
      "2030-01-01T00:01:00.000Z",
      "2030-01-01T00:02:00.000Z"
    ])
  })

  it("counts whole milliseconds by a clock that knows fractions", async () => {
    await using dockline = await open({ clock: { now: () => 1.75 } })
    assert.strictEqual(
      await Effect.runPromise(Effect.provide(Clock.currentTimeMillis, dockline.layer)),
      1
    )
  })

  it("takes what is given as undefined for not given", async () => {
    const options = {
      itemLimit: undefined,
      vocabulary: { quantityUnits: undefined },
      strategies: { APPEND: undefined }
    } as unknown as Partial<Dockline.Options>
    await using dockline = await open(options)
    value(await dockline.submit(order("O-1", { orderItemUpdateStrategy: "APPEND" }), everything))
  })

  it("takes strategies beside the four", async () => {
    const ignore: Strategy = {
      requiredFields: ["lpn"],
      apply: () => Result.succeed({ created: [], updated: [], removed: [] })
    }
    await using dockline = await open({ strategies: { IGNORE: ignore } })
    const document = order("O-1", { orderItemUpdateStrategy: "IGNORE", items: [{ lpn: "P1" }] })
    const { created } = value(await dockline.submit(document, everything))
    assert.deepStrictEqual(created.map(({ type }) => type), ["SHIPMENT", "ORDER"])
    value(await dockline.submit(order("O-2", { orderItemUpdateStrategy: "MERGE" }), everything))
    await using standard = await open()
    assert.strictEqual(refusal(await standard.submit(document, everything)).code, "INVALID_DOCUMENT")
  })

  it("takes words and limits of its own", async () => {
    await using dockline = await open({
      vocabulary: { quantityUnits: ["DRUM"] },
      itemLimit: 1,
      messageLimit: 1,
      dashboardUrl: "https://dash.example.com"
    })
    const drum = { ...item, quantityUnit: "DRUM" }
    value(await dockline.submit(order("O-1", { items: [drum] }), everything))
    assert.strictEqual(refusal(await dockline.submit(order("O-2"), everything)).code, "INVALID_DOCUMENT")
    const two = order("O-3", { items: [drum, { ...drum, lpn: "P2" }] })
    assert.strictEqual(refusal(await dockline.submit(two, everything)).code, "TOO_MANY_ITEMS")
    for (const id of ["e1", "e2"]) value(await dockline.recordPallet(eventOf(id), everything))
    const many = await dockline.messages({ business: "acme" }, everything)
    assert.strictEqual(refusal(many).code, "TOO_MANY_MESSAGES")
    const [message] = value(await dockline.messages({ business: "acme", limit: 1 }, everything))
    assert.match(String(payloadOf(message!)["url"]), /^https:\/\/dash\.example\.com\//)
  })

  it("gives what it has built to users of Effect, with one state for both", async () => {
    await using dockline = await open({ clock: { now: () => 0 } })
    const program = Effect.flatMap(Intake, (intake) =>
      intake.submit(
        {
          business: "acme",
          facility: "east",
          direction: "OUTBOUND",
          shipmentNumber: "S-1",
          expectedArrivalAt: null,
          trailerNumber: "",
          dockSlug: "",
          carrier: "",
          additionalFields: [],
          orders: []
        },
        everything
      ))
    const receipt = await Effect.runPromise(Effect.provide(program, dockline.layer))
    assert.strictEqual(receipt.shipment.scheduledAt, "1970-01-01T00:00:00.000Z")
    const [shipment] = value(await dockline.shipments({}, everything)).items
    assert.deepStrictEqual(shipment, receipt.shipment)
  })
})
