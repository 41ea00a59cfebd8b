import { hasCheckDigit, lpnKey, ssccOf } from "@dockline/core/labels/Lpn"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"

const sscc = "106141411234567897"
const gs = "\u001d"

const identifiers = ["]C1", "]d2", "]Q3", "]e0", "]e1", "]e2", "]J1"]

/** Every form in which scanners send an SSCC. */
const formsOf = (code: string): ReadonlyArray<string> => {
  const texts = [code, `00${code}`, `(00)${code}`]
  const strings = [
    ...texts,
    `00${code}10LOT 7${gs}3712`,
    `10LOT-7${gs}00${code}`,
    `02095060001343523712${gs}00${code}`,
    `${gs}00${code}${gs}17260101${gs}`,
    `(00)${code}(10)LOT(7)(37)12`,
    `(02)09506000134352(37)12(00)${code}`
  ]
  const links = [
    `https://id.gs1.org/00/${code}`,
    `HTTP://ID.GS1.ORG:8080/00/${code}`,
    `https://example.com/some/path/00/${code}/`,
    `https://example.com/00/${code}?10=LOT&37=12#top`,
    `https://example.com/01/09506000134352/00/${code}/10/LOT`,
    `https://example.com/00/${code}#/00/1`
  ]
  return [
    ...texts.flatMap((text) => [text, `${gs}${text}`, `${text}${gs}`]),
    ...strings.filter((text) => text.includes(gs) || text.startsWith("(")),
    ...identifiers.flatMap((identifier) => strings.map((text) => `${identifier}${text}`)),
    ...links,
    ...links.flatMap((text) => [`]Q1${text}`, `]d1${text}`])
  ]
}

const codes = FastCheck.stringMatching(/^\d{18}$/)

// @threat reports.4
describe("D22.1 the key of an LPN", () => {
  it("is the same for all forms of an SSCC, whatever its check digit", () => {
    FastCheck.assert(FastCheck.property(codes, (code) => {
      for (const form of formsOf(code)) assert.strictEqual(lpnKey(form), code, JSON.stringify(form))
    }))
  })

  it.each([
    "",
    "LPN-1",
    ` ${sscc}`,
    `${sscc}\n`,
    sscc.slice(1),
    `0${sscc}`,
    `${sscc}00`,
    `000${sscc}`,
    `00${sscc}10LOT`,
    "000000000000000000100001",
    `(01)09506000134352`,
    `(00) ${sscc}`,
    `(00)${sscc}0`,
    `(00)${sscc} `,
    `(00)${sscc}(00)306141411234567895`,
    `(0)0${sscc}`,
    `]C0${sscc}`,
    `]c1${sscc}`,
    `]C1${sscc}0`,
    `]C101${sscc}`,
    `]C100${sscc}\u200b`,
    `]C100${sscc}05LOT`,
    `]C100${sscc}1`,
    `]C10010614141123${gs}4567897`,
    `00${sscc}${gs}00306141411234567895`,
    `https://example.com/00/${sscc}0`,
    `https://example.com/0/${sscc}`,
    `https://example.com/x00/${sscc}`,
    `https://example.com/?00=${sscc}`,
    `https://example.com/01/09506000134352?x=/00/${sscc}`,
    `ftp://example.com/00/${sscc}`,
    `https:///00/${sscc}`,
    `https://example.com/00/${sscc}/\u200b`,
    "٠٠١٠٦١٤١٤١١٢٣٤٥٦٧٨٩٧"
  ])("is the text itself for %j, which is no SSCC", (text) => {
    assert.strictEqual(lpnKey(text), text)
    assert.isUndefined(ssccOf(text))
  })

  it("never is the same for two texts unless both are forms of the same SSCC, and is its own key", () => {
    const part = FastCheck.oneof(
      codes,
      FastCheck.constantFrom(
        ...identifiers,
        gs,
        "00",
        "(00)",
        "10",
        "(10)",
        "37",
        "LOT",
        "https://a/",
        "/00/",
        "]C0",
        " "
      ),
      FastCheck.string({ maxLength: 4 })
    )
    const texts = FastCheck.array(part, { maxLength: 5 }).map((parts) => parts.join(""))
    FastCheck.assert(
      FastCheck.property(texts, texts, (left, right) => {
        for (const text of [left, right]) {
          const key = lpnKey(text)
          assert.strictEqual(lpnKey(key), key)
          // Whatever has another key holds all digits of its SSCC.
          if (key !== text) assert.isTrue(/^\d{18}$/.test(key) && text.includes(key))
        }
        if (left !== right && lpnKey(left) === lpnKey(right)) assert.strictEqual(ssccOf(left), ssccOf(right))
        if (ssccOf(left) === undefined && ssccOf(right) === undefined) {
          assert.strictEqual(lpnKey(left) === lpnKey(right), left === right)
        }
      }),
      { numRuns: 1000 }
    )
  })

  it("takes no time that grows faster than a text of any length", () => {
    for (
      const text of ["(00)", "](", gs, "00", "(10)x", "https://a/00/", "10x\u001d"].map((part) =>
        part.repeat(100_000)
      )
    ) {
      assert.strictEqual(lpnKey(text), text)
    }
  })

  it("has a check digit that fits, or not", () => {
    assert.isTrue(hasCheckDigit(sscc))
    // The examples of GS1's General Specifications and of its calculator.
    for (
      const number of ["106141411234567897", "376104250021234569", "340123450000000000", "09506000134352"]
    ) {
      assert.isTrue(hasCheckDigit(number))
      assert.isFalse(hasCheckDigit(`${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`))
    }
    assert.isFalse(hasCheckDigit("106141411234567890"))
  })
})
