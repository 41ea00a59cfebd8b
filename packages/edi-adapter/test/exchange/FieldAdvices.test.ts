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
