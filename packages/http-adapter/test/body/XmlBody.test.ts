import type { Charset } from "@dockline/wire/MediaType"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import * as XmlBody from "../../src/body/XmlBody.ts"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
const utf16 = (text: string, order: "le" | "be"): Uint8Array => {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < text.length; index++) {
    view.setUint16(index * 2, text.charCodeAt(index), order === "le")
  }
  return bytes
}

const parse = (body: string | Uint8Array, charset?: Charset) =>
  XmlBody.parse(typeof body === "string" ? encode(body) : body, charset)

/** The tree as nested lists: `[name, text]` or `[name, text, ...children]`. */
const outline = ({ children, name, text }: XmlBody.XmlElement): ReadonlyArray<unknown> => [
  name,
  text,
  ...children.map(outline)
]

const accept = (body: string | Uint8Array, charset?: Charset): ReadonlyArray<unknown> => {
  const result = parse(body, charset)
  if (Result.isFailure(result)) return assert.fail(result.failure.detail)
  return outline(result.success)
}

const refuse = (body: string | Uint8Array, charset?: Charset) => {
  const result = parse(body, charset)
  if (Result.isSuccess(result)) return assert.fail("accepted")
  return result.failure
}

const malformed = (body: string | Uint8Array, charset?: Charset) => {
  const failure = refuse(body, charset)
  if (failure._tag !== "MalformedBody") return assert.fail(failure.detail)
  return failure
}

describe("D2.5 a body is read as it was written", () => {
  const table: ReadonlyArray<[string, string, ReadonlyArray<unknown>]> = [
    ["any root element name", "<_x.y-1/>", ["_x.y-1", ""]],
    ["a root in another script", "<\u6587\u66f8/>", ["\u6587\u66f8", ""]],
    ["text is untrimmed", "<a> 000123\t\n </a>", ["a", " 000123\t\n "]],
    ["children in order", "<a><b>1</b><c/><b>2</b></a>", ["a", "", ["b", "1"], ["c", ""], ["b", "2"]]],
    ["whitespace between elements is kept apart", "<a>\n <b>x</b>\n</a>", ["a", "\n \n", ["b", "x"]]],
    ["comments are dropped", "<!-- a --><a>1<!-- <b> & -->2</a><!-- z -->", ["a", "12"]],
    ["CDATA is text", "<a><![CDATA[<b> & ]] > &amp;]]></a>", ["a", "<b> & ]] > &amp;"]],
    ["processing instructions are dropped", "<?x y?><a>1<?p <b> ?>2</a><?z?>", ["a", "12"]],
    ["attributes are ignored", "<a x='1' y=\"&lt;\" xml:space='preserve'>t</a>", ["a", "t"]],
    ["a bound prefix is ignored", "<x:a xmlns:x='urn:x'><x:lpn>1</x:lpn></x:a>", ["a", "", ["lpn", "1"]]],
    ["an unbound prefix is ignored", "<a><x:lpn>1</x:lpn></a>", ["a", "", ["lpn", "1"]]],
    ["a name that is only a prefix stays", "<a><x:>1</x:></a>", ["a", "", ["x:", "1"]]],
    ["the five entities", "<a>&lt;&gt;&amp;&quot;&apos;</a>", ["a", "<>&\"'"]],
    ["an entity is expanded once", "<a>&amp;lt;</a>", ["a", "&lt;"]],
    ["character references", "<a>&#65;&#x42;&#x1F600;&#9;</a>", ["a", "AB\u{1f600}\t"]],
    ["a referenced carriage return stays", "<a>&#13;&#10;&#xD;</a>", ["a", "\r\n\r"]],
    ["line ends are normalised", "<a>1\r\n2\r3\n4</a>", ["a", "1\n2\n3\n4"]],
    ["line ends in CDATA are normalised", "<a><![CDATA[1\r\n2\r]]></a>", ["a", "1\n2\n"]],
    ["a declaration", "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<a/>", ["a", ""]],
    ["a later version is read as 1.0", "<?xml version='1.1'?><a>\u0085</a>", ["a", "\u0085"]],
    ["a byte order mark", "\ufeff<a/>", ["a", ""]],
    ["a byte order mark inside is text", "<a>\ufeff</a>", ["a", "\ufeff"]],
    ["names of Object.prototype", "<__proto__><constructor/></__proto__>", ["__proto__", "", [
      "constructor",
      ""
    ]]],
    ["characters beyond the basic plane", "<a>\u{10ffff}\ufffd</a>", ["a", "\u{10ffff}\ufffd"]]
  ]
  for (const [name, body, expected] of table) {
    it(name, () => {
      assert.deepStrictEqual(accept(body), expected)
    })
  }

  it("with the line of each start tag", () => {
    const result = parse("<a\n>\r\n<b\r\n/><c/>\n\n  <d x='\n'>\n</d></a>")
    if (Result.isFailure(result)) return assert.fail(result.failure.detail)
    assert.deepStrictEqual(result.success.children.map(({ line, name }) => [name, line]), [
      ["b", 3],
      ["c", 4],
      ["d", 6]
    ])
    assert.strictEqual(result.success.line, 1)
  })
})

