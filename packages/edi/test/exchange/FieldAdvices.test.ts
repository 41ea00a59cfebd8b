/** D23: partners are told about lines in the words that they sent, and the record notes what is left out. */
import { assert, describe, it } from "vitest"
import { fileWith } from "../Files.ts"
import { client, open, palletOf } from "./World.ts"

type World = Awaited<ReturnType<typeof open>>

/** Orders the lines, loads pallets, lets the truck leave, and returns the resulting advice. */
const ship = async (world: World, lines: ReadonlyArray<string>, lpns: ReadonlyArray<string>) => {
  const [came] = await world.run((exchange) => exchange.take(fileWith("940", "OW", lines), client))
  const [set] = came!.file.sets
  for (const lpn of lpns) {
    const event = await world.dockline.recordPallet(palletOf("SO-1", lpn, "LOADING"), client)
    if (!event.ok) throw event.error
  }
  if (lpns.length === 0) {
    const at = { occurredAt: "2026-11-20T20:00:00Z", dockSlug: "D1" }
    await world.dockline.arrive(set!.shipmentId, at, client)
  }
  const departureEvent = await world.dockline.depart(
    set!.shipmentId,
    { occurredAt: "2026-11-20T21:00:00Z" },
    client
  )
  if (!departureEvent.ok) throw departureEvent.error
  await world.run((exchange) => exchange.tellAll)
  const [file] = await world.told()
  return { set: set!, file: file!, lines: file!.text.split("~").map((line) => line.trim()) }
}

const linesOf = (lines: ReadonlyArray<string>, ...ids: ReadonlyArray<string>) =>
  lines.filter((line) => ids.includes(line.split("*")[0] ?? ""))

const plainLines = ["W05*N*SO-1", "LX*1", "W01*300*CA*004600072183*SK*0172183000"]

describe("D23.3: lines without plates", () => {
  it("are told as they were ordered where pallets left that no order expects, which the record names", async () => {
    await using world = await open()
    const { file, lines, set } = await ship(world, plainLines, ["P-1", "P-2"])
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
    const { file, lines } = await ship(world, plainLines, [])
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
    const { lines: advice } = await ship(world, lines, ["P-1", "P-9"])
    assert.deepStrictEqual(linesOf(advice, "W12", "SN1"), ["SN1**12*CA", "W12*CC*12*12*0*CA**SK*A"])
  })
})

describe("D23.3: a pallet whose lines are all 0", () => {
  it("is left out with them", async () => {
    await using world = await open()
    const lines = ["W05*N*SO-1", "LX*1", "MAN*W*P-1", "W01*0*CA**SK*A", "LX*2", "MAN*W*P-2", "W01*3*CA**SK*B"]
    const { file, lines: advice } = await ship(world, lines, ["P-1", "P-2"])
    assert.deepStrictEqual(linesOf(advice, "MAN", "LX", "W12"), [
      "MAN*W*P-2",
      "LX*1",
      "MAN*W*P-2",
      "W12*CC*3*3*0*CA**SK*B"
    ])
    assert.deepStrictEqual(linesOf(advice, "TD1"), ["TD1*PLT*1"])
    assert.deepStrictEqual(file.faults, [])
  })

  it("is no advice where the order has nothing else", async () => {
    await using world = await open()
    const { file } = await ship(world, ["W05*N*SO-1", "LX*1", "MAN*W*P-1", "W01*0*CA**SK*A"], ["P-1"])
    assert.deepStrictEqual(file.sets.map(({ kind, outcome }) => [kind, outcome]), [
      ["856", "UNWRITTEN"],
      ["945", "UNWRITTEN"]
    ])
  })
})

