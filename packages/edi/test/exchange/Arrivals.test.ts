/** D18.3: an interchange is executed once, and completely. */
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import * as Slices from "@dockline/core/input/Slices"
import * as Memory from "@dockline/core/memory/Memory"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { edi } from "@dockline/edi/domain/EdiCapability"
import { Effect, Exit, Fiber, Layer, Result } from "effect"
import { assert, describe, it } from "vitest"
import { eventually } from "../../../../test/support/Eventually.ts"
import { interchangeFor, writeAnswer } from "../../src/exchange/SetResult.ts"
import type { GroupResult } from "../../src/exchange/SetResult.ts"
import { readSets } from "../../src/sets/SetReader.ts"
import { write } from "../../src/x12/X12Writer.ts"
import { acknowledge, east, fileOfSets, noticeOf } from "../Files.ts"
import { client, open, partnerOf, sending, supplier } from "./World.ts"

const notice = (number: string, lpns: ReadonlyArray<string>, quantity = "5") =>
  noticeOf(number, lpns, { quantity })

/** A file of ship notices. */
const fileOf = (sets: ReadonlyArray<ReadonlyArray<string>>): string => fileOfSets("856", "SH", sets)

const numbersOf = async ({ dockline }: Awaited<ReturnType<typeof open>>) => {
  const page = await dockline.shipments({}, client)
  return page.ok ? page.value.items.map(({ shipmentNumber }) => shipmentNumber).toSorted() : []
}

describe("D18.3: an interchange", () => {
  const file = fileOf([notice("S-1", ["L1"])])

  it("is done once, however often it comes at once", async () => {
    await using world = await open()
    const several = fileOf(Array.from({ length: 20 }, (_, index) => notice(`S-${index}`, [`L${index}`])))
    const all = await world.run((exchange) =>
      Effect.all(
        Array.from({ length: 4 }, () => Effect.result(exchange.takeAsItIs(several, client))),
        { concurrency: 4 }
      )
    )
    const codes = all.map((each) => Result.isSuccess(each) ? "taken" : each.failure.code)
    assert.strictEqual(codes[0], "taken")
    assert.isTrue(codes.every((code) => code === "taken" || code === "OVERLOADED"), codes.join())
    const [again] = await world.run((exchange) => exchange.takeAsItIs(several, client))
    assert.isTrue(again!.isRepeated)
    const records = await world.dockline.documents({ limit: 100 }, client)
    assert.strictEqual(records.ok && records.value.items.length, 20)
  })

  it("is refused while another with its number is being done, and nothing of it is", async () => {
    await using world = await open()
    const other = fileOf([notice("S-2", ["L2"])])
    const all = await world.run((exchange) =>
      Effect.all(
        [file, other].map((text) => Effect.result(exchange.takeAsItIs(text, client))),
        { concurrency: 2 }
      )
    )
    const codes = all.map((each) => Result.isSuccess(each) ? "taken" : each.failure.code)
    assert.deepStrictEqual(codes.toSorted(), ["EDI_REFUSED", "taken"])
    assert.deepStrictEqual(await numbersOf(world), codes[0] === "taken" ? ["S-1"] : ["S-2"])
  })

  it("is done to its end though its client goes away", async () => {
    await using world = await open()
    // Notices of the same shipment are executed one after another.
    const long = fileOf(Array.from({ length: 200 }, (_, index) => notice("S-1", [`L${index}`])))
    const [exit, [again]] = await world.run((exchange) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(exchange.takeAsItIs(long, client))
        yield* Effect.promise(() =>
          eventually("a set is taken", async () => (await numbersOf(world)).length > 0)
        )
        yield* Fiber.interrupt(fiber)
        return [yield* Fiber.await(fiber), yield* exchange.takeAsItIs(long, client)] as const
      })
    )
    assert.isTrue(Exit.isFailure(exit), "the client has gone before its file was done")
    assert.isTrue(again!.isRepeated)
    assert.strictEqual(again!.file.sets.length, 200)
    assert.notStrictEqual(again!.file.answer, "")
  })

  it("awaits the sets that were begun when another fails for want of the storage", async () => {
    const starts: Array<string> = []
    const failing = Layer.effect(
      IntakeStore,
      Effect.map(IntakeStore, (store) => ({
        ...store,
        transact: (document, ...rest) => {
          starts.push(document.shipmentNumber)
          return document.shipmentNumber === "S-1"
            ? Effect.andThen(
              Effect.sleep("5 millis"),
              Effect.fail(new StorageUnavailable({ cause: new Error("away") }))
            )
            : Effect.andThen(Effect.sleep("20 millis"), store.transact(document, ...rest))
        }
      }))
    )
    await using world = await open([supplier], Layer.provideMerge(failing, Memory.layerWith([edi])))
    const sets = Array.from({ length: 100 }, (_, index) => notice(`S-${index}`, [`L${index}`]))
    const failure = await world.run((exchange) => Effect.flip(exchange.takeAsItIs(fileOf(sets), client)))
    assert.strictEqual(failure.code, "STORAGE_UNAVAILABLE")
    assert.isBelow(starts.length, 64, "no set is begun after one has failed")
    assert.sameMembers(await numbersOf(world), starts.filter((number) => number !== "S-1"))
  })

  it("makes no shipment the partner's own by a set that is rejected", async () => {
    await using world = await open([supplier, partnerOf("rival")])
    await world.run((exchange) => exchange.take(fileOf([notice("S-1", ["L1"])]), client))
    const ofRival = fileOf([notice("S-1", ["L1"], "-5"), notice("S-2", ["L2"])])
      .replace("*ZZ*SENDER ", "*ZZ*RIVAL  ").replace("GS*SH*SENDER", "GS*SH*RIVAL")
    const [receipt] = await world.run((exchange) => exchange.take(ofRival, client))
    assert.deepStrictEqual(receipt!.file.sets.map(({ outcome }) => outcome), ["REJECTED", "ACCEPTED"])
    for (const number of ["1", "2"]) {
      await world.depart(`S-${number}`, `L${number}`)
    }
    await world.run((exchange) => exchange.tellAll)
    const advices = await world.told()
    assert.sameDeepMembers(
      advices.map(({ partner, sets }) => [partner, sets.map(({ number }) => number)]),
      [["supplier", ["PO-S-1"]], ["rival", ["PO-S-2"]]]
    )
  })
})

