import { maxFaults } from "@dockline/core/input/Faults"
import type { ObjectShape } from "@dockline/core/internal/input/Shape"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import * as XmlBody from "../../src/body/XmlBody.ts"
import { toValue } from "../../src/body/XmlShape.ts"

const shape: ObjectShape = {
  kind: "object",
  fields: {
    orderNumber: { kind: "string" },
    expectedQuantity: { kind: "number" },
    isDangerousGood: { kind: "boolean" },
    expirationDate: { kind: "date" },
    tags: { kind: "list", of: { kind: "string" } },
    counts: { kind: "list", of: { kind: "number" } },
    dock: { kind: "object", fields: { slug: { kind: "string" } } },
    items: {
      kind: "list",
      of: {
        kind: "object",
        fields: {
          lpn: { kind: "string" },
          quantity: { kind: "number" },
          caseSerials: {
            kind: "list",
            of: { kind: "object", fields: { id: { kind: "string" }, quantity: { kind: "number" } } }
          }
        }
      }
    }
  }
}

const read = (content: string) =>
  XmlBody.parse(new TextEncoder().encode(`<Document>${content}</Document>`), undefined).pipe(
    Result.mapError((failure) => [{ path: "(not well-formed)", detail: failure.detail ?? "" }]),
    Result.flatMap((root) => toValue(root, shape))
  )

const value = (content: string): unknown => {
  const result = read(content)
  return Result.isSuccess(result) ? result.success : assert.fail(JSON.stringify(result.failure))
}

const errors = (content: string): ReadonlyArray<readonly [string, string]> => {
  const result = read(content)
  return Result.isFailure(result)
    ? result.failure.map(({ detail, path }) => [path, detail] as const)
    : assert.fail(JSON.stringify(result.success))
}

describe("D2.5 a tree is the value that JSON would have been", () => {
  const table: ReadonlyArray<[string, string, unknown]> = [
    ["an empty document", "", {}],
    ["whitespace only", " \n ", {}],
    ["a string untouched", "<orderNumber>000123</orderNumber>", { orderNumber: "000123" }],
    ["a string untrimmed", "<orderNumber> \t1\n</orderNumber>", { orderNumber: " \t1\n" }],
    ["a blank string", "<orderNumber> </orderNumber>", { orderNumber: " " }],
    ["an empty string", "<orderNumber/>", { orderNumber: "" }],
    ["an empty string in two tags", "<orderNumber></orderNumber>", { orderNumber: "" }],
    ["a string that looks like a number", "<orderNumber>1e5</orderNumber>", { orderNumber: "1e5" }],
    ["a string of markup", "<orderNumber>&lt;b&gt;<![CDATA[<i>]]></orderNumber>", { orderNumber: "<b><i>" }],
    ["xsi:nil is ignored, as attributes are", "<orderNumber xsi:nil='true'/>", { orderNumber: "" }],
    ["a number", "<expectedQuantity>12.50</expectedQuantity>", { expectedQuantity: 12.5 }],
    ["a number trimmed", "<expectedQuantity>\n 5\t</expectedQuantity>", { expectedQuantity: 5 }],
    ["a number with leading zeros", "<expectedQuantity>007</expectedQuantity>", { expectedQuantity: 7 }],
    ["a negative number, for the schema", "<expectedQuantity>-1</expectedQuantity>", {
      expectedQuantity: -1
    }],
    ["a number with an exponent", "<expectedQuantity>1E+2</expectedQuantity>", { expectedQuantity: 100 }],
    ["a number beyond a double, for the schema", "<expectedQuantity>1e400</expectedQuantity>", {
      expectedQuantity: Infinity
    }],
    ["an empty number is absent", "<expectedQuantity/>", {}],
    ["a blank number is absent", "<expectedQuantity> </expectedQuantity>", {}],
    ["true", "<isDangerousGood> true </isDangerousGood>", { isDangerousGood: true }],
    ["1 is true", "<isDangerousGood>1</isDangerousGood>", { isDangerousGood: true }],
    ["false", "<isDangerousGood>false</isDangerousGood>", { isDangerousGood: false }],
    ["0 is false", "<isDangerousGood>0</isDangerousGood>", { isDangerousGood: false }],
    ["an empty boolean is absent", "<isDangerousGood/>", {}],
    ["a date trimmed", "<expirationDate> 2027-01-31 </expirationDate>", { expirationDate: "2027-01-31" }],
    ["a date in UTC", "<expirationDate>2027-01-31Z</expirationDate>", { expirationDate: "2027-01-31" }],
    ["a date in a zone", "<expirationDate> 2027-01-31+02:00</expirationDate>", {
      expirationDate: "2027-01-31"
    }],
    ["a date in the last zone", "<expirationDate>2027-01-31-14:00</expirationDate>", {
      expirationDate: "2027-01-31"
    }],
    [
      "a date in no zone, for the schema",
      "<expirationDate>2027-01-31+14:01</expirationDate>",
      { expirationDate: "2027-01-31+14:01" }
    ],
    [
      "a time, for the schema",
      "<expirationDate>2027-01-31T00:00:00Z</expirationDate>",
      { expirationDate: "2027-01-31T00:00:00Z" }
    ],
    ["a malformed date, for the schema", "<expirationDate>soon</expirationDate>", { expirationDate: "soon" }],
    ["an empty date is absent", "<expirationDate/>", {}],
    ["one entry is a list", "<tags>a</tags>", { tags: ["a"] }],
    ["entries need not be neighbours", "<tags>a</tags><orderNumber>1</orderNumber><tags>b</tags>", {
      orderNumber: "1",
      tags: ["a", "b"]
    }],
    ["an empty string in a list is an entry", "<tags/><tags>b</tags>", { tags: ["", "b"] }],
    ["an empty number in a list is no entry", "<counts>1</counts><counts/><counts>2</counts>", {
      counts: [1, 2]
    }],
    ["an empty list element is no entry", "<items/>", {}],
    ["a blank list element is no entry", "<items> \n </items>", {}],
    ["an object", "<dock>\n <slug>D1</slug>\n</dock>", { dock: { slug: "D1" } }],
    ["an empty object is absent", "<dock/>", {}],
    ["prefixes are ignored", "<x:orderNumber>1</x:orderNumber>", { orderNumber: "1" }],
    [
      "lists in lists",
      "<items><lpn>A</lpn><caseSerials><id>1</id></caseSerials><caseSerials><id>2</id></caseSerials></items>" +
      "<items><lpn>B</lpn><quantity>3</quantity></items>",
      { items: [{ lpn: "A", caseSerials: [{ id: "1" }, { id: "2" }] }, { lpn: "B", quantity: 3 }] }
    ]
  ]
  for (const [name, content, expected] of table) {
    it(name, () => {
      assert.deepStrictEqual(value(content), expected)
    })
  }
})