describe("D23.3: an advice that could not be written", () => {
  it("is on record beside others that could not, each with its own reason", async () => {
    await using world = await open()
    const number = "Z".repeat(35)
    const { file } = await ship(world, [
      `W05*N*${number}`,
      "N9*LO*SO-1",
      "LX*1",
      "MAN*W*P-1",
      "W01*5*CA**SK*A"
    ], ["P-1"])
    assert.deepStrictEqual([file.text, file.control, file.outcome], ["", "", "UNWRITTEN"])
    assert.deepStrictEqual(
      file.sets.map(({ faults, kind, number }) => [kind, number, faults.map((fault) => fault.slice(0, 5))]),
      [["856", "SO-1", ["REF02"]], ["945", number, ["W0602"]]]
    )
  })

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
    const { lines: advice } = await ship(world, lines, ["P-1", "P-2", "P-9"])
    assert.deepStrictEqual(linesOf(advice, "LIN", "SN1", "W12"), [
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

  /** A document of the customer's own system that gives the order these items. */
  const replate = (
    world: World,
    items: ReadonlyArray<readonly [lpn: string, sku: string, quantity: number, unit: "CASE" | "UNIT"]>,
    strategy: "OVERWRITE" | "APPEND" | "MERGE" = "OVERWRITE"
  ) =>
    world.dockline.submit({
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      shipmentNumber: "SO-1",
      orders: [{
        orderNumber: "SO-1",
        orderItemUpdateStrategy: strategy,
        items: items.map(([lpn, sku, quantity, quantityUnit]) => ({ lpn, sku, quantity, quantityUnit }))
      }]
    }, client)

  it.each(
    [
      [
        "lines without plates that the warehouse names",
        ["LX*1", "W01*10*CT**VN*SA", "LX*2", "W01*4*LB**BP*SB"],
        [["P-1", "SA", 10, "CASE"], ["P-2", "SB", 4, "UNIT"]],
        "OVERWRITE",
        ["LIN**VN*SA", "SN1**10*CT", "LIN**BP*SB", "SN1**4*LB"]
      ],
      [
        "goods that move to other plates, some of a SKU in another unit",
        ["LX*1", "MAN*W*P-8", "W01*10*CT**VN*SA", "LX*2", "MAN*W*P-9", "W01*4*LB**BP*SB"],
        [["P-1", "SA", 9, "CASE"], ["P-2", "SA", 5, "UNIT"], ["P-2", "SB", 4, "UNIT"]],
        "OVERWRITE",
        ["LIN**VN*SA", "SN1**9*CT", "LIN**VN*SA", "SN1**5*EA", "LIN**BP*SB", "SN1**4*LB"]
      ],
      [
        "a SKU that only the customer added",
        ["LX*1", "MAN*W*P-1", "W01*10*CT**VN*SA"],
        [["P-2", "OWN", 4, "CASE"]],
        "APPEND",
        ["LIN**VN*SA", "SN1**10*CT", "LIN**SK*OWN", "SN1**4*CA"]
      ],
      [
        "a SKU that stands in for another on its plate",
        ["LX*1", "MAN*W*P-1", "W01*10*CT**VN*SA"],
        [["P-1", "SUB", 10, "CASE"]],
        "OVERWRITE",
        ["LIN**SK*SUB", "SN1**10*CA"]
      ],
      [
        "one of two lines that is put on a plate",
        ["LX*1", "W01*10*CT**VN*SA", "LX*2", "W01*4*BX**BP*SB"],
        [["P-1", "SB", 4, "CASE"]],
        "APPEND",
        ["LIN**BP*SB", "SN1**4*BX"]
      ],
      [
        "a SKU that is said in two ways, each by its plate",
        ["LX*1", "MAN*W*P-1", "W01*10*CT**VN*SA", "LX*2", "MAN*W*P-2", "W01*4*BX**BP*SA"],
        [["P-1", "SA", 9, "CASE"]],
        "MERGE",
        ["LIN**VN*SA", "SN1**9*CT", "LIN**BP*SA", "SN1**4*BX"]
      ]
    ] as const
  )("of %s", async (_, lines, items, strategy, expected) => {
    await using world = await open()
    await world.run((exchange) => exchange.take(fileWith("940", "OW", ["W05*N*SO-1", ...lines]), client))
    const receipt = await replate(world, items, strategy)
    if (!receipt.ok) throw receipt.error
    for (const lpn of ["P-1", "P-2"].filter((lpn) => JSON.stringify([lines, items]).includes(lpn))) {
      const event = await world.dockline.recordPallet(palletOf("SO-1", lpn, "LOADING"), client)
      if (!event.ok) throw event.error
    }
    const { id } = receipt.value.shipment
    await world.dockline.depart(String(id), { occurredAt: "2026-11-20T21:00:00Z" }, client)
    await world.run((exchange) => exchange.tellAll)
    const [file] = await world.told()
    const lineTexts = file!.text.split("~").map((line) => line.trim())
    assert.deepStrictEqual(linesOf(lineTexts, "LIN", "SN1"), [...expected])
    // The advice has the same words.
    const words = linesOf(lineTexts, "W12").filter((line) => line.startsWith("W12*CC")).map((line) =>
      line.split("*")
    )
    assert.deepStrictEqual(
      words.flatMap(([, , quantity, , , unit, , qualifier, sku]) => [
        `LIN**${qualifier}*${sku}`,
        `SN1**${quantity}*${unit}`
      ]),
      [...expected]
    )
  })

  it("of goods that two lines say in two ways: the last, which is noted, on a pallet; each without one", async () => {
    await using world = await open()
    const { lines, set } = await ship(world, [
      "W05*N*SO-1",
      "LX*1",
      "MAN*W*P-1",
      "W01*10*CT**VN*A",
      "W01*2*CA**SK*A",
      "LX*2",
      "W01*5*CT**VN*B",
      "LX*3",
      "W01*7*CT**SK*B"
    ], ["P-1", "P-9"])
    assert.deepStrictEqual([set.outcome, set.faults], ["NOTED", [
      "Segment 8 (W01, 6 of its set), element 2: an earlier line says the same goods as CT VN: all of them are told as CA SK. \
Say a SKU on a pallet with one code of the unit and one qualifier."
    ]])
    assert.deepStrictEqual(linesOf(lines, "W12"), [
      "W12*CC*12*12*0*CA**SK*A",
      "W12*CC*5*5*0*CT**VN*B",
      "W12*CC*7*7*0*CT**SK*B"
    ])
  })

  it("of a code of trade items that stands in its own place: there, or behind its qualifier", async () => {
    await using world = await open()
    const { lines } = await ship(
      world,
      ["W05*N*SO-1", "LX*1", "MAN*W*P-1", "W01*10*CT*036000291452", "LX*2", "W01*2*CT**UP*036000291469"],
      ["P-1", "P-9"]
    )
    assert.deepStrictEqual(linesOf(lines, "LIN", "W12"), [
      "LIN**UP*036000291452",
      "LIN**UP*036000291469",
      "W12*CC*10*10*0*CT*036000291452",
      "W12*CC*2*2*0*CT*036000291469*UP*036000291469"
    ])
  })

  it("of a ship notice that changes some of its goods: what is said of the others holds", async () => {
    await using world = await open()
    const notice = (purpose: string, ...goods: ReadonlyArray<string>) =>
      fileWith("856", "SH", [
        `BSN*${purpose}*S-1*20261120*1700`,
        "HL*1**S",
        "HL*2*1*O",
        "PRF*PO-1",
        "HL*3*2*T",
        "MAN*W*P-1",
        ...goods
      ])
    const take = (text: string) => world.run((exchange) => exchange.take(text, client))
    await take(notice("00", "HL*4*3*I", "LIN**VN*A", "SN1**12*BX", "HL*5*3*I", "LIN**VP*B", "SN1**3*PC"))
    await take(notice("04", "HL*4*3*I", "LIN**SK*B", "SN1**4*EA"))
    await world.depart("S-1", "P-1")
    await world.run((exchange) => exchange.tellAll)
    const [file] = await world.told()
    assert.deepStrictEqual(linesOf(file!.text.split("~").map((line) => line.trim()), "W07"), [
      "W07*12*BX**VN*A",
      "W07*4*EA**SK*B"
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
    const receipt = await world.dockline.submit({ ...document, orders }, client)
    if (!receipt.ok) throw receipt.error
    await world.depart("S-1", "P-1")
    await world.run((exchange) => exchange.tellAll)
    const [file] = await world.told()
    assert.deepStrictEqual(linesOf(file!.text.split("~").map((line) => line.trim()), "W07"), [
      "W07*10*CT**VP*A",
      "W07*2*CA**VN*B"
    ])
  })
})

describe("D23.1: what an order still expects though a set says otherwise", () => {
  const lines = ["LX*1", "W01*2*CA**SK*A", "LX*2", "W01*3*CA**SK*B"]
  const fault = "the shipment still expects the order SO-1, of which the set has no item"
  const total = "the order SO-1 still expects 5 in all, as a document cannot say that it expects nothing"
  const ofNotice = (purpose: string, ...goods: ReadonlyArray<string>) => [
    `BSN*${purpose}*S-1*20261120*1700`,
    "HL*1**S",
    "HL*2*1*O",
    "PRF*PO-1",
    ...goods
  ]

  it.each([
    ["a replacement without lines", "940", ["W05*R*SO-1"], fault],
    ["the order anew without lines", "940", ["W05*N*SO-1"], fault],
    ["a replacement with lines of 0", "940", ["W05*R*SO-1", "LX*1", "W01*0*CA**SK*A"], total],
    ["a replacement of other lines", "940", ["W05*R*SO-1", "LX*1", "W01*1*CA**SK*A"], undefined],
    ["a notice anew without items", "856", ofNotice("00"), fault.replace("SO-1", "PO-1")],
    ["a replacement without items", "856", ofNotice("05"), fault.replace("SO-1", "PO-1")],
    [
      "a notice of 0",
      "856",
      ofNotice("05", "HL*3*2*I", "LIN**SK*A", "SN1**0*CA"),
      total.replace("SO-1", "PO-1")
    ]
  ])("is noted: %s", async (_, kind, again, fault) => {
    await using world = await open()
    const take = (lines: ReadonlyArray<string>) =>
      world.run((exchange) => exchange.take(fileWith(kind, kind === "940" ? "OW" : "SH", lines), client))
    const first = kind === "940"
      ? ["W05*N*SO-1", ...lines]
      : ofNotice("00", "HL*3*2*I", "LIN**SK*A", "SN1**5*CA")
    const [before] = await take(first)
    assert.notInclude(before!.file.sets[0]!.faults.join(), "still expects")
    const [receipt] = await take(again)
    const faults = receipt!.file.sets[0]!.faults.filter((each) =>
      !each.includes("stands on no marked pallet")
    )
    assert.lengthOf(faults, fault === undefined ? 0 : 1)
    if (fault !== undefined) assert.include(faults[0], fault)
  })
})
