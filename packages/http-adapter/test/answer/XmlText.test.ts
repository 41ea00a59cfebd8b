import type { ObjectShape } from "@dockline/core/input/Shape"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { runs } from "../../../../test/support/Runner.ts"
import * as XmlText from "../../src/answer/XmlText.ts"
import * as XmlBody from "../../src/body/XmlBody.ts"
import { toValue } from "../../src/body/XmlShape.ts"

const head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

const readBack = (text: string, shape: ObjectShape): unknown => {
  const tree = XmlBody.parse(new TextEncoder().encode(text), undefined)
  if (Result.isFailure(tree)) return assert.fail(`${tree.failure.detail}: ${text}`)
  const value = toValue(tree.success, shape)
  return Result.isSuccess(value) ? value.success : assert.fail(JSON.stringify(value.failure))
}

const scalars: ObjectShape = { kind: "object", fields: { text: { kind: "string" } } }

/** What XML 1.0 can carry of a string. */
const carry = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")

describe("D2.8 the XML form of a response", () => {
  const table: ReadonlyArray<[string, unknown, string]> = [
    ["an object", { id: 7, status: "SCHEDULED" }, "<id>7</id><status>SCHEDULED</status>"],
    [
      "a list is its element repeated",
      { orders: [{ id: "1" }, { id: "2" }] },
      "<orders><id>1</id></orders><orders><id>2</id></orders>"
    ],
    ["a list of strings", { tags: ["a", "", "b"] }, "<tags>a</tags><tags></tags><tags>b</tags>"],
    ["an empty list is absent", { created: [] }, ""],
    ["null and undefined are absent", { a: null, b: undefined, c: [null, 1] }, "<c>1</c>"],
    ["an empty string", { lot: "" }, "<lot></lot>"],
    ["false and zero", { a: false, b: 0 }, "<a>false</a><b>0</b>"],
    ["a fraction and an exponent", { a: 0.5, b: 1e21, c: 1e-7 }, "<a>0.5</a><b>1e+21</b><c>1e-7</c>"],
    ["numbers that are not finite are absent, as in JSON", { a: NaN, b: Infinity }, ""],
    ["a big integer", { id: 9007199254740993n }, "<id>9007199254740993</id>"],
    ["markup", { a: "<b>&amp;\"'</b>" }, "<a>&lt;b&gt;&amp;amp;\"'&lt;/b&gt;</a>"],
    ["]]>", { a: "]]>" }, "<a>]]&gt;</a>"],
    ["line ends", { a: "1\r\n2\r3\n4\t" }, "<a>1&#13;\n2&#13;3\n4\t</a>"],
    [
      "what XML has no place for",
      { a: "\0\u0001\u000b\u001f\ufffe\uffff\ud800x\udc00" },
      `<a>${"\ufffd".repeat(7)}x\ufffd</a>`
    ],
    [
      "what looks like it but is allowed",
      { a: "\u007f\u0085\u2028\ufffd\u{1f600}" },
      "<a>\u007f\u0085\u2028\ufffd\u{1f600}</a>"
    ],
    [
      "a key that is no name",
      { "a b": 1, "1": 2, "x:y": 3, "": 4, "<": 5, "\u{1f600}": 6 },
      "<_x0031_>2</_x0031_><a_x0020_b>1</a_x0020_b><x_x003A_y>3</x_x003A_y><_>4</_><_x003C_>5</_x003C_><_x1F600_>6</_x1F600_>"
    ],
    ["lists in a list", { a: [[1, 2], []] }, "<a><item>1</item><item>2</item></a><a></a>"],
    ["a list at the root", [1, { b: 2 }], "<item>1</item><item><b>2</b></item>"],
    ["text at the root", "x", "x"],
    ["nothing at the root", null, ""]
  ]
  for (const [name, value, expected] of table) {
    it(name, () => {
      assert.strictEqual(XmlText.write("Result", value), `${head}<Result>${expected}</Result>`)
    })
  }
})

describe("D2.8 a long text", () => {
  it("is written in parts, none of which ends within a character", () => {
    for (const text of ["<&>\r\u0001", "a🚚", "a\ud83d"].map((each) => each.repeat(50_000))) {
      const parts = Array.from(XmlText.parts("Answer", { text }))
      assert.deepStrictEqual(readBack(parts.join(""), scalars), { text: carry(text) })
      assert.isAtMost(Math.max(...parts.map((part) => part.length)), 8 * 65_536)
    }
  })
})

describe("D2.8 what is written reads back", () => {
  it("any string, in any key position", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, key) => {
        assert.deepStrictEqual(readBack(XmlText.write("Result", { text }), scalars), { text: carry(text) })
        const tree = XmlBody.parse(new TextEncoder().encode(XmlText.write(key, { [key]: text })), undefined)
        assert.isTrue(Result.isSuccess(tree), key)
      }),
      runs(2000)
    )
  })

  const shape: ObjectShape = {
    kind: "object",
    fields: {
      text: { kind: "string" },
      number: { kind: "number" },
      flag: { kind: "boolean" },
      date: { kind: "date" },
      texts: { kind: "list", of: { kind: "string" } },
      entries: {
        kind: "list",
        of: {
          kind: "object",
          fields: { id: { kind: "string" }, counts: { kind: "list", of: { kind: "number" } } }
        }
      }
    }
  }
  const text = fc.string({ unit: "binary" }).map(carry)
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value === 0 ? 0 : value)
  const value = fc.record({
    text,
    number,
    flag: fc.boolean(),
    date: fc.constantFrom("2026-11-20", "2026-11-20T17:00:00.000Z"),
    texts: fc.array(text, { minLength: 1 }),
    entries: fc.array(
      fc.record({ id: text, counts: fc.array(number, { minLength: 1 }) }, { requiredKeys: ["id"] }),
      { minLength: 1, maxLength: 3 }
    )
  }, { requiredKeys: [] })

  it("any value of a shape", () => {
    fc.assert(fc.property(value, (input) => {
      assert.deepEqual(readBack(XmlText.write("Result", input), shape), { ...input })
    }))
  })

  it("to another parser too", () => {
    const reader = new XMLParser({
      ignoreAttributes: true,
      ignoreDeclaration: true,
      parseTagValue: false,
      trimValues: false,
      isArray: (name) => name === "texts"
    })
    // fast-xml-parser is lax about line ends and limits entities; plain text is where both must agree.
    const plain = fc.string({ minLength: 1, unit: "grapheme-ascii", maxLength: 50 })
    fc.assert(fc.property(plain, fc.array(plain, { minLength: 1, maxLength: 5 }), (id, texts) => {
      const xml = XmlText.write("Result", { id, texts })
      assert.isTrue(XMLValidator.validate(xml))
      assert.deepStrictEqual(reader.parse(xml).Result, { id, texts })
    }))
  })
})
