import { maxFaults } from "@dockline/core/input/Faults"
import type { ObjectShape } from "@dockline/core/input/Shape"
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
    facts: { kind: "any" },
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
  /** The text of a field, and its value; `undefined` where the field is absent. */
  const scalars: ReadonlyArray<readonly [field: string, text: string, expected: unknown]> = [
    ["orderNumber", "000123", "000123"],
    ["orderNumber", " \t1\n", " \t1\n"],
    ["orderNumber", " ", " "],
    ["orderNumber", "", ""],
    ["orderNumber", "&lt;b&gt;<![CDATA[<i>]]>", "<b><i>"],
    ["expectedQuantity", "12.50", 12.5],
    ["expectedQuantity", "\n 5\t", 5],
    ["expectedQuantity", "007", 7],
    ["expectedQuantity", "1E+2", 100],
    // What is left to the schema: negative numbers, and numbers beyond a double.
    ["expectedQuantity", "-1", -1],
    ["expectedQuantity", "1e400", Infinity],
    ["expectedQuantity", "", undefined],
    ["expectedQuantity", " ", undefined],
    ["isDangerousGood", " true ", true],
    ["isDangerousGood", "1", true],
    ["isDangerousGood", "false", false],
    ["isDangerousGood", "0", false],
    ["isDangerousGood", "", undefined],
    ["expirationDate", " 2027-01-31 ", "2027-01-31"],
    ["expirationDate", "2027-01-31Z", "2027-01-31"],
    ["expirationDate", " 2027-01-31+02:00", "2027-01-31"],
    ["expirationDate", "2027-01-31-14:00", "2027-01-31"],
    // What is left to the schema: a zone that is none, a time, and words.
    ["expirationDate", "2027-01-31+14:01", "2027-01-31+14:01"],
    ["expirationDate", "2027-01-31T00:00:00Z", "2027-01-31T00:00:00Z"],
    ["expirationDate", "soon", "soon"],
    ["expirationDate", "", undefined],
    ["facts", "text", "text"],
    ["facts", "<a>1</a><b/><a><c> 2</c></a>", { a: ["1", { c: " 2" }], b: "" }],
    ["facts", "", undefined]
  ]
  it.each(scalars)("%s %j is %j", (field, text, expected) => {
    assert.deepStrictEqual(
      value(`<${field}>${text}</${field}>`),
      expected === undefined ? {} : { [field]: expected }
    )
  })

  const table: ReadonlyArray<readonly [string, string, unknown]> = [
    ["an empty document", "", {}],
    ["whitespace only", " \n ", {}],
    ["xsi:nil is ignored, as attributes are", "<orderNumber xsi:nil='true'/>", { orderNumber: "" }],
    ["one entry is a list", "<tags>a</tags>", { tags: ["a"] }],
    ["entries need not be neighbours", "<tags>a</tags><orderNumber>1</orderNumber><tags>b</tags>", {
      orderNumber: "1",
      tags: ["a", "b"]
    }],
    ["an empty string in a list is an entry", "<tags/><tags>b</tags>", { tags: ["", "b"] }],
    ["an empty number in a list is none", "<counts>1</counts><counts/><counts>2</counts>", {
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
  it.each(table)("%s", (_, content, expected) => {
    assert.deepStrictEqual(value(content), expected)
  })
})

describe("D2.5 a fault is named with its path", () => {
  const noField = "is not a field of a document; check its spelling"
  const misspelt = (correction: string) => `is not a field of a document; did you mean ${correction}?`
  const noWrapper = (list: string) =>
    `is not a field of a document; repeat <${list}> for each entry, there is no wrapper element`
  const number = (text: string) => `must be a number such as 5 or 12.5, not "${text}"`
  const boolean = (text: string) => `must be true or false, not "${text}"`
  const onlyElements = (text: string) => `must hold elements only, not the text "${text}"`
  const twice = "is given twice, at line 1 and at line 1, but is not a list"
  const holdsOthers = (expected: string, name: string) =>
    `must be ${expected}, not an element that holds others (<${name}>)`
  const notNumbers = [
    ..."x 5,0 +5 .5 5. 0x10 1e NaN INF Infinity --1 \uff15 5f".split(" "),
    "1 000",
    "\u00a05"
  ]
  /** Content, and its faults: each path with what is wrong there. */
  const table: ReadonlyArray<readonly [content: string, faults: Readonly<Record<string, string>>]> = [
    ...notNumbers.map((text) =>
      [`<expectedQuantity>${text}</expectedQuantity>`, {
        expectedQuantity: number(text.replace("\u00a0", "\\u00a0"))
      }] as const
    ),
    ...["TRUE", "yes", "2"].map((text) =>
      [`<isDangerousGood>${text}</isDangerousGood>`, { isDangerousGood: boolean(text) }] as const
    ),
    ["<orderNr>1</orderNr>", { orderNr: noField }],
    ["<orderNr/>", { orderNr: noField }],
    ["<x/><x/>", { x: noField }],
    ["<ordernumber>1</ordernumber>", { ordernumber: misspelt("orderNumber") }],
    ["<items><pln>1</pln></items>", { "items[0].pln": misspelt("lpn") }],
    ["<items><item><lpn>1</lpn></item><item><lpn>2</lpn></item></items>", {
      "items[0].item": noWrapper("items")
    }],
    ["<items><caseSerials><case><id>1</id></case></caseSerials></items>", {
      "items[0].caseSerials[0].case": noWrapper("caseSerials")
    }],
    ["<items><box><size>1</size></box></items>", { "items[0].box": noField }],
    ["<itemList><items><lpn>1</lpn></items></itemList>", { itemList: noField }],
    ["<__proto__><lpn/></__proto__><constructor/><toString>1</toString>", {
      ["__proto__"]: noField,
      constructor: noField,
      toString: noField
    }],
    ["<items><__proto__>1</__proto__></items>", { "items[0].__proto__": noField }],
    ["\n<orderNumber>1</orderNumber>\n<orderNumber>1</orderNumber>", {
      orderNumber: "is given twice, at line 2 and at line 3, but is not a list"
    }],
    ["<orderNumber/><orderNumber/>", { orderNumber: twice }],
    ["<orderNumber/><orderNumber/><orderNumber/>", { orderNumber: twice }],
    ["<dock><slug>1</slug></dock><dock/>", { dock: twice }],
    ["x<orderNumber>1</orderNumber>", { "": onlyElements("x") }],
    ["\u00a0<orderNumber>1</orderNumber>", { "": onlyElements("\\u00a0") }],
    ["<items>A</items>", { "items[0]": onlyElements("A") }],
    ["<dock>D1</dock>", { dock: onlyElements("D1") }],
    ["<items><lpn>1</lpn></items><items>A <lpn>1</lpn> B</items>", { "items[1]": onlyElements("A  B") }],
    ["<orderNumber><id>1</id></orderNumber>", { orderNumber: holdsOthers("text", "id") }],
    ["<items><quantity><value>1</value></quantity></items>", {
      "items[0].quantity": holdsOthers("a number such as 5 or 12.5", "value")
    }],
    ["<tags>a</tags><tags><tag>b</tag></tags>", { "tags[1]": holdsOthers("text", "tag") }],
    // All of them, in the order of the document.
    [
      "<x/><items><quantity>a</quantity></items><items><quantity>1</quantity><quantity>2</quantity></items>" +
      "<items><caseSerials><id>1</id></caseSerials><caseSerials><quantity>b</quantity><y/></caseSerials></items>" +
      "<isDangerousGood>c</isDangerousGood>",
      {
        x: noField,
        "items[0].quantity": number("a"),
        "items[1].quantity": twice,
        "items[2].caseSerials[1].quantity": number("b"),
        "items[2].caseSerials[1].y": noField,
        isDangerousGood: boolean("c")
      }
    ]
  ]
  it.each(table)("%j", (content, faults) => {
    assert.deepStrictEqual(errors(content), Object.entries(faults))
  })

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