describe("D2.5 a fault is named with its path", () => {
  const noField = "is not a field of a document; check its spelling"
  const misspelt = (meant: string) => `is not a field of a document; did you mean ${meant}?`
  const noWrapper = (list: string) =>
    `is not a field of a document; repeat <${list}> for each entry, there is no wrapper element`
  const number = (text: string) => `must be a number such as 5 or 12.5, not "${text}"`
  const boolean = (text: string) => `must be true or false, not "${text}"`
  type Row = [string, string, ReadonlyArray<readonly [string, string]>]
  const notNumbers = [
    ..."x 5,0 +5 .5 5. 0x10 1e NaN INF Infinity --1 \uff15 5f".split(" "),
    "1 000",
    "\u00a05"
  ]
  const table: ReadonlyArray<Row> = [
    ...notNumbers.map((text): Row => [`the number ${text}`, `<expectedQuantity>${text}</expectedQuantity>`, [
      ["expectedQuantity", number(text.replace("\u00a0", "\\u00a0"))]
    ]]),
    ["the boolean TRUE", "<isDangerousGood>TRUE</isDangerousGood>", [["isDangerousGood", boolean("TRUE")]]],
    ["the boolean yes", "<isDangerousGood>yes</isDangerousGood>", [["isDangerousGood", boolean("yes")]]],
    ["the boolean 2", "<isDangerousGood>2</isDangerousGood>", [["isDangerousGood", boolean("2")]]],
    ["an unknown element", "<orderNr>1</orderNr>", [["orderNr", noField]]],
    ["an unknown element, empty", "<orderNr/>", [["orderNr", noField]]],
    ["an unknown element twice", "<x/><x/>", [["x", noField]]],
    ["a name in other case", "<ordernumber>1</ordernumber>", [["ordernumber", misspelt("orderNumber")]]],
    ["a misspelt element of an entry", "<items><pln>1</pln></items>", [["items[0].pln", misspelt("lpn")]]],
    ["a wrapper within the list", "<items><item><lpn>1</lpn></item><item><lpn>2</lpn></item></items>", [
      ["items[0].item", noWrapper("items")]
    ]],
    [
      "a wrapper within a list in a list",
      "<items><caseSerials><case><id>1</id></case></caseSerials></items>",
      [
        ["items[0].caseSerials[0].case", noWrapper("caseSerials")]
      ]
    ],
    ["an object that an entry does not have", "<items><box><size>1</size></box></items>", [[
      "items[0].box",
      noField
    ]]],
    ["a wrapper", "<itemList><items><lpn>1</lpn></items></itemList>", [["itemList", noField]]],
    ["names of Object.prototype", "<__proto__><lpn/></__proto__><constructor/><toString>1</toString>", [
      ["__proto__", noField],
      ["constructor", noField],
      ["toString", noField]
    ]],
    ["a nested __proto__", "<items><__proto__>1</__proto__></items>", [["items[0].__proto__", noField]]],
    ["a scalar that occurs twice", "\n<orderNumber>1</orderNumber>\n<orderNumber>1</orderNumber>", [
      ["orderNumber", "is given twice, at line 2 and at line 3, but is not a list"]
    ]],
    ["a scalar that occurs twice, empty", "<orderNumber/><orderNumber/>", [
      ["orderNumber", "is given twice, at line 1 and at line 1, but is not a list"]
    ]],
    ["a scalar that occurs thrice", "<orderNumber/><orderNumber/><orderNumber/>", [
      ["orderNumber", "is given twice, at line 1 and at line 1, but is not a list"]
    ]],
    ["an object that occurs twice", "<dock><slug>1</slug></dock><dock/>", [
      ["dock", "is given twice, at line 1 and at line 1, but is not a list"]
    ]],
    ["text beside elements", "x<orderNumber>1</orderNumber>", [[
      "",
      "must hold elements only, not the text \"x\""
    ]]],
    ["a no-break space beside elements", "\u00a0<orderNumber>1</orderNumber>", [
      ["", "must hold elements only, not the text \"\\u00a0\""]
    ]],
    ["text for a list entry", "<items>A</items>", [[
      "items[0]",
      "must hold elements only, not the text \"A\""
    ]]],
    ["text for an object", "<dock>D1</dock>", [["dock", "must hold elements only, not the text \"D1\""]]],
    ["text beside elements in an entry", "<items><lpn>1</lpn></items><items>A <lpn>1</lpn> B</items>", [
      ["items[1]", "must hold elements only, not the text \"A  B\""]
    ]],
    ["elements for a string", "<orderNumber><id>1</id></orderNumber>", [
      ["orderNumber", "must be text, not an element that holds others (<id>)"]
    ]],
    ["elements for a number", "<items><quantity><value>1</value></quantity></items>", [
      ["items[0].quantity", "must be a number such as 5 or 12.5, not an element that holds others (<value>)"]
    ]],
    ["elements for a list entry of strings", "<tags>a</tags><tags><tag>b</tag></tags>", [
      ["tags[1]", "must be text, not an element that holds others (<tag>)"]
    ]],
    [
      "all of them, in the order of the document",
      "<x/><items><quantity>a</quantity></items><items><quantity>1</quantity><quantity>2</quantity></items>" +
      "<items><caseSerials><id>1</id></caseSerials><caseSerials><quantity>b</quantity><y/></caseSerials></items>" +
      "<isDangerousGood>c</isDangerousGood>",
      [
        ["x", noField],
        ["items[0].quantity", number("a")],
        ["items[1].quantity", "is given twice, at line 1 and at line 1, but is not a list"],
        ["items[2].caseSerials[1].quantity", number("b")],
        ["items[2].caseSerials[1].y", noField],
        ["isDangerousGood", boolean("c")]
      ]
    ]
  ]
  for (const [name, content, expected] of table) {
    it(name, () => {
      assert.deepStrictEqual(errors(content), expected)
    })
  }

  it("a refused entry keeps its index, so that later paths are right", () => {
    assert.deepStrictEqual(
      errors("<counts>a</counts><counts>1</counts><counts>b</counts>").map(([path]) => path),
      [
        "counts[0]",
        "counts[2]"
      ]
    )
  })

  it("and little of the input", () => {
    const long = "x".repeat(5000)
    for (const [path, detail] of errors(`<${long}/><expectedQuantity>${long}</expectedQuantity>${long}`)) {
      assert.isBelow(path.length + detail.length, 250)
    }
  })

  it("and no name changes an object's prototype", () => {
    errors("<__proto__><polluted>1</polluted></__proto__><items><__proto__><polluted/></__proto__></items>")
    assert.notProperty({}, "polluted")
  })
})

