/** D9.6: whatever a customer's server makes of the secrets that it was sent, no record shows them. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { cpuMillis } from "../../../../test/support/CpuTime.ts"
import { hideSecrets } from "../../src/outbound/HiddenSecrets.ts"

type Encode = (text: string) => string

const bytesOf = (text: string): ReadonlyArray<number> => Array.from(Buffer.from(text))
const unitsOf = (text: string): ReadonlyArray<string> => text.split("")
const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, "0")
const inJson: Encode = (text) => JSON.stringify(text).slice(1, -1)
const percent = (byte: number): string => `%${hexOf(byte, 2)}`
const named: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#039;",
  "\u00e9": "&eacute;",
  "\u00ff": "&yuml;",
  "$": "&dollar;",
  ":": "&colon;"
}

const encodings: Readonly<Record<string, Encode>> = {
  raw: (text) => text,
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 without padding": (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 in lines": (text) => Buffer.from(text).toString("base64").replaceAll(/.{8}/g, "$&\r\n").trim(),
  JSON: inJson,
  "JSON of PHP": (text) =>
    inJson(text).replaceAll("/", "\\/").replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`
    ),
  "JSON, all in unicode": (text) =>
    unitsOf(text).map((unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`).join(""),
  "JSON, all in unicode, upper case": (text) =>
    unitsOf(text).map((unit) => `\\u${hexOf(unit.charCodeAt(0), 4).toUpperCase()}`).join(""),
  "hexadecimal escapes": (text) => bytesOf(text).map((byte) => `\\x${hexOf(byte, 2)}`).join(""),
  URL: encodeURIComponent,
  "a form": (text) => new URLSearchParams({ "": text }).toString().slice(1),
  "URL, all of it": (text) => bytesOf(text).map(percent).join(""),
  "URL, all of it, upper case": (text) => bytesOf(text).map(percent).join("").toUpperCase(),
  "HTML by name": (text) => unitsOf(text).map((unit) => named[unit] ?? unit).join(""),
  "HTML in decimals": (text) =>
    Array.from(text).map((character) => `&#${character.codePointAt(0)};`).join(""),
  "HTML in hexadecimals": (text) =>
    Array.from(text).map((character) => `&#x${hexOf(character.codePointAt(0)!, 4)};`).join(""),
  hexadecimal: (text) => Buffer.from(text).toString("hex"),
  "hexadecimal, upper case": (text) => Buffer.from(text).toString("hex").toUpperCase()
}

const names = Object.keys(encodings)
const encoding = fc.constantFrom(...names)

const secretTexts = fc.oneof(
  fc.string({ minLength: 4, maxLength: 60 }),
  fc.string({ unit: "binary", minLength: 4, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(..."a\"\\/+ %&<>'=;#u0\u00e9\u20ac?:_-$"), minLength: 4, maxLength: 40 })
).filter((text) => text.isWellFormed() && !text.includes("|"))

const encoded = (secret: string, ways: ReadonlyArray<string>): string =>
  ways.reduce((text, way) => encodings[way]!(text), secret)

describe("a secret in what a customer answered", () => {
  it.each(names)("is hidden as %s", (way) => {
    fc.assert(fc.property(secretTexts, (secret) => {
      assert.strictEqual(hideSecrets(`a|${encoded(secret, [way])}|z`, [secret], false), "a|***|z")
    }))
  })

  // @threat secrets.2
  it("is hidden in two encodings, one in the other", () => {
    fc.assert(
      fc.property(secretTexts, encoding, encoding, (secret, inner, outer) => {
        const text = `a|${encoded(secret, [inner, outer])}|z`
        assert.strictEqual(hideSecrets(text, [secret], false), "a|***|z")
      }),
      { numRuns: 3_000 }
    )
  })

  it("is hidden within what is encoded with it, wherever it begins", () => {
    const around = fc.string({ maxLength: 9 }).filter((text) => !text.includes("|"))
    const ways = fc.constantFrom("base64", "base64url", "hexadecimal", "base64 in lines")
    fc.assert(
      fc.property(secretTexts, around, around, around, ways, (secret, before, after, word, way) => {
        const glued = word.replaceAll(/\W/g, "")
        const given = `${glued}${encodings[way]!(`${before}${secret}${after}`)}`
        const shown = hideSecrets(given, [secret], false)
        assert.include(shown, "***")
        // At most the bits of a byte are left on either side.
        for (const part of shown.split("***")) {
          for (let length = 0; length < part.length; length++) {
            const decoded = Buffer.from(part.slice(length), way === "hexadecimal" ? "hex" : "base64")
            assert.isFalse(decoded.includes(secret))
          }
        }
      })
    )
  })

  it.each(names)("is hidden as %s where the end cuts it", (way) => {
    fc.assert(fc.property(secretTexts, fc.double({ min: 0, max: 1, noNaN: true }), (secret, share) => {
      const form = encoded(secret, [way])
      const cut = form.slice(0, Math.floor(form.length * share)).replace(/[\ud800-\udbff]$/, "")
      const left = hideSecrets(`a|${cut}`, [secret], true).slice("a|".length)
      // What is left when less than four bytes of the secret are there: three bytes, and an escape that is cut.
      assert(left === "***" || left.length <= 3 * 8 + 11, left)
      if (way === "raw") assert(left === "***" || Buffer.byteLength(left) < 4, left)
    }))
  })

  it("is hidden as bytes, which are a signing key", () => {
    const key = Buffer.from("fb4f3a9915dc81026c05fe", "hex")
    const forms = [
      key.toString("base64"),
      key.toString("base64url"),
      key.toString("hex"),
      encodings["URL"]!(key.toString("base64"))
    ]
    for (const form of forms) {
      assert.strictEqual(hideSecrets(`key: ${form}.`, [key], false), "key: ***.")
    }
  })

  it("is hidden in time that grows with the text, whatever the text", () => {
    const texts = ["a", "%", "\\", "&", "+", "A\n", "%5c", "\\u005c", "&#38;", "JTI1", "2525", "%25\\x26"]
    const secrets = ["a".repeat(4_000), "%".repeat(40), "A".repeat(8_000)]
    for (const text of texts) {
      const before = cpuMillis()
      hideSecrets(text.repeat(4_096 / text.length), secrets, true)
      assert.isBelow(cpuMillis() - before, 2_000, text)
    }
  })

  it("is no reason to hide anything else", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const shown = text.toWellFormed()
      assert.strictEqual(hideSecrets(shown, ["no-such-secret-in-it"], false), shown)
    }))
  })
})