describe("D18.2: an acknowledgment", () => {
  it("names no more errors than fit, and says of each set what became of it", async () => {
    await using world = await open()
    const lpns = Array.from({ length: 100 }, (_, index) => `L${index}`)
    const sets = Array.from({ length: 60 }, (_, index) => notice(`S-${index}`, lpns, "-5"))
    const [receipt] = await world.run((exchange) => exchange.take(fileOf(sets), client))
    const lines = receipt!.file.answer.split("~\n").map((line) => line.split("*")[0]!)
    const count = (...ids: ReadonlyArray<string>) => lines.filter((id) => ids.includes(id)).length
    assert.strictEqual(count("AK3", "AK4"), 10_000)
    assert.strictEqual(count("AK5"), 60)
    assert.deepStrictEqual(receipt!.file.sets.map(({ outcome }) => outcome), sets.map(() => "REJECTED"))
  })

  it("is written in slices but for its numbers, as it would be at once", () => {
    const read = Result.getOrThrow(
      readSets(fileOf([notice("S-1", ["L1"]), notice("S-2", ["L2"])]), east)
    )
    const groups = [...read, ...read].map((each): GroupResult => ({
      ...each.group,
      status: "A",
      sets: [],
      acknowledgment: acknowledge(each)
    }))
    const writing = write(interchangeFor(supplier, [{
      functionalId: "FA",
      sets: groups.map(({ acknowledgment }) => ({ id: "997", segments: acknowledgment }))
    }], sending))
    const steps = writeAnswer(groups, supplier)
    assert.isFalse(steps.next().done)
    assert.strictEqual(Slices.atOnce(steps)!(sending), Result.getOrThrow(writing))
  })
})
