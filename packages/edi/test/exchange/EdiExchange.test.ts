/** D18: files of partners become documents, and partners are told about the goods that passed, over the services in memory. */
import { OpenAnswerMemory, unlimitedMemory } from "@dockline/core/access/RequestLimits"
import * as Slices from "@dockline/core/input/Slices"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { EdiReceipt } from "@dockline/edi/domain/EdiIntake"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { fileOfSets, fileWith, noticeOf } from "../Files.ts"
import { client, open, palletOf, supplier } from "./World.ts"
import type { Exchange } from "./World.ts"

const notice = (purpose: string, number: string, lpns: ReadonlyArray<string>, order = "PO-1") =>
  noticeOf(number, lpns, { order, purpose })

const take = (text: string, principal = client) => (exchange: Exchange) => exchange.take(text, principal)

const sets = (receipts: ReadonlyArray<EdiReceipt>) => receipts.flatMap(({ file }) => file.sets)

const answerOf = ([receipt]: ReadonlyArray<EdiReceipt>): ReadonlyArray<string> =>
  receipt === undefined || receipt.file.answer === "" ? [] : receipt.file.answer.split("~\n")

type World = Awaited<ReturnType<typeof open>>

/** Sends a file with one set. */
const send = async (world: World, lines: ReadonlyArray<string>, kind = "856", group = "SH") =>
  sets(await world.run(take(fileWith(kind, group, lines))))[0]!

/** The shipment with a number, if there is one. */
const shipmentOf = async ({ dockline }: World, shipmentNumber: string) => {
  const page = await dockline.shipments({ shipmentNumber }, client)
  return page.ok ? page.value.items[0] : undefined
}

/** The LPNs that the shipment S-1 expects. */
const expected = async (world: World) =>
  (await shipmentOf(world, "S-1"))?.orders.flatMap(({ items }) => items).map(({ lpn }) => lpn)

/** The number of entities that the documents of a shipment have created, from their record. */
const createdOf = async (world: World, shipmentNumber: string) => {
  const page = await world.dockline.documents({ shipmentNumber }, client)
  return page.ok && page.value.items.map(({ counts }) => counts.created)
}

