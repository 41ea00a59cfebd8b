/**
 * A long document in XML is read in slices, and no further than it can be valid.
 */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { errorOf } from "@dockline/core/document/DocumentInput"
import { Strategies } from "@dockline/core/document/Strategy"
import { Pause } from "@dockline/core/input/Slices"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as XmlBody from "../../src/body/XmlBody.ts"
import { makeReader } from "../../src/handlers/DocumentFiles.ts"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const head =
  "<Document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction><orderNumber>A</orderNumber>"
const fill = (part: string, end = "</Document>", size = 1024 * 1024): string =>
  head + part.repeat(Math.floor(size / part.length)) + end

/** Reads a document; says what became of it, and how often others had their turn. */
const read = Effect.fnUntraced(function*(text: string) {
  let pauses = 0
  const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies }
  const reader = makeReader(rules, DocumentInput.defaultItemLimit)
  const result = yield* Effect.result(
    Effect.mapError(reader(encode(text), { format: "xml", charset: undefined }), errorOf)
  ).pipe(
    Effect.provideService(Pause, Effect.sync(() => void pauses++))
  )
  return { result, pauses }
})

describe("D2.5 a long body", () => {
  // @threat requests.10
  it.effect.each(
    [
      ["line ends", fill("\r")],
      ["line ends of two characters", fill("\r\n")],
      ["empty entries", fill("<items/>")],
      ["comments", fill("<!--x-->")],
      ["instructions", fill("<?a?>")],
      ["one text", fill(`<driverName>${"x".repeat(1024 * 1024 - 30)}</driverName>`)]
    ] as const
  )("of %s gives way at least after each 20,000 characters", ([, text]) =>
    Effect.gen(function*() {
      const { pauses } = yield* read(text)
      assert.isAtLeast(pauses, 1024 * 1024 / 20_000)
    }))

  it.effect.each(
    [
      ["unknown elements", fill("<a/>", "<"), "a"],
      ["elements where text is due", fill("<lot><b/></lot>", "<"), "lot"],
      ["an element again and again", fill("<dockSlug>1</dockSlug>", "<"), "dockSlug"],
      ["elements within text", fill(`<driverName>${"<b/>".repeat(100_000)}`, "<"), "driverName"]
    ] as const
  )("is read no further when it holds %s", ([, text, path]) =>
    Effect.gen(function*() {
      const { pauses, result } = yield* read(text)
      assert(Result.isFailure(result) && result.failure._tag === "MalformedDocument")
      assert.strictEqual(result.failure.errors[0]?.path, path)
      assert.isBelow(pauses, 16)
    }))

  it.effect("holds too many items as soon as the first one too many is read", () =>
    Effect.gen(function*() {
      const { result } = yield* read(fill("<items><lpn>1</lpn></items>", "and no end"))
      assert(Result.isFailure(result))
      assert.strictEqual(result.failure.code, "TOO_MANY_ITEMS")
    }))
})

describe("D2.5 wherever a body is cut into pieces", () => {
  const pieces = [
    "\r\n",
    "\r",
    "\n",
    "<a>x</a>",
    "&amp;",
    "\u{1f600}",
    "<!-- - -->",
    "<![CDATA[]]]>",
    "]]",
    "<b\r/>"
  ]

  it("it is read as if it were not", () => {
    for (const piece of pieces) {
      for (let before = 8180; before < 8200; before++) {
        const text = `<d>${" ".repeat(before)}${piece}<z/></d>`
        const long = XmlBody.parse(encode(text), undefined)
        const short = XmlBody.parse(encode(`<d>${piece}<z/></d>`), undefined)
        assert(Result.isSuccess(long) && Result.isSuccess(short), `${JSON.stringify(piece)} after ${before}`)
        const trimmedTree = { ...long.success, text: long.success.text.slice(before) }
        assert.deepStrictEqual(
          outline(trimmedTree),
          outline(short.success),
          `${JSON.stringify(piece)} after ${before}`
        )
      }
    }
  })

  it("and refused with the same place", () => {
    for (const fault of ["&x;", "</x>", "\r\n\r<", "<a b>", "&#0;"]) {
      for (let before = 8180; before < 8200; before++) {
        const long = XmlBody.parse(encode(`<d>\r\n${"\r".repeat(before)}${fault}`), undefined)
        const short = XmlBody.parse(encode(`<d>\n${fault}`), undefined)
        assert(Result.isFailure(long) && Result.isFailure(short))
        assert(long.failure._tag === "MalformedBody" && short.failure._tag === "MalformedBody")
        const { column, detail, line } = long.failure
        assert.deepStrictEqual(
          { line: line - before, column, detail },
          { line: short.failure.line, column: short.failure.column, detail: short.failure.detail }
        )
      }
    }
  })
})

const outline = ({ children, line, name, text }: XmlBody.XmlElement): ReadonlyArray<unknown> => [
  name,
  line,
  text,
  ...children.map(outline)
]
