/** D23: what partners are told of lines as they sent them, and what the record says where that is not all. */
import { assert, describe, it } from "vitest"
import { fileWith } from "../Files.ts"
import { client, open, palletOf } from "./World.ts"

type World = Awaited<ReturnType<typeof open>>

/** Orders what the lines say, loads pallets, lets the truck leave, and shows what was told of it. */
const ship = async (world: World, lines: ReadonlyArray<string>, lpns: ReadonlyArray<string>) => {
  const [came] = await world.run((exchange) => exchange.take(fileWith("940", "OW", lines), client))
  const [set] = came!.file.sets
  for (const lpn of lpns) {
    const seen = await world.dockline.recordPallet(palletOf("SO-1", lpn, "LOADING"), client)
    if (!seen.ok) throw seen.error
  }
  if (lpns.length === 0) {
    const at = { occurredAt: "2026-11-20T20:00:00Z", dockSlug: "D1" }
    await world.dockline.arrive(set!.shipmentId, at, client)
  }
  const left = await world.dockline.depart(set!.shipmentId, { occurredAt: "2026-11-20T21:00:00Z" }, client)
  if (!left.ok) throw left.error
  await world.run((exchange) => exchange.tellAll)
  const [file] = await world.told()
  return { set: set!, file: file!, lines: file!.text.split("~").map((line) => line.trim()) }
}

const linesOf = (lines: ReadonlyArray<string>, ...ids: ReadonlyArray<string>) =>
  lines.filter((line) => ids.includes(line.split("*")[0] ?? ""))

const unmarked = ["W05*N*SO-1", "LX*1", "W01*300*CA*004600072183*SK*0172183000"]

describe("D23.3: lines without plates", () => {
  it("are told as they were ordered where pallets left that no order expects, which the record names", async () => {
    await using world = await open()
    const { file, lines, set } = await ship(world, unmarked, ["P-1", "P-2"])
    assert.deepStrictEqual([set.outcome, set.faults], ["ACCEPTED", []])
    assert.deepStrictEqual(linesOf(lines, "W12", "SN1", "MAN", "W03"), [
      "SN1**300*CA",
      "W12*CC*300*300*0*CA*004600072183*SK*0172183000",
      "W03*300"
    ])
    assert.deepStrictEqual(file.faults, [
      "Pallets passed that no order expects, so that no set names their goods: P-1, P-2.",
      "Lines without plates are told as moved in full, as nothing says better what was on the pallets: orders SO-1."
    ])
  })

  it("are short where no such pallet left; the ship notice that tells nothing says why", async () => {
    await using world = await open()
    const { file, lines } = await ship(world, unmarked, [])
    assert.deepStrictEqual(linesOf(lines, "W12", "SN1"), ["W12*CP*300*0*300*CA*004600072183*SK*0172183000"])
    assert.deepStrictEqual(file.sets.map(({ faults, kind, outcome }) => [kind, outcome, faults]), [
      ["945", "WAITING", []],
      ["856", "UNWRITTEN", [
        "HL cannot be written, as nothing that was expected has passed the door: SO-1"
      ]]
    ])
  })

  it("are told beside those with plates", async () => {
    await using world = await open()
    const lines = ["W05*N*SO-1", "LX*1", "MAN*W*P-1", "W01*12*CA**SK*A", "LX*2", "W01*30*CA**SK*B"]
    const first = await ship(world, lines, ["P-1"])
    assert.deepStrictEqual(linesOf(first.lines, "W12"), [
      "W12*CC*12*12*0*CA**SK*A",
      "W12*CP*30*0*30*CA**SK*B"
    ])
  })

  it("of 0 are left out", async () => {
    await using world = await open()
    const lines = [
      "W05*N*SO-1",
      "LX*1",
      "MAN*W*P-1",
      "W01*12*CA**SK*A",
      "W01*0*CA**SK*B",
      "LX*2",
      "W01*0*CA**SK*C"
    ]
    const { lines: told } = await ship(world, lines, ["P-1", "P-9"])
    assert.deepStrictEqual(linesOf(told, "W12", "SN1"), ["SN1**12*CA", "W12*CC*12*12*0*CA**SK*A"])
  })
})

