import { checkFieldMap } from "@dockline/core/places/MessageField"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { elementsOf, partOf } from "../../src/labels/Lpn.ts"
import { customerFields } from "../../src/places/MessageField.ts"

const sscc = "106141411234567897"
const gtin = "09506000134352"
const gs = "\u001d"

const textOf = (scan: string): string | undefined =>
  elementsOf(scan)?.map(({ ai, value }) => `${ai}=${value}`).join(" ")

describe("D22.4 the elements of a scan", () => {
  it.each(
    [
      [`]C101${gtin}1730123110LOT/7`, `01=${gtin} 17=301231 10=LOT/7`],
      [`]C110LOT${gs}3712${gs}01${gtin}`, `10=LOT 37=12 01=${gtin}`],
      [`01${gtin}10A${gs}21B`, `01=${gtin} 10=A 21=B`],
      [`01${gtin}10A`, `01=${gtin} 10=A`],
      [`00${sscc}`, `00=${sscc}`],
      [`]d2${gs}01${gtin}${gs}310300125024012`, `01=${gtin} 3103=001250 240=12`],
      [`]d201${gtin}3103001250240AB-1`, `01=${gtin} 3103=001250 240=AB-1`],
      [`]e001${gtin}`, `01=${gtin}`],
      [`]C1414${gtin.slice(1)}70030401011200`, `414=${gtin.slice(1)} 7003=0401011200`],
      [`(01)${gtin}(17)301231(10)LOT(A)`, `01=${gtin} 17=301231 10=LOT(A)`],
      [`https://id.gs1.org/01/9506000134352/10/LOT%2F7?17=301231&x=1`, `01=${gtin} 10=LOT/7 17=301231`],
      [`https://example.com/a/b/00/${sscc}?37=12;10=A#t`, `00=${sscc} 37=12 10=A`],
      [`]Q1https://example.com/01/${gtin}`, `01=${gtin}`],
      // What does not say that it is an element string is none.
      ["10LOT", undefined],
      ["1730123110LOT", undefined],
      [`01${gtin.slice(0, -1)}010A`, undefined],
      [sscc, undefined],
      ["", undefined],
      ["(10)", undefined],
      ["(05)A", undefined],
      ["(AB)12", undefined],
      [`(AB)12(00)${sscc}`, undefined],
      [`]C101${gtin.slice(1)}`, undefined],
      [`]C117A0123110A`, undefined],
      [`]C1${gs}`, undefined],
      [`]C110A\u200b`, undefined],
      ["https://example.com/10/LOT", undefined],
      ["https://example.com/01/%zz", undefined]
    ] as const
  )("%j: %j", (scan, elements) => {
    assert.strictEqual(textOf(scan), elements)
  })

  it("have dates of the century that is near", () => {
    const cases = [
      ["17", "301231", "2026", "2030-12-31"],
      ["17", "300200", "2026", "2030-02-28"],
      ["17", "280200", "2026", "2028-02-29"],
      ["15", "760101", "2026", "2076-01-01"],
      ["15", "770101", "2026", "1977-01-01"],
      ["11", "991231", "2000", "1999-12-31"],
      ["11", "490101", "2099", "2149-01-01"],
      ["11", "500101", "2099", "2050-01-01"],
      ["17", "300230", "2026", undefined],
      ["17", "301300", "2026", undefined],
      ["17", "300001", "2026", undefined],
      ["10", "300200", "2026", "300200"]
    ] as const
    for (const [ai, value, year, expected] of cases) {
      assert.strictEqual(
        partOf({ ai, value }, `${year}-11-20T17:00:00.000Z`)[0],
        expected,
        `${ai} ${value} ${year}`
      )
    }
  })
})

describe("D22.4 a field map", () => {
  const map = (label: string, list = false) => [{ name: "F", label, list }]
  const labels = [
    { name: "lpn", value: `]C100${sscc}` },
    { name: "content", value: `]C110A${gs}17301231` },
    { name: "more", value: `(10)B(17)301231` },
    { name: "gs1:10", value: "own" },
    { name: "free", value: "10C" }
  ]
  const at = "2026-11-20T17:00:00.000Z"

  it("asks for parts of any label by their application identifier, each once", () => {
    const cases = [
      [map("gs1:00"), sscc],
      [map("gs1:10"), "own"],
      [map("gs1:10", true), ["own", "A", "B"]],
      [map("gs1:17", true), ["2030-12-31"]],
      [map("gs1:37"), ""],
      [map("gs1:37", true), []]
    ] as const
    for (const [fields, value] of cases) {
      assert.deepStrictEqual(customerFields(fields, labels, at), { F: value })
    }
  })

  it("is refused with what is no application identifier", () => {
    for (const label of ["gs1:10", "gs1:3103", "gs1:414", "GS1:x", "gs1"]) {
      assert.isTrue(Result.isSuccess(checkFieldMap(map(label))), label)
    }
    for (const label of ["gs1:", "gs1:lot", "gs1:1", "gs1:310", "gs1:05", "gs1:10 "]) {
      assert.isTrue(Result.isFailure(checkFieldMap(map(label))), label)
    }
  })
})