describe("D18.2: a file of a partner", () => {
  // @threat load.22
  it("reserves memory for what each set loads, and only until the set is done", async () => {
    await using world = await open()
    const memory = { held: 0, most: 0, total: 0 }
    const openMemory: OpenAnswerMemory = () => {
      let length = 0
      const reserveNow = (characters: number) => {
        length += characters
        memory.held += characters
        memory.total += characters
        memory.most = Math.max(memory.most, memory.held)
        return true
      }
      return {
        memory: {
          ...unlimitedMemory,
          reserveNow,
          reserve: (characters) => Effect.sync(() => void reserveNow(characters))
        },
        release: () => {
          memory.held -= length
          length = 0
        }
      }
    }
    const notices = Array.from(
      { length: 20 },
      (_, index) => notice("00", "S-1", [`L${index}`], `PO-${index}`)
    )
    const text = fileOfSets("856", "SH", notices)
    const receipts = await world.run((exchange) =>
      Effect.provideService(take(text)(exchange), OpenAnswerMemory, openMemory)
    )
    assert.deepStrictEqual(new Set(sets(receipts).map(({ outcome }) => outcome)), new Set(["ACCEPTED"]))
    assert.strictEqual(memory.held, 0)
    assert.isAbove(memory.total, 5 * memory.most)
  })

  it("is taken set by set, and answered by one acknowledgment", async () => {
    await using world = await open()
    const text = fileOfSets("856", "SH", [
      notice("00", "S-1", ["L1", "L2"]),
      notice("99", "S-2", ["L3"]),
      notice("00", "S-3", ["L4", "L4"], "PO-2")
    ])
    const receipts = await world.run(take(text))
    assert.deepStrictEqual(sets(receipts).map(({ number, outcome }) => [number, outcome]), [
      ["S-1", "ACCEPTED"],
      ["S-2", "REJECTED"],
      ["S-3", "ACCEPTED"]
    ])
    assert.deepStrictEqual(await createdOf(world, "S-1"), [4])
    assert.deepStrictEqual(answerOf(receipts), [
      "ISA*00*          *00*          *01*123456789      *ZZ*SENDER         *261120*1705*U*00401*000000041*0*P*>",
      "GS*FA*123456789*SENDER*20261120*1705*51*X*004010",
      "ST*997*0001",
      "AK1*SH*7",
      "AK2*856*0001",
      "AK5*A",
      "AK2*856*0002",
      "AK3*BSN*2**8",
      "AK4*1*353*7*99",
      "AK5*R*5",
      "AK2*856*0003",
      "AK5*A",
      "AK9*P*3*3*2",
      "SE*12*0001",
      "GE*1*51",
      "IEA*1*000000041~"
    ])
    const shipment = await shipmentOf(world, "S-1")
    assert.strictEqual(shipment!.expectedArrivalAt, "2026-11-21T13:30:00.000Z")
    assert.deepStrictEqual(
      shipment!.orders.map((
        { items, orderNumber }
      ) => [orderNumber, items.map(({ lpn, quantity, sku }) => [lpn, sku, quantity])]),
      [["PO-1", [["L1", "SKU-1", 5], ["L2", "SKU-2", 6]]]]
    )
  })

  it("that is sent again says the same, and one that differs replaces it", async () => {
    await using world = await open()
    const first = notice("00", "S-1", ["L1", "L2"])
    await send(world, first)
    await send(world, first)
    assert.deepStrictEqual(await expected(world), ["L1", "L2"])
    await send(world, notice("00", "S-1", ["L2", "L3"]))
    assert.deepStrictEqual(await expected(world), ["L2", "L3"])
    await send(world, notice("04", "S-1", ["L4"]))
    assert.deepStrictEqual(await expected(world), ["L2", "L3", "L4"])
  })

  it("that is wrapped in another way is the same, also twice in a file; another one is refused", async () => {
    await using world = await open()
    const text = fileWith("856", "SH", notice("00", "S-1", ["L1"]))
    const takeIt = (file: string) => world.run((exchange) => exchange.takeAsItIs(file, client))
    const wrappings = [
      text,
      text.replaceAll("\n", "\r\n"),
      text.replaceAll("\n", ""),
      text.replaceAll("~\n", "\n")
    ]
    const receipts = [
      ...await takeIt(text + wrappings[1]),
      ...(await Promise.all(wrappings.map(takeIt))).flat()
    ]
    assert.deepStrictEqual(receipts.map(({ file, isRepeated }) => [file.id, isRepeated]), [
      [receipts[0]!.file.id, false],
      ...receipts.slice(1).map(() => [receipts[0]!.file.id, true])
    ])
    for (const other of [text.replace("L1", "L2"), text.replace("000000007*0*P", "000000007*1*P")]) {
      const refusal = await world.run((exchange) => Effect.flip(exchange.takeAsItIs(other, client)))
      assert.include(refusal.message, "another interchange came with the control number")
    }
  })

  it("that replaces notes the orders that it does not name, which stay as they are", async () => {
    await using world = await open()
    await send(world, notice("00", "S-1", ["L1"], "PO-1"))
    await send(world, notice("04", "S-1", ["L2"], "PO-2"))
    const set = await send(world, notice("05", "S-1", ["L3"], "PO-2"))
    assert.strictEqual(set.outcome, "NOTED")
    assert.deepStrictEqual(set.faults, [
      "Segment 4 (BSN, 2 of its set), element 1: the shipment still expects the order PO-1, of which the set has no item. Send its items, here or in a notice of another shipment, which moves it there."
    ])
    assert.deepStrictEqual(await expected(world), ["L1", "L3"])
    const without = ["BSN*05*S-1*20261120*1700", "HL*1**S", "HL*2*1*O", "PRF*PO-1", "HL*3*1*O", "PRF*PO-2"]
    const withoutLines = await send(world, without)
    assert.strictEqual(withoutLines.outcome, "NOTED")
    assert.include(
      withoutLines.faults[0],
      "2 orders, the first of them PO-1, of which the set has no item"
    )
    assert.deepStrictEqual(await expected(world), ["L1", "L3"])
    // The remedy in the fault works.
    await send(world, notice("00", "S-2", ["L1"], "PO-1"))
    assert.deepStrictEqual(await expected(world), ["L3"])
    assert.strictEqual((await send(world, notice("05", "S-1", ["L3"], "PO-2"))).outcome, "ACCEPTED")
  })

  it("cancels a shipment, and is rejected where there is none", async () => {
    await using world = await open()
    await send(world, notice("00", "S-1", ["L1"]))
    const set = await send(world, ["BSN*01*S-1*20261120*1700", "HL*1**S"])
    assert.strictEqual(set.outcome, "ACCEPTED")
    assert.strictEqual((await shipmentOf(world, "S-1"))!.status, "CANCELLED")
    const again = await send(world, notice("00", "S-1", ["L1"]))
    assert.strictEqual(again.outcome, "REJECTED")
    assert.match(again.faults[0]!, /^Segment 4 \(BSN, 2 of its set\): SHIPMENT_CANCELLED/)
    const missing = await send(world, ["BSN*01*S-9*20261120*1700", "HL*1**S"])
    assert.strictEqual(missing.outcome, "REJECTED")
    assert.include(missing.faults[0], "element 2")
  })

  it("cancels an order with its load only if the load has no other", async () => {
    await using world = await open()
    const order = (...lines: ReadonlyArray<string>) => send(world, lines, "940", "OW")
    const status = async () => (await shipmentOf(world, "LOAD-1"))!.status
    await order("W05*N*SO-1", "N9*LO*LOAD-1")
    await order("W05*N*SO-2", "N9*LO*LOAD-1")
    const set = await order("W05*F*SO-1", "N9*LO*LOAD-1")
    assert.deepStrictEqual(set.faults, [
      "Segment 4 (W05, 2 of its set), element 2: the load has other orders; a document cannot cancel one of them. Send the others on another load (N9*LO) first."
    ])
    assert.strictEqual(set.outcome, "REJECTED")
    const elsewhere = await order("W05*F*SO-3", "N9*LO*LOAD-1")
    assert.deepStrictEqual(elsewhere.faults, [
      "Segment 4 (W05, 2 of its set), element 2: the order is not on the load. Send its load (N9*LO)."
    ])
    assert.notStrictEqual(await status(), "CANCELLED")
    // The remedy in the fault works.
    assert.strictEqual((await order("W05*N*SO-2", "N9*LO*LOAD-2")).outcome, "ACCEPTED")
    assert.strictEqual((await order("W05*F*SO-1", "N9*LO*LOAD-1")).outcome, "ACCEPTED")
    assert.strictEqual(await status(), "CANCELLED")
  })

  it("is rejected by the rules of documents, at the segment that says the field", async () => {
    await using world = await open()
    const input = notice("00", "S-1", ["L1"]).map((line) => line.startsWith("SN1") ? "SN1**-5*CA" : line)
    const set = await send(world, input)
    assert.deepStrictEqual(set.faults, [
      "Segment 13 (SN1, 11 of its set), element 2: orders[0].items[0].quantity must not be negative. Fix it, and send the set again."
    ])
    assert.strictEqual(set.outcome, "REJECTED")
    assert.isUndefined(await shipmentOf(world, "S-1"))
  })

  it("of some megabytes is taken in slices", async () => {
    await using world = await open()
    const lpns = Array.from({ length: 5000 }, (_, index) => `L${index}`)
    let pauses = 0
    const count = Effect.sync(() => {
      pauses++
    })
    const receipts = await world.run((exchange) =>
      Effect.provideService(
        exchange.take(fileWith("856", "SH", notice("00", "S-1", lpns)), client),
        Slices.Pause,
        count
      )
    )
    assert.strictEqual(sets(receipts)[0]!.outcome, "ACCEPTED")
    assert.deepStrictEqual(await createdOf(world, "S-1"), [5002])
    // A slice costs at most 4,000, and each of the 25,000 segments at least 8.
    assert.isAbove(pauses, 50)
  })

  it("that acknowledges what was sent does nothing, and is not answered", async () => {
    await using world = await open()
    const receipts = await world.run(take(fileWith("997", "FA", ["AK1*SH*51", "AK9*A*1*1*1"])))
    assert.deepInclude(sets(receipts)[0]!, { kind: "997", number: "51", outcome: "ACCEPTED" })
    assert.isEmpty(answerOf(receipts))
  })

  it("is rejected in a group of others, and for a kind that is not agreed on", async () => {
    await using world = await open([{ ...supplier, takes: ["940"] }])
    const text = fileWith("856", "SH", notice("00", "S-1", ["L1"]))
    const [set] = sets(await world.run(take(text)))
    assert.deepStrictEqual(set!.faults, [
      "Segment 3 (ST, 1 of its set), element 1: sets of the kind 856 are not taken. Send 940, 997."
    ])
    const [receipt] = await world.run(take(text.replace("GS*SH*SENDER", "GS*SH*OTHER")))
    assert.deepStrictEqual([receipt!.file.outcome, receipt!.file.faults], ["REJECTED", [
      "Segment 2 (GS), element 2: the group is of OTHER for 123456789. Send SENDER in GS02 and 123456789 in GS03."
    ]])
  })

  const refusal = async (text: string, principal = client): Promise<string> => {
    await using world = await open()
    const refusal = await world.run((exchange) => Effect.flip(exchange.take(text, principal)))
    const page = await world.dockline.shipments({}, client)
    assert.isEmpty(page.ok && page.value.items, "something was done")
    return `${refusal.message}.`
  }

  const good = fileWith("856", "SH", notice("00", "S-1", ["L1"]))

  it.each([
    [
      "of nobody",
      good.replace("*ZZ*SENDER ", "*ZZ*NOBODY "),
      "Segment 1 (ISA), element 6: no partner sends as ZZ/NOBODY to 01/123456789. Send the qualifiers and ids that were agreed on in ISA05 to ISA08."
    ],
    [
      "that is a test",
      good.replace("*P*>", "*T*>"),
      "Segment 1 (ISA), element 15: the interchange is a test, and the partner is in production. Send P."
    ],
    [
      "whose second interchange is damaged",
      good + good.replace("IEA*1", "IEA*2"),
      "Segment 16 (IEA), element 1: the interchange has 1 group. Send all groups, and their number in IEA01."
    ]
  ])("is refused %s, and nothing is done", async (_, text, message) => {
    assert.strictEqual(await refusal(text), message)
  })

  it("is on record where it is refused as a whole, once for each text, if its beginning names a partner", async () => {
    await using world = await open()
    const record = async () => {
      const page = await world.dockline.ediFiles({ direction: "IN" }, client)
      if (!page.ok) throw page.error
      return page.value.items.map((
        { control, outcome, partner, setCount }
      ) => [control, outcome, partner, setCount])
    }
    const refuse = (text: string, principal = client) =>
      world.run((exchange) => Effect.flip(exchange.takeAsItIs(text, principal)))
    const damagedText = good.replace("IEA*1", "IEA*2")
    const entry = ["000000007", "REJECTED", "supplier", 0]
    for (const text of [damagedText, damagedText, `  \n${damagedText}`]) await refuse(text)
    const reader = {
      ...client,
      grants: [{ business: "acme", facilities: ["west"], permissions: ["documents:write" as const] }]
    }
    await refuse(good.replace("IEA*1", "IEA*3"), reader)
    for (const text of ["", "ISA", "ISA*", "no X12", good.replace("*ZZ*SENDER ", "*ZZ*NOBODY ")]) {
      await refuse(text)
    }
    assert.deepStrictEqual(await record(), [entry])
    await refuse(good.replace("*P*>", "*T*>"))
    assert.deepStrictEqual(await record(), [entry, entry])
    // No control number was used up: the correct file is accepted.
    await world.run((exchange) => exchange.takeAsItIs(good, client))
    assert.deepStrictEqual((await record())[0], ["000000007", "ACCEPTED", "supplier", 1])
    await refuse(good.replace("*L1", "*L9"))
    const page = await world.dockline.ediFiles({ direction: "IN", outcome: "REJECTED" }, client)
    const [newest] = page.ok ? page.value.items : []
    const view = await world.dockline.ediFile(newest?.id ?? "", client)
    assert.deepStrictEqual(view.ok && [view.value.faults, view.value.text, view.value.sets], [
      [
        "Segment 1 (ISA), element 13: another interchange came with the control number 000000007. Give each interchange its own control number; to send one again, send it unchanged."
      ],
      good.replace("*L1", "*L9"),
      []
    ])
  })

  it("is not on record where it has several interchanges: the fault is about one of them", async () => {
    await using world = await open()
    const second = good.replaceAll("000000007", "000000008").replace("IEA*1", "IEA*2")
    const other = second.replaceAll("*", "|")
    for (const text of [`${good}\r\n${second}`, `${good}        ${other}`, second + good]) {
      await world.run((exchange) => Effect.flip(exchange.takeAsItIs(text, client)))
    }
    const page = await world.dockline.ediFiles({}, client)
    assert.deepStrictEqual(page.ok && page.value.items, [])
    await world.run((exchange) => Effect.flip(exchange.takeAsItIs(other, client)))
    const alone = await world.dockline.ediFiles({}, client)
    assert.deepStrictEqual(alone.ok && alone.value.items.map(({ control }) => control), ["000000008"])
  })

  it("is of the business that is named with it, where partners of several have the ids of its envelope", async () => {
    await using world = await open()
    await world.dockline.places([{
      slug: "globex",
      name: "Globex",
      facilities: [{ slug: "east", name: "East" }]
    }])
    await world.run((_, store) =>
      store.create({
        ...supplier,
        business: "globex",
        name: "Same ids",
        nextInterchange: 1,
        nextGroup: 1,
        now: Timestamp.of("2026-11-20T22:00:00.000Z")
      })
    )
    const [grant] = client.grants
    const both = { ...client, grants: [grant!, { ...grant!, business: "globex" }] }
    const file = fileWith("856", "SH", notice("00", "S-1", ["L1"]))
    const refusal = await world.run((exchange) => Effect.flip(exchange.takeAsItIs(file, both)))
    assert.include(refusal.message, "several businesses")
    assert.include(refusal.message, "?business=acme")
    for (const business of ["acme", "globex"]) {
      const [receipt] = await world.run((exchange) => exchange.takeAsItIs(file, both, { business }))
      assert.strictEqual(receipt!.file.location.business.slug, business)
    }
    const elsewhere = await world.run((exchange) =>
      Effect.flip(exchange.takeAsItIs(file, both, { business: "initech" }))
    )
    assert.include(elsewhere.message, "no partner sends as")
  })

  it("is refused of a client that may not send documents there", async () => {
    const reader = {
      ...client,
      grants: [{ business: "acme", facilities: "*" as const, permissions: ["messages:read" as const] }]
    }
    assert.include(await refusal(good, reader), "documents:write")
  })
})