describe("D2.5 what is not well-formed is refused, with line and column", () => {
  const table: ReadonlyArray<[string, string, number, number, string]> = [
    ["an empty body", "", 1, 1, "the body is empty"],
    ["JSON", "{\"a\":1}", 1, 7, "text data outside of root node"],
    ["an open element", "<a>\n<b>x</b>", 2, 8, "unclosed tag: a"],
    ["crossed elements", "<a>\n <b></a></b>", 2, 8, "</a> does not close the open element <b>"],
    ["a closing tag with another prefix", "<x:a></y:a>", 1, 11, "</y:a> does not close the open element <a>"],
    [
      "a bare ampersand",
      "<a>\n<b>AT&T</b>\n</a>",
      2,
      6,
      "\"&\" does not start a reference here; write it as &amp;"
    ],
    ["an HTML entity", "<a>x&nbsp;y</a>", 1, 5, "the entity \"&nbsp;\" is unknown"],
    ["an entity named __proto__", "<a>&__proto__;</a>", 1, 4, "the entity \"&__proto__;\" is unknown"],
    ["an unknown entity in an attribute", "<a x='&y;'/>", 1, 7, "the entity \"&y;\" is unknown"],
    ["a reference to NUL", "<a>&#0;</a>", 1, 4, "\"&#0;\" is not a reference to a character that XML allows"],
    ["a reference beyond a double", `<a>&#${"9".repeat(400)};</a>`, 1, 4, "is not a reference"],
    [
      "a reference to a control character in version 1.1",
      "<?xml version='1.1'?><a>&#1;</a>",
      1,
      25,
      "is not a"
    ],
    ["a raw control character", "<a>\u0001</a>", 1, 4, "disallowed character"],
    ["an attribute twice", "<a b='1' b='2'/>", 1, 16, "duplicate attribute: b"],
    [
      "a declaration that is not first",
      " <?xml version='1.0'?><a/>",
      1,
      7,
      "declaration must be at the start"
    ],
    ["a second byte order mark", "\ufeff\ufeff<a/>", 1, 1, "text before the root"]
  ]
  for (const [name, body, line, column, detail] of table) {
    it(name, () => {
      const failure = malformed(body)
      assert.include(failure.detail, detail)
      assert.deepStrictEqual([failure.line, failure.column], [line, column])
      assert.deepStrictEqual(failure.errors, [
        { path: "", detail: `line ${line}, column ${column}: ${failure.detail}` }
      ])
    })
  }

  it("echoing no more than about 100 characters", () => {
    const long = "x".repeat(10_000)
    for (
      const body of [
        `<${long}>`,
        `<a>&${long};</a>`,
        `<a></${long}>`,
        `<a>&#${long};</a>`,
        `<a ${long}='' ${long}=''/>`
      ]
    ) {
      assert.isBelow(malformed(body).detail.length, 320)
    }
  })
})

