/** D18.3: received files are on record, partners are told about each departure exactly once, and control numbers have no gap. */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Logger, Result } from "effect"
import { assert, describe, it } from "vitest"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open, partnerOf, supplier } from "./World.ts"

const notice = (number: string, lpn: string) => noticeOf(number, [lpn])

type World = Awaited<ReturnType<typeof open>>

const take = (world: World, text: string) => world.run((exchange) => exchange.take(text, client))

/** Announces a pallet, which passes, and whose shipment departs. */
const pass = async (world: World, number: string, lpn: string) => {
  const receipts = await take(world, fileWith("856", "SH", notice(number, lpn)))
  await world.depart(number, lpn)
  return receipts
}

const refusal = async (world: World, text: string): Promise<string> => {
  const { message } = await world.run((exchange) => Effect.flip(exchange.takeAsItIs(text, client)))
  return `${message}.`
}

const controlsOf = (
  texts: ReadonlyArray<string>
): ReadonlyArray<readonly [isa: string, groups: ReadonlyArray<string>]> =>
  texts.map((text) => {
    const lines = text.split("~\n").map((line) => line.split("*"))
    return [
      lines[0]![13]!,
      lines.filter(([id]) => id === "GS").map((elements) => elements[6]!)
    ] as const
  })

describe("D18.3: a file that comes again", () => {
  const file = fileWith("856", "SH", notice("S-1", "L1"))

  it("gets the same acknowledgment, and does nothing", async () => {
    await using world = await open()
    const [first] = await world.run((exchange) => exchange.takeAsItIs(file, client))
    await world.dockline.shipments({}, client)
    const records = async () => {
      const page = await world.dockline.documents({}, client)
      return page.ok && page.value.items.length
    }
    assert.strictEqual(await records(), 1)
    const [again] = await world.run((exchange) => exchange.takeAsItIs(file, client))
    assert.deepStrictEqual(again, { file: first!.file, isRepeated: true })
    assert.strictEqual(await records(), 1)
    // Each number was used once.
    const [next] = await take(world, fileWith("856", "SH", notice("S-2", "L2")))
    assert.deepStrictEqual(controlsOf([first!.file.answer, next!.file.answer]), [
      ["000000041", ["51"]],
      ["000000042", ["52"]]
    ])
  })

  // @threat tenants.10
  it("with another text is refused at ISA13, and nothing is done", async () => {
    await using world = await open()
    await world.run((exchange) => exchange.takeAsItIs(file, client))
    const message =
      "Segment 1 (ISA), element 13: another interchange came with the control number 000000007. Give each interchange its own control number; to send one again, send it unchanged."
    assert.strictEqual(await refusal(world, file.replace("SKU-1", "SKU-2")), message)
    const other = fileWith("856", "SH", notice("S-2", "L2")).replaceAll("000000007", "000000008")
    assert.strictEqual(await refusal(world, other + file.replace("SKU-1", "SKU-2")), message)
    assert.strictEqual(await refusal(world, other + other.replace("L2", "L3")), message.replace("007", "008"))
    const page = await world.dockline.shipments({ shipmentNumber: "S-2" }, client)
    assert.isEmpty(page.ok && page.value.items)
  })
})

