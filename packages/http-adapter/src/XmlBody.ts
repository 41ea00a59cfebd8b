/**
 * An XML body, from bytes to a neutral tree of elements (D2.5); `XmlShape` makes a value of the tree.
 *
 * Guarantee: what is accepted is well-formed XML 1.0 (fifth edition) without a document type declaration, nested no
 * deeper than the limit; everything else is refused with line and column. The only entities are XML's five and
 * character references to characters that XML allows, so a body cannot expand, recurse or reach a file or network.
 * Line ends are `\n` (XML 1.0 section 2.11). Time and memory are linear in the size of the body.
 *
 * The parser is `saxes`; docs/adr/0004-xml-parser.md says why.
 */
import { clip } from "@dockline/core/Clip"
import { Result } from "effect"
import { SaxesParser } from "saxes"
import { defaultLimits } from "./BodyLimits.ts"
import type { BodyLimits } from "./BodyLimits.ts"
import type { Charset } from "./Charset.ts"
import type { UnsupportedMediaType } from "./ContentType.ts"
import { malformed, positionAt } from "./MalformedBody.ts"
import type { MalformedBody, Position } from "./MalformedBody.ts"
import * as XmlCharset from "./XmlCharset.ts"

/** An element as it was written; attributes, comments and processing instructions are dropped. */
export interface XmlElement {
  /** The name without its namespace prefix, whether that is bound or not. */
  readonly name: string
  /** All text directly inside, CDATA included, untrimmed; around child elements, the whitespace between them. */
  readonly text: string
  readonly children: ReadonlyArray<XmlElement>
  /** The line of the start tag, from 1. */
  readonly line: number
}

/**
 * Reads an XML body; `charset` is that of the `Content-Type` header, if it names one. Fails with
 * `UnsupportedMediaType` only for a charset that the body itself declares.
 */
export const parse = (
  bytes: Uint8Array,
  charset: Charset | undefined,
  limits: BodyLimits = defaultLimits
): Result.Result<XmlElement, MalformedBody | UnsupportedMediaType> =>
  Result.flatMap(XmlCharset.decode(bytes, charset), (text) => {
    if (text.trim() === "") return Result.fail(malformed({ line: 1, column: 1 }, "the body is empty"))
    const declaration = doctypeAt(text)
    return declaration === undefined
      ? parseText(text, limits)
      : Result.fail(
        malformed(
          positionAt(text, declaration),
          "a document type declaration (DOCTYPE) is not accepted; leave it out"
        )
      )
  })

/**
 * The offset of a DOCTYPE in the prolog. It is looked for before anything is parsed, so that no declaration in it is
 * ever read; anywhere else it is a syntax error.
 */
const doctypeAt = (text: string): number | undefined => {
  let at = 0
  for (;;) {
    while (isWhitespace(text.charCodeAt(at))) at++
    const [open, close] = text.startsWith("<!--", at) ? ["<!--", "-->"] : ["<?", "?>"]
    if (!text.startsWith(open, at)) return text.startsWith("<!DOCTYPE", at) ? at : undefined
    const end = text.indexOf(close, at + open.length)
    if (end < 0) return undefined
    at = end + close.length
  }
}

/** What XML calls whitespace; a no-break space is text. */
export const isWhitespace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

interface OpenElement extends XmlElement {
  name: string
  text: string
  children: Array<OpenElement>
}

/** Carries a refusal out of the parser's callbacks; saxes would go on after an error. */
class Refusal extends Error {
  readonly body: MalformedBody
  constructor(body: MalformedBody) {
    super(body.detail)
    this.body = body
  }
}

const noChildren: Array<OpenElement> = []