// @threat requests.8
describe("D2.5 a DOCTYPE is refused, and nothing in it is read", () => {
  const bomb = `<!DOCTYPE a [<!ENTITY x0 "x">${
    Array.from({ length: 30 }, (_, index) => `<!ENTITY x${index + 1} "&x${index};&x${index};">`).join("")
  }]><a>&x30;</a>`
  const table: ReadonlyArray<[string, string, number, number]> = [
    ["a plain one", "<!DOCTYPE a><a/>", 1, 1],
    [
      "after a declaration, comments and instructions",
      "<?xml version='1.0'?>\n<!-- <?x --><?y <!-- ?>\n <!DOCTYPE a><a/>",
      3,
      2
    ],
    ["an external file", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", 1, 1],
    [
      "a public identifier",
      "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0//EN' 'http://example.com/x.dtd'><html/>",
      1,
      1
    ],
    ["a bomb", bomb, 1, 1],
    ["one that is malformed itself", "<!DOCTYPE", 1, 1]
  ]
  for (const [name, body, line, column] of table) {
    it(name, () => {
      const failure = malformed(body)
      assert.include(failure.detail, "DOCTYPE")
      assert.deepStrictEqual([failure.line, failure.column], [line, column])
    })
  }

  it("and is only text in comments and CDATA", () => {
    assert.deepStrictEqual(accept("<!-- <!DOCTYPE a> --><a><![CDATA[<!DOCTYPE a>]]></a>"), [
      "a",
      "<!DOCTYPE a>"
    ])
  })

  it("and is not well-formed behind the root's start", () => {
    assert.include(malformed("<a><!DOCTYPE a></a>").detail, "doctype")
    assert.include(malformed("<a/><!DOCTYPE a>").detail, "doctype")
  })
})

describe("D2.6 nesting", () => {
  const nest = (depth: number) => `${"<a>".repeat(depth)}${"</a>".repeat(depth)}`

  it("of 64 levels is read", () => {
    assert.strictEqual(accept(nest(64))[0], "a")
    assert.strictEqual(accept(`${"<a>".repeat(63)}<b/>${"</a>".repeat(63)}`)[0], "a")
  })

  it("over 64 levels is refused where it goes too deep", () => {
    for (const body of [nest(65), nest(100_000), "<a>".repeat(100_000)]) {
      const failure = malformed(body)
      assert.include(failure.detail, "nested over 64 levels")
      assert.deepStrictEqual([failure.line, failure.column], [1, 195])
    }
  })
})

describe("D2.5 the charset is that of the header, else of the body", () => {
  const text = "<a>M\u00fcll</a>"
  const withDeclaration = (encoding: string, body = text) =>
    `<?xml version="1.0" encoding="${encoding}"?>${body}`
  const expected = ["a", "M\u00fcll"]
  const bom = (order: "le" | "be", body: string) => utf16(`\ufeff${body}`, order)

  const readable: ReadonlyArray<[string, Uint8Array, Charset | undefined]> = [
    ["UTF-8 by default", encode(text), undefined],
    ["UTF-8 by its mark", encode(`\ufeff${text}`), undefined],
    ["UTF-8 by its declaration", encode(withDeclaration("utf-8")), undefined],
    ["UTF-8 by mark and declaration", encode(`\ufeff${withDeclaration("UTF-8")}`), undefined],
    ["UTF-16LE by its mark", bom("le", text), undefined],
    ["UTF-16BE by its mark", bom("be", text), undefined],
    ["UTF-16 by mark and declaration", bom("le", withDeclaration("UTF-16")), undefined],
    ["UTF-16LE by its first bytes", utf16(withDeclaration("utf-16le"), "le"), undefined],
    ["UTF-16BE by its first bytes", utf16(text, "be"), undefined],
    ["ISO-8859-1 by its declaration", latin1(withDeclaration("ISO-8859-1")), undefined],
    [
      "ISO-8859-1 by its declaration, in single quotes",
      latin1(withDeclaration("x").replace("\"x\"", "'latin1'")),
      undefined
    ],
    ["UTF-8 by header", encode(text), "utf-8"],
    ["UTF-8 by header, marked", encode(`\ufeff${text}`), "utf-8"],
    ["UTF-8 by header, whatever is declared", encode(withDeclaration("utf-16")), "utf-8"],
    ["UTF-8 by header, whatever unknown is declared", encode(withDeclaration("windows-1252")), "utf-8"],
    ["ISO-8859-1 by header", latin1(text), "iso-8859-1"],
    ["ISO-8859-1 by header, though UTF-8 is declared", latin1(withDeclaration("utf-8")), "iso-8859-1"],
    ["UTF-16 by header, little endian", bom("le", text), "utf-16"],
    ["UTF-16 by header, big endian", bom("be", text), "utf-16"],
    ["UTF-16 by header, unmarked", utf16(text, "be"), "utf-16"],
    ["UTF-16 by header, unmarked and little endian", utf16(text, "le"), "utf-16"],
    ["UTF-16LE by header", utf16(text, "le"), "utf-16le"],
    ["UTF-16LE by header, marked", bom("le", text), "utf-16le"],
    ["UTF-16BE by header", utf16(text, "be"), "utf-16be"]
  ]
  for (const [name, bytes, charset] of readable) {
    it(name, () => {
      assert.deepStrictEqual(accept(bytes, charset), expected)
    })
  }

  it("US-ASCII, a part of UTF-8", () => {
    assert.deepStrictEqual(accept(encode(withDeclaration("US-ASCII", "<a>x</a>"))), ["a", "x"])
    assert.include(malformed(latin1(withDeclaration("US-ASCII", text))).detail, "not valid UTF-8")
  })

  it("ISO-8859-1 is windows-1252 in the bytes 80 to 9F, as senders mean them", () => {
    assert.deepStrictEqual(accept(latin1("<a>\u0080\u009f</a>"), "iso-8859-1"), ["a", "€Ÿ"])
    for (let code = 0; code < 256; code++) {
      const text = new TextDecoder("windows-1252").decode(Uint8Array.of(code))
      if (code >= 0x20 && !"&<]".includes(text)) {
        assert.deepStrictEqual(accept(latin1(`<a>${String.fromCharCode(code)}</a>`), "iso-8859-1"), [
          "a",
          text
        ])
      }
    }
  })

  const unsupported: ReadonlyArray<[string, Uint8Array]> = [
    ["windows-1252 declared", latin1(withDeclaration("windows-1252"))],
    ["Shift_JIS declared", latin1(withDeclaration("Shift_JIS"))],
    ["UTF-7 declared", latin1(withDeclaration("utf-7"))],
    ["a name of Object.prototype declared", latin1(withDeclaration("constructor"))],
    ["UTF-32LE", Uint8Array.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0])],
    ["UTF-32BE", Uint8Array.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x3c])]
  ]
  for (const [name, bytes] of unsupported) {
    it(`${name} is an unsupported media type`, () => {
      const failure = refuse(bytes)
      assert.strictEqual(failure._tag, "UnsupportedMediaType")
      assert.include(failure.detail, "not supported; send UTF-8, UTF-16 or ISO-8859-1")
    })
  }

  const contradictory: ReadonlyArray<[string, Uint8Array, Charset | undefined, string]> = [
    [
      "UTF-16 declared in ASCII bytes",
      encode(withDeclaration("utf-16")),
      undefined,
      "the body is not UTF-16"
    ],
    ["UTF-8 declared in UTF-16", bom("be", withDeclaration("utf-8")), undefined, "the body is UTF-16"],
    [
      "ISO-8859-1 declared behind a UTF-8 mark",
      encode(`\ufeff${withDeclaration("latin1")}`),
      undefined,
      "the body is UTF-8"
    ],
    ["Latin-1 bytes without a charset", latin1(text), undefined, "not valid UTF-8: the byte 0xFC"],
    ["Latin-1 bytes declared UTF-8", latin1(withDeclaration("utf-8")), undefined, "not valid UTF-8"],
    ["UTF-16 with an odd byte", bom("le", text).subarray(0, -1), undefined, "not valid UTF-16"],
    ["a lone surrogate in UTF-16", bom("le", "<a>\ud800</a>"), undefined, "not valid UTF-16"],
    ["UTF-16 though the header says UTF-8", bom("le", text), "utf-8", "not valid UTF-8"],
    ["UTF-16BE though the header says LE", bom("be", text), "utf-16le", "not well-formed"]
  ]
  for (const [name, bytes, charset, detail] of contradictory) {
    it(`${name} is malformed`, () => {
      assert.include(malformed(bytes, charset).detail, detail)
    })
  }
})