describe("D18.2: what a partner is told", () => {
  const departed = async (direction: "OUTBOUND" | "INBOUND") => {
    const world = await open()
    const { dockline } = world
    const item = { sku: "SKU-1", quantity: 5, quantityUnit: "CASE" } as const
    const receipt = await dockline.submit({
      business: "acme",
      facility: "east",
      direction,
      orderNumber: "SO-1",
      items: [{ ...item, lpn: "L1" }, { ...item, lpn: "L2" }, { ...item, lpn: "L3" }]
    }, client)
    const id = receipt.ok ? receipt.value.shipment.id : ""
    const [there, back] = direction === "OUTBOUND" ? ["LOADING", "UNLOADING"] : ["UNLOADING", "LOADING"]
    for (
      const [index, [way = "", lpn = ""]] of [[there, "L1"], [there, "L2"], [back, "L2"], [there, "L9"]]
        .entries()
    ) {
      const event = await dockline.recordPallet(palletOf("SO-1", lpn, way, `e${index}`), client)
      assert.isTrue(event.ok, JSON.stringify(event))
    }
    await dockline.depart(id, { occurredAt: "2026-11-20T22:05:00Z" }, client)
    const tell = (before?: ReadonlyArray<string>, partner = supplier) =>
      world.run((exchange) => exchange.tell(String(id), partner, before))
    return { id, tell, world }
  }

  it("is what passed the door of an outbound shipment: net pallets", async () => {
    const { tell, world } = await departed("OUTBOUND")
    await using _ = world
    const { text, unexpected } = await tell()
    assert.deepStrictEqual(unexpected, ["L9"])
    const lines = text.split("~\n")
    assert.deepStrictEqual(lines.filter((line) => /^(GS|ST|MAN|SN1|W12|W03)/.test(line)), [
      "GS*SH*123456789*SENDER*20261120*1705*51*X*004010",
      "ST*856*0001",
      "MAN*W*L1",
      "SN1**5*CA",
      "GS*SW*123456789*SENDER*20261120*1705*52*X*004010",
      "ST*945*0001",
      "MAN*W*L1",
      "W12*CC*5*5*0*CA**SK*SKU-1",
      "MAN*W*L2",
      "W12*CP*5*0*5*CA**SK*SKU-1",
      "MAN*W*L3",
      "W12*CP*5*0*5*CA**SK*SKU-1",
      "W03*5"
    ])
  })

  it("is not told again, and is a replacement where it differs from what was told before", async () => {
    const { tell, world } = await departed("OUTBOUND")
    await using _ = world
    const partner = { ...supplier, tells: ["856"] as const }
    const { text } = await tell(undefined, partner)
    assert.include(text, "BSN*00*SO-1")
    assert.strictEqual((await tell([text], partner)).text, "")
    assert.include((await tell([text.replace("SKU-1", "SKU-2")], partner)).text, "BSN*05*SO-1")
    assert.include((await tell([text.replaceAll("SO-1", "SO-2")], partner)).text, "BSN*00*SO-1")
  })

  it("is not told again in advices either, and one that differs is named", async () => {
    const { tell, world } = await departed("OUTBOUND")
    await using _ = world
    const { corrections, text } = await tell()
    assert.isEmpty(corrections)
    assert.deepInclude(await tell([text]), { text: "", corrections: [] })
    const other = text.replace("W03*5", "W03*6")
    const again = await tell([other])
    assert.deepStrictEqual(again.corrections, [{ id: "945", number: "SO-1" }])
    assert.deepStrictEqual(again.text.split("~\n").filter((line) => line.startsWith("ST")), ["ST*945*0001"])
    // The newest advice about a subject counts, whatever the older ones say.
    assert.strictEqual((await tell([again.text, other])).text, "")
    assert.deepStrictEqual((await tell([other, text])).corrections, again.corrections)
    const inbound = await departed("INBOUND")
    await using __ = inbound.world
    const advice = (await inbound.tell()).text
    assert.strictEqual((await inbound.tell([advice])).text, "")
    assert.deepStrictEqual((await inbound.tell([advice.replace("W14*5", "W14*6")])).corrections, [
      { id: "944", number: "SO-1" }
    ])
  })

  it("is what X12 can hold, with the sets that it cannot", async () => {
    await using world = await open()
    const { dockline } = world
    const item = { sku: "SKU-1", quantity: 5, quantityUnit: "CASE" } as const
    const receipt = await dockline.submit({
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      shipmentNumber: "S-1",
      orders: [{ orderNumber: "SO-1", items: [{ ...item, lpn: "L1" }] }, {
        orderNumber: "SO~2",
        items: [{ ...item, lpn: "L2" }]
      }]
    }, client)
    const id = receipt.ok ? String(receipt.value.shipment.id) : ""
    for (const lpn of ["L1", "L2"]) {
      await dockline.recordPallet(palletOf("S-1", lpn, "LOADING"), client)
    }
    await dockline.depart(id, { occurredAt: "2026-11-20T22:05:00Z" }, client)
    const tell = (partner = supplier) => world.run((exchange) => exchange.tell(id, partner))
    const { text, unwritten } = await tell()
    assert.deepStrictEqual(text.split("~\n").filter((line) => /^(GS|ST|W06|W03)/.test(line)), [
      "GS*SW*123456789*SENDER*20261120*1705*51*X*004010",
      "ST*945*0001",
      "W06*F*SO-1*20261120*S-1",
      "W03*5"
    ])
    const detail = "holds the delimiter ~"
    assert.deepStrictEqual(unwritten, [
      {
        id: "856",
        number: "S-1",
        faults: [{ place: "PRF01", value: "SO~2", detail }, { place: "REF02", value: "SO~2", detail }]
      },
      { id: "945", number: "SO~2", faults: [{ place: "W0602", value: "SO~2", detail }] }
    ])
    const none = await tell({ ...supplier, tells: ["856"] })
    assert.deepStrictEqual([none.text, none.sets, none.unwritten], ["", [], unwritten.slice(0, 1)])
  })

  it("can be taken by the partner's own service as what it expects", async () => {
    const { tell, world } = await departed("OUTBOUND")
    await using _ = world
    const { text } = await tell(undefined, { ...supplier, tells: ["856"] })
    await using there = await open([{ ...supplier, ours: supplier.theirs, theirs: supplier.ours }])
    const [set] = sets(await there.run(take(text)))
    assert.strictEqual(set!.outcome, "ACCEPTED")
    const page = await there.dockline.shipments({ shipmentNumber: "SO-1" }, client)
    assert.deepStrictEqual(
      page.ok && page.value.items.map(({ direction, progress }) => [direction, progress.expectedPallets]),
      [["INBOUND", 1]]
    )
  })

  it("is nothing before departure", async () => {
    await using world = await open()
    const receipt = await world.dockline.submit(
      { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "SO-1" },
      client
    )
    const id = receipt.ok ? String(receipt.value.shipment.id) : ""
    const advice = await world.run((exchange) => exchange.tell(id, supplier))
    assert.deepStrictEqual(advice, {
      text: "",
      sets: [],
      unexpected: [],
      corrections: [],
      unwritten: [],
      notes: []
    })
  })
})