const parseText = (text: string, limits: BodyLimits): Result.Result<XmlElement, MalformedBody> => {
  // XML 1.0 reads any 1.x document as 1.0. Without `xmlns` a prefix need not be bound. Positions are not in messages.
  const parser = new SaxesParser({ forceXMLVersion: true, defaultXMLVersion: "1.0", position: false })
  const open: Array<OpenElement> = []
  let current: OpenElement | undefined
  let closed: OpenElement | undefined

  const here = (): Position => ({ line: parser.line, column: Math.max(parser.column, 1) })
  const refuse = (detail: string, position = here()): never => {
    throw new Refusal(malformed(position, detail))
  }
  const addText = (part: string): void => {
    if (current !== undefined) current.text += part
  }

  parser.on("error", ({ message }) => {
    const { detail, offset } = explain(message, text.slice(0, parser.position), closed)
    refuse(`not well-formed XML: ${detail}`, offset === undefined ? here() : positionAt(text, offset))
  })
  parser.on("opentagstart", ({ name }) => {
    if (open.length >= limits.maxDepth) refuse(`the elements are nested over ${limits.maxDepth} levels deep`)
    // The parser has read the character after the name; a line end there belongs to the next line.
    const line =
      text.charCodeAt(parser.position - 1) === 0x0a || text.charCodeAt(parser.position - 1) === 0x0d
        ? parser.line - 1
        : parser.line
    const element: OpenElement = { name: localName(name), text: "", children: noChildren, line }
    if (current !== undefined) {
      if (current.children === noChildren) current.children = [element]
      else current.children.push(element)
    }
    open.push(element)
    current = element
  })
  parser.on("closetag", () => {
    closed = open.pop()
    current = open.at(-1)
  })
  parser.on("text", addText)
  parser.on("cdata", addText)

  try {
    // A second byte order mark would be taken for the first, which decoding has dropped.
    if (text.charCodeAt(0) === 0xfeff) refuse("not well-formed XML: text before the root element")
    parser.write(text).close()
  } catch (error) {
    if (error instanceof Refusal) return Result.fail(error.body)
    throw error
  }
  return closed === undefined
    ? Result.fail(malformed({ line: 1, column: 1 }, "the body has no root element"))
    : Result.succeed(closed)
}

/** `lpn` of `x:lpn`; a name that is nothing but a prefix stays as it is. */
const localName = (name: string): string => name.slice(name.lastIndexOf(":") + 1) || name

interface Explanation {
  readonly detail: string
  /** Where the fault starts, in UTF-16 units, if that is not where the parser noticed it. */
  readonly offset?: number
}

/** saxes' message, made to say what it is about; `before` is the text up to where the parser stands. */
const explain = (message: string, before: string, closed: XmlElement | undefined): Explanation => {
  switch (message) {
    case "undefined entity.": {
      const offset = before.lastIndexOf("&")
      const entity = clip(before.slice(offset))
      return {
        detail: `the entity "${entity}" is unknown; XML itself has &amp; &lt; &gt; &quot; and &apos;`,
        offset
      }
    }
    case "malformed character entity.": {
      const offset = strayAmpersand(before)
      const reference = clip(before.slice(offset))
      return { detail: `"${reference}" is not a reference to a character that XML allows`, offset }
    }
    case "disallowed character in entity name.":
    case "empty entity name.":
      return { detail: bareAmpersand, offset: strayAmpersand(before) }
    case "unexpected close tag.": {
      const tag = clip(before.slice(before.lastIndexOf("</")))
      return { detail: `${tag} does not close the open element <${clip(closed?.name ?? "")}>` }
    }
    default: {
      // A bare & swallows all that follows up to a semicolon; without one, the parser only misses the end tags.
      const offset = message.startsWith("unclosed tag") ? strayAmpersand(before) : -1
      return offset >= 0 && !/(?:]]|--|\?)>/.test(before.slice(offset))
        ? { detail: bareAmpersand, offset }
        : { detail: plain(message) }
    }
  }
}

/** What saxes says when a name or its order in the XML declaration is wrong is not for integrators. */
const plain = (message: string): string =>
  message.startsWith("expected ")
    ? "the XML declaration is wrong; write <?xml version=\"1.0\" encoding=\"UTF-8\"?> or leave it out"
    : clip(message.replace(/\.$/, ""))

const bareAmpersand = "\"&\" does not start a reference here; write it as &amp;"

/** The first `&` since the last complete reference (whose semicolon may be the last character), or -1. */
const strayAmpersand = (before: string): number => {
  const semicolon = before.lastIndexOf(";", before.length - 2)
  return before.indexOf("&", semicolon + 1)
}