describe("D23.3: an advice that could not be written", () => {
  it("is on record with the reason", async () => {
    await using world = await open()
    const { file } = await ship(world, ["W05*N*SO-1", "W76*12"], ["P-1"])
    assert.deepStrictEqual([file.text, file.outcome], ["", "UNWRITTEN"])
    assert.deepStrictEqual(file.sets.map(({ faults, kind, number }) => [kind, number, faults]), [
      ["856", "SO-1", ["HL cannot be written, as nothing that was expected has passed the door: SO-1"]],
      ["945", "SO-1", ["LX cannot be written, as the order has no line with a quantity: SO-1"]]
    ])
    assert.deepStrictEqual(file.faults, [
      "Pallets passed that no order expects, so that no set names their goods: P-1."
    ])
  })

  it("in characters of X12 is written, and the record names them", async () => {
    await using world = await open()
    const lines = ["W05*N*SO-1", "N1*ST*日本", "LX*1", "MAN*W*P-1", "W01*12*CA**SK*Ä1"]
    const { file } = await ship(world, lines, ["P-1"])
    assert.deepStrictEqual(file.faults, [
      "N102 of the 856 has the character 日, which X12 does not have: not every partner can read it.",
      "N102 of the 945 has the character 日, which X12 does not have: not every partner can read it."
    ])
  })
})

describe("D23.5: advices repeat the partner's words", () => {
  it.each([
    ["CT", "VN"],
    ["BX", "SK"],
    ["CA", "UP"],
    ["PL", "CB"],
    ["UN", "BP"],
    ["PC", "EN"],
    ["LB", "IN"]
  ])("%s and %s of a warehouse order", async (unit, qualifier) => {
    await using world = await open()
    const lines = [
      "W05*N*SO-1",
      "LX*1",
      "MAN*W*P-1",
      `W01*12*${unit}**${qualifier}*A`,
      "LX*2",
      "MAN*W*P-2",
      "W01*5*EA**SK*B",
      "LX*3",
      `W01*7*${unit}**${qualifier}*C`
    ]
    const { lines: told } = await ship(world, lines, ["P-1", "P-2", "P-9"])
    assert.deepStrictEqual(linesOf(told, "LIN", "SN1", "W12"), [
      `LIN**${qualifier}*A`,
      `SN1**12*${unit}`,
      "LIN**SK*B",
      "SN1**5*EA",
      `LIN**${qualifier}*C`,
      `SN1**7*${unit}`,
      `W12*CC*12*12*0*${unit}**${qualifier}*A`,
      "W12*CC*5*5*0*EA**SK*B",
      `W12*CC*7*7*0*${unit}**${qualifier}*C`
    ])
  })

  it("of a ship notice, until other words are said, or another unit holds", async () => {
    await using world = await open()
    const notice = (...goods: ReadonlyArray<string>) =>
      fileWith("856", "SH", [
        "BSN*00*S-1*20261120*1700",
        "HL*1**S",
        "HL*2*1*O",
        "PRF*PO-1",
        "HL*3*2*T",
        "MAN*W*P-1",
        "HL*4*3*I",
        ...goods
      ])
    const take = (text: string) => world.run((exchange) => exchange.take(text, client))
    await take(notice("LIN**VN*A", "SN1**12*BX"))
    await take(notice("LIN**VP*A", "SN1**10*CT", "HL*5*3*I", "LIN**VN*B", "SN1**3*PC"))
    const document = {
      business: "acme",
      facility: "east",
      direction: "INBOUND",
      shipmentNumber: "S-1"
    } as const
    const item = { lpn: "P-1", sku: "B", quantity: 2, quantityUnit: "CASE" } as const
    const orders = [{ orderNumber: "PO-1", orderItemUpdateStrategy: "MERGE" as const, items: [item] }]
    const changed = await world.dockline.submit({ ...document, orders }, client)
    if (!changed.ok) throw changed.error
    await world.depart("S-1", "P-1")
    await world.run((exchange) => exchange.tellAll)
    const [file] = await world.told()
    assert.deepStrictEqual(linesOf(file!.text.split("~").map((line) => line.trim()), "W07"), [
      "W07*10*CT**VP*A",
      "W07*2*CA**VN*B"
    ])
  })
})
