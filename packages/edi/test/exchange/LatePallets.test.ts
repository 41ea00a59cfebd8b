/** D21.4, D23.8: a late pallet corrects what partners were told about its shipment. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open, palletOf, partnerOf, resend, supplier } from "./World.ts"

type World = Awaited<ReturnType<typeof open>>

const take = (world: World, text: string) => world.run((exchange) => exchange.take(text, client))

const tellAll = (world: World) => world.run((exchange) => exchange.tellAll)

/** Orders a pallet on the load L-1. */
const orderOf = (world: World, order: string, lpn: string, more: ReadonlyArray<string> = []) =>
  take(
    world,
    fileWith("940", "OW", [
      `W05*N*${order}`,
      "N9*LO*L-1",
      "LX*1",
      `MAN*W*${lpn}`,
      "W01*5*CA**SK*SKU-1",
      ...more
    ])
  )

let events = 0

/** A pallet passes the door before the departure, whenever it is reported. */
const passes = async (world: World, number: string, lpn: string, direction: string) => {
  const event = await world.dockline.recordPallet(
    palletOf(number, lpn, direction, `late-${++events}`),
    client
  )
  if (!event.ok) throw event.error
  return event.value.answer.verdict
}

/** The sets of the files after the first `count`, reduced to the parts that matter here. */
const saidSince = async (world: World, count: number) =>
  (await world.told()).slice(count).map(({ partner, text }) => [
    partner,
    ...text.split("~\n").filter((line) => /^(BSN|W06|W17|NTE|W12|W07|W14|CTT|MAN)/.test(line))
      .map((line) => line.replace(/20\d{6}(\*\d{4,6})?/, "at").replace(/(W17\*F\*at\*)\d+/, "$1id"))
  ])

const nte = "NTE*GEN*REPLACES THE ADVICE OF THIS ORDER AND SHIPMENT THAT WAS SENT BEFORE"

/** A load of two orders: L-A has left, and L-B, as far as the service knows, has not. */
const depart = async (world: World) => {
  await orderOf(world, "O-1", "L-A")
  await orderOf(world, "O-2", "L-B")
  const { shipmentId } = await passes(world, "L-1", "L-A", "LOADING")
  await world.dockline.depart(shipmentId, { occurredAt: "2026-11-20T21:00:00Z" }, client)
  await tellAll(world)
  return (await world.told()).length
}

