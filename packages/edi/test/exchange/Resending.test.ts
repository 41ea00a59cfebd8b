/** D23.6: rejected sets are sent again, with present values, once for the requests that come before they are sent. */
import type { EdiStore } from "@dockline/edi/domain/EdiStore"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open, palletOf, resend } from "./World.ts"

type World = Awaited<ReturnType<typeof open>>

const take = (world: World, text: string) => world.run((exchange) => exchange.take(text, client))

const tellAll = (world: World) => world.run((exchange) => exchange.tellAll)

/** Tells the partner about a shipment with two orders, in an advice for each. */
const tell = async (world: World) => {
  const orderOf = (order: number, level: number) => [
    `HL*${level}*1*O`,
    `PRF*PO-${order}`,
    `HL*${level + 1}*${level}*T`,
    `MAN*W*L-${order}`,
    `HL*${level + 2}*${level + 1}*I`,
    `LIN**SK*SKU-${order}`,
    "SN1**5*CA"
  ]
  const lines = ["BSN*00*S-1*20261120*1700", "HL*1**S", ...orderOf(1, 2), ...orderOf(2, 5)]
  await take(world, fileWith("856", "SH", lines))
  await world.dockline.recordPallet(palletOf("S-1", "L-2"), client)
  await world.depart("S-1", "L-1")
  await tellAll(world)
  const [file] = await world.told()
  return file!
}

/** Rejects a set of a file by a 997 that accepts the others. */
const reject = (world: World, { groupControl }: { readonly groupControl: string }, control = "0001") =>
  take(
    world,
    fileWith("997", "FA", [`AK1*RE*${groupControl}`, `AK2*944*${control}`, "AK5*R*5", "AK9*P*2*2*1"])
  )

/** Tells the partner about a shipment; the partner rejects a set, and an operator requests it again. */
const rejectedAndDue = async (world: World) => {
  const file = await tell(world)
  await reject(world, file.sets[0]!)
  await resend(world, file)
  return file
}

const outline = (files: Awaited<ReturnType<World["told"]>>) =>
  files.map((
    { control, outcome, sets }
  ) => [control, outcome, sets.map(({ kind, number }) => `${kind} ${number}`)])

describe("D23.6: what a partner rejected", () => {
  it("is told anew once for a word, with new control numbers, and moves no cursor", async () => {
    await using world = await open()
    const file = await tell(world)
    const sets = file.sets.map(({ kind, number }) => `${kind} ${number}`)
    await reject(world, file.sets[0]!)
    const [after] = await world.told()
    await resend(world, after!)
    await resend(world, after!)
    const cursor = await cursorOf(world)
    await tellAll(world)
    await tellAll(world)
    assert.strictEqual(await cursorOf(world), cursor)
    const [old, again, ...more] = await world.told()
    assert.isEmpty(more)
    assert.deepStrictEqual(old, after, "it stays on record as it is")
    assert.strictEqual(old!.outcome, "PARTIAL")
    assert.deepStrictEqual(sets, ["944 PO-1", "944 PO-2"])
    assert.deepStrictEqual(outline([again!]), [["000000043", "WAITING", ["944 PO-1"]]])
    // Another request sends it again.
    await resend(world, after!)
    await tellAll(world)
    assert.lengthOf(await world.told(), 3)
  })

  it("is told by one of two instances that find it due", async () => {
    await using world = await open()
    await rejectedAndDue(world)
    await world.run((exchange, store) =>
      Effect.gen(function*() {
        let isHeld = true
        /** Between the query and the step of the first instance, the other instance sends it. */
        const slow: EdiStore["Service"] = {
          ...store,
          words: (name, numbers) =>
            Effect.gen(function*() {
              if (isHeld) {
                isHeld = false
                yield* exchange.tellAll
              }
              return yield* store.words(name, numbers)
            })
        }
        yield* yield* exchange.roundsOver(slow)
        assert.isFalse(isHeld)
      })
    )
    assert.lengthOf(await world.told(), 2)
  })

  it("stays due when it cannot be told, and no departure is lost meanwhile", async () => {
    await using world = await open()
    const file = await rejectedAndDue(world)
    await world.run((exchange, store) =>
      Effect.gen(function*() {
        const round = yield* exchange.roundsOver({ ...store, words: () => Effect.die(new Error("away")) })
        yield* round
      })
    )
    assert.lengthOf(await world.told(), 1)
    await take(world, fileWith("856", "SH", noticeOf("S-2", ["L-C"])))
    await world.depart("S-2", "L-C")
    await tellAll(world)
    assert.deepStrictEqual((await world.told()).slice(1).map(({ sets: [set] }) => set!.shipmentId), [
      file.sets[0]!.shipmentId,
      String(Number(file.sets[0]!.shipmentId) + 1)
    ])
  })

  it("and of which there is nothing to tell any longer is on record as not written", async () => {
    await using world = await open()
    await rejectedAndDue(world)
    await world.run((_, store) =>
      store.update(
        { business: "acme", partner: "supplier" },
        (partner) => Result.succeed({ ...partner, tells: ["945"] })
      )
    )
    await tellAll(world)
    const [, removal, ...more] = await world.told()
    assert.isEmpty(more)
    assert.deepStrictEqual([removal!.outcome, removal!.text], ["UNWRITTEN", ""])
    assert.match(removal!.sets[0]!.faults[0]!, /is no longer told it of the shipment/)
  })
})

const cursorOf = (world: World) =>
  world.run((_, store) =>
    Effect.map(store.find({ business: "acme", partner: "supplier" }), (partner) => partner!.cursorId)
  )