describe("D2.5 any tree is judged", () => {
  const names = ["orderNumber", "items", "lpn", "quantity", "caseSerials", "tags", "dock", "__proto__", "x"]
  const tree = fc.letrec<{ element: string }>((tie) => ({
    element: fc.tuple(
      fc.constantFrom(...names),
      fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("", "5", "x", " "),
        fc.array(tie("element"), { maxLength: 4 })
      )
    ).map(([name, content]) => `<${name}>${Array.isArray(content) ? content.join("") : content}</${name}>`)
  }))

  it("without throwing, into a value of JSON types", () => {
    fc.assert(
      fc.property(fc.array(tree.element, { maxLength: 6 }), (elements) => {
        const result = read(elements.join(""))
        if (Result.isSuccess(result)) {
          assert.deepStrictEqual(JSON.parse(JSON.stringify(result.success)), result.success)
        } else {
          for (const { path } of result.failure) assert.match(path, /^(?:[\w.[\]]*)$/)
        }
      }),
      runs(2000)
    )
  })
})

describe("D2.5 a hostile body costs no more than its reading", () => {
  const hostile: ReadonlyArray<[string, string]> = [
    ["entries that are no numbers", "<counts>x</counts>".repeat(5000)],
    ["unknown fields", Array.from({ length: 5000 }, (_, index) => `<x${index}/>`).join("")],
    ["objects with text", "<items>x<lpn>1</lpn></items>".repeat(5000)],
    ["faults within entries", "<items><quantity>x</quantity><y/></items>".repeat(5000)]
  ]
  it.each(hostile)("%s: so many faults are named", (_, content) => {
    assert.lengthOf(errors(content), maxFaults)
  })
})