describe("D23.8: a pallet that comes late", () => {
  it("replaces the ship notice and the shipping advice of its order, and no other", async () => {
    await using world = await open()
    const before = await depart(world)
    assert.strictEqual(before, 1)
    await passes(world, "L-1", "L-B", "LOADING")
    await tellAll(world)
    assert.deepStrictEqual(await saidSince(world, before), [[
      "supplier",
      "BSN*05*L-1*at*ZZZZ",
      "MAN*W*L-A",
      "MAN*W*L-B",
      "CTT*7",
      "W06*F*O-2*at*L-1********RX",
      nte,
      "MAN*W*L-B",
      "W12*CC*5*5*0*CA**SK*SKU-1"
    ]])
    const [, correction] = await world.told()
    assert.deepStrictEqual(correction!.faults, [
      "Pallets came late: these sets replace what was told before: 856 L-1, 945 O-2."
    ])
    // It is sent once.
    await tellAll(world)
    assert.lengthOf(await world.told(), 2)
  })

  it("of a receipt replaces its advice, also by one of nothing, and is the first of its order if there was none", async () => {
    await using world = await open()
    await take(world, fileWith("856", "SH", noticeOf("S-1", ["L-A", "L-B"])))
    await take(world, fileWith("856", "SH", noticeOf("S-1", ["L-C"], { order: "PO-2", purpose: "04" })))
    await world.depart("S-1", "L-A")
    await tellAll(world)
    const before = (await world.told()).length
    await passes(world, "S-1", "L-C", "UNLOADING")
    await tellAll(world)
    await passes(world, "S-1", "L-A", "LOADING")
    await tellAll(world)
    assert.deepStrictEqual(await saidSince(world, before), [
      ["supplier", "W17*F*at*id*PO-2*S-1", "W07*5*CA**SK*SKU-1", "W14*5"],
      ["supplier", "W17*F*at*id*PO-S-1*S-1", nte, "W07*0*CA**SK*SKU-1", "W07*0*CA**SK*SKU-2", "W14*0"]
    ])
  })

  it("that has gone back after all cancels the notice of a truck that left with nothing, until something has", async () => {
    await using world = await open([{ ...supplier, tells: ["856"] }])
    const before = await depart(world)
    await passes(world, "L-1", "L-A", "UNLOADING")
    await tellAll(world)
    await passes(world, "L-1", "L-B", "LOADING")
    await tellAll(world)
    assert.deepStrictEqual(await saidSince(world, before), [
      ["supplier", "BSN*01*L-1*at*ZZZZ", "CTT*1"],
      ["supplier", "BSN*00*L-1*at*ZZZZ", "MAN*W*L-B", "CTT*4"]
    ])
  })

  it("corrects nothing where it changes nothing, or was told already, or its partner was told nothing", async () => {
    await using world = await open()
    const before = await depart(world)
    await passes(world, "L-1", "L-A", "LOADING")
    await tellAll(world)
    await world.run((_, store) =>
      store.create({
        ...partnerOf("newcomer", { tellsOf: "ALL" }),
        name: "Newcomer",
        nextInterchange: 1,
        nextGroup: 1,
        now: Timestamp.of("2026-11-20T22:00:00.000Z")
      })
    )
    await passes(world, "L-1", "L-B", "LOADING")
    await tellAll(world)
    assert.deepStrictEqual((await world.told()).map(({ partner }) => partner), ["supplier", "supplier"])
    assert.lengthOf(await saidSince(world, before), 1)
    // Nobody was told before the pallet came, so there is nothing to correct.
    await using other = await open()
    await orderOf(other, "O-1", "L-A")
    await orderOf(other, "O-2", "L-B")
    const { shipmentId } = await passes(other, "L-1", "L-A", "LOADING")
    await other.dockline.depart(shipmentId, { occurredAt: "2026-11-20T21:00:00Z" }, client)
    await passes(other, "L-1", "L-B", "LOADING")
    await tellAll(other)
    const [first, ...more] = await saidSince(other, 0)
    assert.isEmpty(more)
    assert.deepStrictEqual(first!.filter((line) => /^(BSN|W06)/.test(line!)), [
      "BSN*00*L-1*at*ZZZZ",
      "W06*F*O-1*at*L-1",
      "W06*F*O-2*at*L-1"
    ])
  })

  it("tells each partner of a shared load of its own alone", async () => {
    await using world = await open([supplier, partnerOf("other")])
    await orderOf(world, "O-1", "L-A")
    const foreign = fileWith("940", "OW", [
      "W05*N*O-2",
      "N9*LO*L-1",
      "LX*1",
      "MAN*W*L-B",
      "W01*5*CA**SK*SKU-1"
    ]).replace("ZZ*SENDER ", "ZZ*OTHER  ").replace("*SENDER*", "*OTHER*")
    await take(world, foreign)
    const { shipmentId } = await passes(world, "L-1", "L-A", "LOADING")
    await world.dockline.depart(shipmentId, { occurredAt: "2026-11-20T21:00:00Z" }, client)
    await tellAll(world)
    const before = (await world.told()).length
    await passes(world, "L-1", "L-B", "LOADING")
    await tellAll(world)
    assert.deepStrictEqual((await saidSince(world, before)).map(([partner]) => partner), ["other"])
  })

  it("corrects as new what its partner has rejected, and tells anew by an operator's word as a replacement", async () => {
    await using world = await open([{ ...supplier, tells: ["945"] }])
    const before = await depart(world)
    const [file] = await world.told()
    const answer = (group: string, control: string, ak9: string) =>
      take(world, fileWith("997", "FA", [`AK1*SW*${group}`, `AK2*945*${control}`, "AK5*R*5", ak9]))
    const rejection = file!.sets.find(({ number }) => number === "O-2")!
    await answer(rejection.groupControl, rejection.control, "AK9*P*2*2*1")
    await passes(world, "L-1", "L-B", "LOADING")
    await tellAll(world)
    const heads = async (count: number) =>
      (await saidSince(world, count)).map((lines) => lines.filter((line) => /^(W06|NTE)/.test(line!)))
    assert.deepStrictEqual(await heads(before), [["W06*F*O-2*at*L-1"]])
    // The partner has the first advice, and rejects its replacement.
    await passes(world, "L-1", "L-B", "UNLOADING")
    await tellAll(world)
    const [, , replacement] = await world.told()
    await answer(replacement!.sets[0]!.groupControl, "0001", "AK9*R*1*1*0")
    await resend(world, replacement!)
    await tellAll(world)
    assert.deepStrictEqual(await heads(before + 1), [
      ["W06*F*O-2*at*L-1********RX", nte],
      ["W06*F*O-2*at*L-1********RX", nte]
    ])
  })

  const crossing = fc.record({
    lpn: fc.constantFrom("L-A", "L-B", "L-X"),
    direction: fc.constantFrom("LOADING", "LOADING", "UNLOADING"),
    isTold: fc.boolean()
  })

  it("leaves partners with what they would have been told if it had been in time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(crossing, { maxLength: 3 }),
        fc.array(crossing, { minLength: 1, maxLength: 4 }),
        async (inTime, late) => {
          const run = async (before: typeof inTime, after: typeof late) => {
            await using world = await open()
            await orderOf(world, "O-1", "L-A")
            await orderOf(world, "O-2", "L-B", ["LX*2", "W01*7*CA**SK*SKU-2"])
            const notice = noticeOf("S-1", ["L-A"])
            await take(world, fileWith("856", "SH", notice))
            await take(
              world,
              fileWith("856", "SH", noticeOf("S-1", ["L-B"], { order: "PO-2", purpose: "04" }))
            )
            let second = 0
            const pass = async ({ direction, lpn }: { readonly direction: string; readonly lpn: string }) => {
              const occurredAt = `2026-11-20T20:00:${String(++second).padStart(2, "0")}Z`
              const back = direction === "LOADING" ? "UNLOADING" : "LOADING"
              for (const [number, way] of [["L-1", direction], ["S-1", back]] as const) {
                const event = palletOf(number, lpn, way, `e-${number}-${second}`)
                const receipt = await world.dockline.recordPallet({ ...event, occurredAt }, client)
                if (!receipt.ok) throw receipt.error
              }
            }
            // Each shipment arrives with a pallet that is taken back later.
            await pass({ lpn: "L-0", direction: "LOADING" })
            await pass({ lpn: "L-0", direction: "UNLOADING" })
            for (const each of before) await pass(each)
            const page = await world.dockline.shipments({}, client)
            for (const { id } of page.ok ? page.value.items : []) {
              await world.dockline.depart(String(id), { occurredAt: "2026-11-20T21:00:00Z" }, client)
            }
            await tellAll(world)
            for (const each of after) {
              await pass(each)
              if (each.isTold) await tellAll(world)
            }
            await tellAll(world)
            return lastOf(await world.told())
          }
          const advices = await run(inTime, late)
          assert.deepStrictEqual(advices, await run([...inTime, ...late], []))
        }
      ),
      { numRuns: 25 }
    )
  }, 60_000)
})

/** The last set for each number after all files: each but the first of its number is marked as a replacement. */
const lastOf = (files: Awaited<ReturnType<World["told"]>>) => {
  const lastByOrder = new Map<string, string>()
  for (const { text } of files) {
    for (const set of text.split("\nST*").slice(1)) {
      const [kind = "", head = "", ...lines] = set.split("~\n").map((line) => line.trim())
      const elements = head.split("*")
      const key = [
        kind.slice(0, 3),
        ...[2, 4].map((at) => kind.startsWith("856") ? elements[2] : elements[at])
      ]
      const name = key.join(" ")
      const isMarked = elements[1] === "05" || elements[1] === "01" || lines.includes(nte)
      assert.strictEqual(isMarked, lastByOrder.has(name), `${name} in ${text}`)
      const content = lines.filter((line) => !/^(NTE|SE|GE|IEA|GS)/.test(line)).join("~")
      if (elements[1] === "01") lastByOrder.delete(name)
      else lastByOrder.set(name, content)
    }
  }
  // An empty receipt means the same as no receipt.
  return Array.from(lastByOrder).filter(([, content]) => !content.includes("W14*0")).toSorted()
}
