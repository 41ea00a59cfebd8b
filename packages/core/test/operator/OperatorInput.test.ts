import { assert, describe, it } from "@effect/vitest"
import * as OperatorInput from "../../src/operator/internal/OperatorInput.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { invalid, malformed, requestFaultsOf } from "../Reading.ts"
import { readWith } from "./OperatorServices.ts"

const long = (length: number) => "x".repeat(length)

const slugFault = "must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"

describe("D1.4, D11 businesses, facilities and docks", () => {
  const { readBusiness, readFacility, readRename, readDock } = OperatorInput

  it.each(["a", "0", "acme", "a-", "a--b-9", long(63)])("the slug %s", (slug) => {
    for (const read of [readBusiness, readFacility]) {
      assert.deepStrictEqual(readWith(read, { slug, name: "Acme" }), { slug, name: "Acme" })
    }
  })

  it.each(["", "-a", "A", "ä", "a_b", "a b", "a/b", "*", long(64), "a\n"])("no slug: %j", (slug) => {
    for (const read of [readBusiness, readFacility]) {
      assert.deepStrictEqual(requestFaultsOf(read, { slug, name: "Acme" }), invalid(["slug", slugFault]))
    }
  })

  it.each(
    [
      [{ name: long(200) }, undefined],
      [{ name: "\u{1f69a}".repeat(200) }, undefined],
      [{ name: "" }, invalid(["name", "is required"])],
      [{ name: null }, invalid(["name", "is required"])],
      [{ name: long(201) }, invalid(["name", "must be at most 200 characters long"])],
      [{ name: "\u{1f69a}".repeat(201) }, invalid(["name", "must be at most 200 characters long"])],
      [{ name: "a\nb" }, invalid(["name", "must not contain control characters"])],
      [{ name: "\u009b31m" }, invalid(["name", "must not contain control characters"])],
      [{ name: 1 }, malformed(["name", "must be a string, not a number"])]
    ] as const
  )("the name %j", (raw, faults) => {
    if (faults === undefined) assert.deepStrictEqual(readWith(readRename, raw), raw)
    else assert.deepStrictEqual(requestFaultsOf(readRename, raw), faults)
  })

  it.each(["D1", " ", "ä/ö", long(64), "\u{1f69a}".repeat(64)])("documents may name a dock %j", (slug) => {
    assert.deepStrictEqual(readWith(readDock, { slug }), { slug })
  })

  it.each(
    [
      ["", "is required"],
      [long(65), "must be at most 64 characters long"],
      ["a\0b", "must not contain the character NUL"]
    ] as const
  )("no dock: %j", (slug, detail) => {
    assert.deepStrictEqual(requestFaultsOf(readDock, { slug }), invalid(["slug", detail]))
  })

  it("unknown fields are refused, and every fault is named", () => {
    assert.deepStrictEqual(
      requestFaultsOf(readBusiness, { slug: "A", nmae: "Acme" }),
      malformed(
        ["nmae", "is not a field of a business; did you mean name?"],
        ["slug", slugFault],
        ["name", "is required"]
      )
    )
    assert.deepStrictEqual(requestFaultsOf(readRename, []), malformed(["", "must be an object, not a list"]))
  })
})

describe("D6.4, D11 field maps", () => {
  it("list is false when absent", () => {
    assert.deepStrictEqual(
      readWith(OperatorInput.readFieldMap, [
        { name: "LPN", label: "lpn" },
        { name: "SKUs", label: "sku", list: true },
        { name: "Lot", label: "lot", list: null }
      ]),
      [
        { name: "LPN", label: "lpn", list: false },
        { name: "SKUs", label: "sku", list: true },
        { name: "Lot", label: "lot", list: false }
      ]
    )
    assert.deepStrictEqual(readWith(OperatorInput.readFieldMap, []), [])
  })

  it("every fault is named with its place", () => {
    assert.deepStrictEqual(
      requestFaultsOf(OperatorInput.readFieldMap, [{ name: "", label: 1, list: "yes" }, { extra: 1 }, null]),
      malformed(
        ["[0].name", "is required"],
        ["[0].label", "must be a string, not a number"],
        ["[0].list", "must be true or false, not a string"],
        ["[1].extra", "is not a field of a field map; check its spelling"],
        ["[1].name", "is required"],
        ["[1].label", "is required"],
        ["[2]", "must be an object, not null"]
      )
    )
    assert.deepStrictEqual(
      requestFaultsOf(OperatorInput.readFieldMap, { fields: [] }),
      malformed(["", "must be a list, not an object"])
    )
    assert.deepStrictEqual(
      requestFaultsOf(OperatorInput.readFieldMap, Array.from({ length: 51 }, () => 1)),
      invalid(["", "must hold at most 50 entries"])
    )
  })
})

describe("D11 replays", () => {
  it.each(
    [
      [{ fromId: 1, toId: 9 }, { fromId: 1, toId: 9 }],
      [{ fromId: 9, toId: 9, from: null }, { fromId: 9, toId: 9 }],
      [
        { from: "2026-11-20T18:00:00+01:00", to: "2026-11-20T17:00:00Z" },
        { from: Timestamp.of("2026-11-20T17:00:00.000Z"), to: Timestamp.of("2026-11-20T17:00:00.000Z") }
      ]
    ] as const
  )("%j", (raw, range) => {
    assert.deepStrictEqual(readWith(OperatorInput.readReplay, raw), range)
  })

  const time = "2026-11-20T17:00:00Z"
  const noTime = "must be a date and time as in RFC 3339, such as 2026-11-20T17:00:00Z"

  it.each(
    [
      [{}, invalid(["", "must hold fromId and toId, or from and to"])],
      [{ fromId: 1 }, invalid(["toId", "is required"])],
      [{ to: time }, invalid(["from", "is required"])],
      [{ fromId: 2, toId: 1 }, invalid(["toId", "must not be less than fromId"])],
      [{ from: time, to: "2026-11-20T16:59:59Z" }, invalid(["to", "must not be before from"])],
      // As texts the second would come after the first.
      [{ from: time, to: "2026-11-20T17:30:00+01:00" }, invalid(["to", "must not be before from"])],
      [
        { fromId: 1, toId: 2, from: time },
        invalid(["from", "cannot be combined with ids; send ids or times"])
      ],
      [{ fromId: 1, to: time }, invalid(["to", "cannot be combined with ids; send ids or times"])],
      [
        { fromId: 0, toId: 1.5 },
        invalid(["fromId", "must be at least 1"], ["toId", "must be a whole number"])
      ],
      [{ from: "", to: "today" }, invalid(["from", "is required"], ["to", noTime])],
      [{ fromId: "1", toId: 2 }, malformed(["fromId", "must be a number, not a string"])],
      [[1, 9], malformed(["", "must be an object, not a list"])]
    ] as const
  )("%j is refused", (raw, faults) => {
    assert.deepStrictEqual(requestFaultsOf(OperatorInput.readReplay, raw), faults)
  })
})