describe("D2.7 a hostile body", () => {
  it("of an element with more than 1,000 attributes is refused, which the parser would gather", () => {
    const attributes = (count: number) => Array.from({ length: count }, (_, at) => `a${at}='x'`).join(" ")
    assert.strictEqual(accept(`<a ${attributes(1000)}><b ${attributes(1000)}/></a>`)[0], "a")
    assert.strictEqual(
      malformed(`<a ${attributes(500_000)}/>`).detail,
      "an element has over 1000 attributes"
    )
  })
})

describe("D2.5 the parser never throws", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "<",
      ">",
      "/",
      "<a>",
      "</a>",
      "<a/>",
      "<x:b ",
      "=",
      "'",
      "\"",
      "&",
      ";",
      "&amp;",
      "&#",
      "&#x41;",
      "]]>",
      "<!--",
      "-->",
      "<![CDATA[",
      "<?",
      "?>",
      "<?xml version='1.0'?>",
      "<!DOCTYPE",
      "\r\n",
      "\ufeff",
      "\0",
      " "
    ),
    fc.string({ maxLength: 3, unit: "binary" })
  )

  it("on pieces of markup", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        parse(pieces.join(""))
        parse(`<a>${pieces.join("")}</a>`)
      }),
      runs(3000)
    )
  })

  it("on any bytes, in any charset", () => {
    const charsets = fc.constantFrom<Charset | undefined>(
      undefined,
      "utf-8",
      "utf-16",
      "utf-16le",
      "utf-16be",
      "iso-8859-1"
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), charsets, (bytes, charset) => {
        parse(bytes, charset)
      }),
      runs(1000)
    )
  })
})