describe("D18.3: partners are told of departures", () => {
  it("of shipments that their own files have named, unless they are told of all", async () => {
    await using world = await open([
      supplier,
      partnerOf("other"),
      partnerOf("owner", { tellsOf: "ALL" }),
      partnerOf("west", { facility: "west", tellsOf: "ALL" })
    ])
    await pass(world, "S-1", "L1")
    await world.run((exchange) => exchange.tellAll)
    assert.deepStrictEqual((await world.told()).map(({ partner }) => partner).toSorted(), [
      "owner",
      "supplier"
    ])
  })

  it("which clients read only where they may read messages", async () => {
    await using world = await open()
    const [came] = await pass(world, "S-1", "L1")
    await world.run((exchange) => exchange.tellAll)
    const [file] = await world.told()
    const textFor = async (id: number, permission: "messages:read" | "pallets:write") => {
      const grants = [{ business: "acme", facilities: ["east"], permissions: [permission] }]
      const view = await world.dockline.ediFile(String(id), { ...client, grants })
      if (!view.ok) throw view.error
      assert.lengthOf(view.value.sets, 1)
      return view.value.text
    }
    assert.strictEqual(await textFor(file!.id, "messages:read"), file!.text)
    assert.strictEqual(await textFor(file!.id, "pallets:write"), "")
    assert.strictEqual(await textFor(came!.file.id, "pallets:write"), came!.file.text)
  })

  it("and load what they are told, and pass all else of a page in one step", async () => {
    const group = supplier.theirs.group
    const theirs = { qualifier: "ZZ", id: "OTHER", group }
    await using world = await open([supplier, partnerOf("other", { theirs, tellsOf: "ALL", tells: [] })])
    const own = new Set(["S-3"])
    for (let index = 1; index <= 5; index++) {
      const file = fileWith("856", "SH", notice(`S-${index}`, `L${index}`))
      await take(world, own.has(`S-${index}`) ? file : file.replace("*SENDER ", "*OTHER  "))
      await world.depart(`S-${index}`, `L${index}`)
    }
    const loads: Array<number> = []
    let steps = 0
    await world.run((exchange, store) =>
      Effect.gen(function*() {
        const round = yield* exchange.roundsOver({
          ...store,
          transact: (name, about, decide) => {
            steps++
            return store.transact(name, about, decide)
          }
        }, loads)
        yield* round
        assert.isTrue(yield* round)
      })
    )
    const files = await world.told()
    assert.deepStrictEqual(files.map(({ sets: [set] }) => set!.number), ["PO-S-3"])
    assert.deepStrictEqual(loads.map(String), files.map(({ sets: [set] }) => set!.shipmentId))
    // Two are skipped, one is told, and two are skipped.
    assert.strictEqual(steps, 3)
  })

  it("that come after they were made", async () => {
    await using world = await open()
    await pass(world, "S-1", "L1")
    await world.run((_, store) =>
      store.create({
        ...partnerOf("late", { tellsOf: "ALL" }),
        name: "Late",
        nextInterchange: 1,
        nextGroup: 1,
        now: Timestamp.of("2026-11-20T22:00:00.000Z")
      })
    )
    await world.run((exchange) => exchange.tellAll)
    assert.deepStrictEqual((await world.told()).map(({ partner }) => partner), ["supplier"])
  })

  it("as far as X12 holds it: what it does not is noted when it comes, recorded, and passed", async () => {
    await using world = await open()
    const long = "L".repeat(31)
    const [receipt] = await pass(world, "S-1", long)
    assert.deepStrictEqual(receipt!.file.sets.map(({ faults, outcome }) => [outcome, faults]), [["NOTED", [
      "Segment 10 (MAN, 8 of its set), element 2: the 944 that is to tell of it cannot say it in N902: it has 31 characters, and 1 to 30 fit. Send one that N902 can hold; without it no 944 tells of it."
    ]]])
    await pass(world, "S-2", "L2")
    await world.run((exchange) => exchange.tellAll)
    const [unwritten, file] = await world.told()
    assert.deepStrictEqual([unwritten!.outcome, unwritten!.text, unwritten!.control], ["UNWRITTEN", "", ""])
    assert.include(unwritten!.sets[0]!.faults[0], "N902")
    assert.deepStrictEqual(controlsOf([file!.text]), [["000000043", ["53"]]])
  })

  it("and say by their acknowledgments what became of it", async () => {
    await using world = await open()
    for (const index of [1, 2, 3]) {
      await pass(world, `S-${index}`, `L${index}`)
      await world.run((exchange) => exchange.tellAll)
    }
    const outcomes = async () =>
      (await world.told()).map(({ outcome, sets: [set] }) => [outcome, set!.faults])
    const [, second] = controlsOf((await world.told()).map(({ text }) => text)).map(([, [group]]) => group)
    await take(
      world,
      fileWith("997", "FA", [
        `AK1*RE*${second}`,
        "AK2*944*0001",
        "AK3*W07*5**8",
        "AK4*5*235*7*SKU-1",
        "AK5*R*5",
        "AK9*R*1*1*0"
      ])
    )
    const fault = "Segment 5 of its set (W07), element 5: the partner answers code 7 to SKU-1."
    assert.deepStrictEqual(await outcomes(), [["WAITING", []], ["REJECTED", [fault]], ["WAITING", []]])
    // An accepted group need not name its sets; the answer to a number that was never sent marks nothing.
    await take(world, fileWith("997", "FA", [`AK1*RE*${Number(second) - 2}`, "AK9*A*1*1*1"]))
    await take(world, fileWith("997", "FA", ["AK1*RE*99999", "AK9*R*1*1*0"]))
    assert.deepStrictEqual(await outcomes(), [["ACCEPTED", []], ["REJECTED", [fault]], ["WAITING", []]])
  })

  it("though another cannot be told, which is tried again later each time", async () => {
    await using world = await open([partnerOf("a", { tellsOf: "ALL" }), supplier])
    await pass(world, "S-1", "L1")
    let tries = 0
    await world.run((exchange, store) =>
      Effect.gen(function*() {
        const partner = (yield* store.find({ business: "acme", partner: "a" }))!
        const round = yield* exchange.roundsOver({
          ...store,
          transact: (name, about, decide) => {
            if (name.key !== partner.key || tries === 4) return store.transact(name, about, decide)
            tries++
            return tries % 2 === 0
              ? Effect.die(new Error("broken"))
              : Effect.fail(new StorageUnavailable({ cause: new Error("away") }))
          }
        })
        for (const [pause, expected] of [[0, 1], [999, 1], [1, 2], [1999, 2], [1, 3], [4000, 4]] as const) {
          world.pass(pause)
          yield* round
          assert.strictEqual(tries, expected)
        }
      })
    )
    assert.deepStrictEqual((await world.told()).map(({ partner }) => partner), ["supplier"])
    world.pass(8000)
    await world.run((exchange) => exchange.tellAll)
    assert.deepStrictEqual((await world.told()).map(({ partner }) => partner), ["supplier", "a"])
  })

  it("one after another, however many are behind or cannot be told: none twice before each had its turn", async () => {
    const slugs = Array.from({ length: 230 }, (_, index) => `p-${index}`)
    await using world = await open(slugs.map((slug) => partnerOf(slug, { tellsOf: "ALL", tells: ["944"] })))
    await take(
      world,
      fileWith("856", "SH", notice("S-1", "L1")).replace("*SENDER ", "*P-0    ").replace("*SENDER*", "*P-0*")
    )
    await world.depart("S-1", "L1")
    await world.run((exchange, store) =>
      Effect.gen(function*() {
        const turns: Array<string> = []
        const keys = (yield* store.behind(1000)).map(({ key }) => key)
        assert.lengthOf(keys, slugs.length)
        const failing = new Set(keys.slice(0, 110))
        const round = yield* exchange.roundsOver({
          ...store,
          transact: (name, about, decide) => {
            if (Object.keys(about).length > 0) turns.push(name.key)
            return failing.has(name.key)
              ? Effect.die(new Error("broken"))
              : store.transact(name, about, decide)
          }
        })
        yield* round
        assert.sameMembers(turns, keys)
        const behind = yield* store.behind(1000)
        assert.sameMembers(behind.map(({ key }) => key), [...failing])
        // Partners whose work is deferred do not hide others.
        yield* round
        assert.lengthOf(turns, keys.length)
      }).pipe(Effect.provide(Logger.layer([])))
    )
  })

  it("under the terms that hold when the numbers are given", async () => {
    await using world = await open([{ ...supplier, tellsOf: "ALL" }])
    for (const number of [1, 2]) {
      await pass(world, `S-${number}`, `L${number}`)
    }
    const name = { business: "acme", partner: supplier.slug }
    const changes = [{ usage: "T" as const }, { tells: [] }]
    await world.run((exchange, store) =>
      Effect.gen(function*() {
        let steps = 0
        const round = yield* exchange.roundsOver({
          ...store,
          // The terms change between the query and the step that writes, once for each departure.
          transact: (partner, about, decide) =>
            Effect.gen(function*() {
              steps++
              const current = yield* store.find(name)
              const change = current !== null && (steps === 2 || steps === 5) ? changes.shift() : undefined
              if (change !== undefined) {
                yield* Effect.orDie(
                  store.update(name, (partner) => Result.succeed({ ...partner, ...change }))
                )
              }
              return yield* store.transact(partner, about, decide)
            })
        })
        while (!(yield* round));
        assert.isEmpty(changes)
        assert.isAbove((yield* store.find(name))!.cursorId, 0)
      })
    )
    const [file, ...rest] = await world.told()
    assert.deepStrictEqual(rest, [])
    assert.strictEqual(file!.text.split("*")[15], "T")
  })
})
