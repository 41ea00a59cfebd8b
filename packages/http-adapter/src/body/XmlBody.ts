/**
 * Reads an XML body from bytes to a tree of elements (D2.5), with `saxes` (docs/adr/0004-xml-parser.md). It stops reading a long body that
 * no longer fits the shape.
 *
 * Guarantee: well-formed XML 1.0 without a document type declaration is accepted, unless it is nested deeper than the limit, an element has
 * over 1000 attributes, or its charset is not supported. Other text is refused with line and column where reading reaches it. A body cannot
 * expand, recurse or reach a file or network.
 */
import { longText, malformed, maxDepth, positionAt } from "@dockline/core/input/JsonText"
import type { MalformedBody, Position } from "@dockline/core/input/JsonText"
import { Fit } from "@dockline/core/input/Shape"
import type { ListShape, ObjectShape, Shape } from "@dockline/core/input/Shape"
import { atOnce, sliceCost } from "@dockline/core/input/Slices"
import type { Steps } from "@dockline/core/input/Slices"
import { clip } from "@dockline/core/values/Clip"
import type { UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import type { Charset } from "@dockline/wire/MediaType"
import { Result } from "effect"
import { SaxesParser } from "saxes"
import { decodeXml } from "./Charset.ts"

interface Explanation {
  readonly detail: string
  /** Where the fault starts, in UTF-16 units, if the parser noticed it later. */
  readonly offset?: number
}

/** Explains a fault. `message` is the message of saxes; `before` is the text that saxes has read; `closed` is the last closed element. */
export const explain = (
  message: string,
  before: string,
  closed: { readonly name: string } | undefined
): Explanation => {
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
      // After a bare `&`, the parser skips everything up to a semicolon; without a semicolon, it only reports missing end tags.
      const offset = message.startsWith("unclosed tag") ? strayAmpersand(before) : -1
      return offset >= 0 && !/(?:]]|--|\?)>/.test(before.slice(offset))
        ? { detail: bareAmpersand, offset }
        : { detail: plain(message) }
    }
  }
}

/** Makes a message of saxes plain: messages about the XML declaration name internal states of saxes. */
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

/** An element as it was written, without attributes, comments and processing instructions. */
export interface XmlElement {
  /** The name without its namespace prefix, whether the prefix is bound or not. */
  readonly name: string
  /** All text directly inside the element, CDATA included, untrimmed. Beside child elements it is the whitespace between them. */
  readonly text: string
  readonly children: ReadonlyArray<XmlElement>
  /** The line of the start tag, from 1. */
  readonly line: number
}

export interface Read {
  readonly root: XmlElement
  /** Whether the whole body was read: reading a long body stops when it does not fit the shape. */
  readonly isWhole: boolean
}

/**
 * Reads an XML body. `charset` is the charset of the header, if it names one. Fails with `UnsupportedMediaType` if the charset that the body
 * itself has is not supported.
 */
export function* read(
  bytes: Uint8Array,
  charset: Charset | undefined,
  shape?: ObjectShape
): Steps<Result.Result<Read, MalformedBody | UnsupportedMediaType>> {
  const isLong = bytes.byteLength > longText
  if (isLong) yield sliceCost
  const xmlText = decodeXml(bytes, charset)
  if (Result.isFailure(xmlText)) return Result.fail(xmlText.failure)
  const text = xmlText.success
  if (text.trim() === "") return Result.fail(malformed({ line: 1, column: 1 }, "the body is empty"))
  const declaration = doctypeAt(text)
  if (isLong) yield sliceCost
  return declaration === undefined
    ? yield* readText(text, shape)
    : Result.fail(
      malformed(
        positionAt(text, declaration),
        "a document type declaration (DOCTYPE) is not accepted; leave it out"
      )
    )
}

/** Reads an XML body of any shape at once. */
export const parse = (
  bytes: Uint8Array,
  charset: Charset | undefined
): Result.Result<XmlElement, MalformedBody | UnsupportedMediaType> =>
  Result.map(atOnce(read(bytes, charset)), ({ root }) => root)

/** Finds a DOCTYPE in the prolog before anything is parsed; anywhere else it is a syntax error. */
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

/** Whether a character is whitespace in XML; a no-break space is text. */
export const isWhitespace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

interface OpenElement extends XmlElement {
  text: string
  children: Array<OpenElement>
  /** The shape of the element, if known, and the list to which it belongs. */
  readonly shape: Shape | undefined
  readonly list: ListShape | undefined
  /** The number of child elements, apart from entries of lists, that may still follow. */
  remainder: number
}

/** Carries a refusal out of the parser's callbacks, because saxes continues after an error. */
class Refusal extends Error {
  readonly body: MalformedBody
  constructor(body: MalformedBody) {
    super(body.detail)
    this.body = body
  }
}

const noChildren: Array<OpenElement> = []

/** The most attributes of an element: they are ignored, but the parser gathers all of them. */
const maxAttributes = 1000

/** The number of characters that the parser gets at a time. Hostile text takes ten times as long as usual text. */
const pieceLength = 8 * 1024

/** The number of characters that cost as much as one step: some fifty in usual XML, but only a few if each is a line end. */
const charactersPerStep = 4

function* readText(text: string, shape: Shape | undefined): Steps<Result.Result<Read, MalformedBody>> {
  const reader = makeReader(shape)
  try {
    // The parser would drop a second byte order mark as if it were the first, which decoding has already dropped.
    if (text.charCodeAt(0) === 0xfeff) reader.refuse("not well-formed XML: text before the root element")
    for (let at = 0; at < text.length;) {
      const end = text[at + pieceLength] === "\n" ? at + pieceLength + 1 : at + pieceLength
      reader.write(text.slice(at, end))
      yield pieceLength / charactersPerStep
      at = end
      const root = reader.root()
      if (reader.isMisfit() && at >= longText && root !== undefined) {
        return Result.succeed({ root, isWhole: false })
      }
    }
    reader.close()
  } catch (error) {
    if (error instanceof Refusal) return Result.fail(error.body)
    throw error
  }
  const root = reader.root()
  return root === undefined
    ? Result.fail(malformed({ line: 1, column: 1 }, "the body has no root element"))
    : Result.succeed({ root, isWhole: true })
}

/** Makes the reader of a body with the shape; the body comes piece by piece. */
const makeReader = (shape: Shape | undefined) => {
  // An XML 1.0 parser reads any 1.x document as 1.0. Without the option `xmlns` a prefix need not be bound. Messages contain no positions.
  const parser = new SaxesParser({ forceXMLVersion: true, defaultXMLVersion: "1.0", position: false })
  const fit = new Fit()
  const open: Array<OpenElement> = []
  let root: OpenElement | undefined
  let isMisfit = false
  /** The text that the parser has received so far, and its last piece. */
  let text = ""
  let last = ""
  let attributes = 0
  let closed: OpenElement | undefined

  const here = (): Position => ({ line: parser.line, column: Math.max(parser.column, 1) })

  const refuse = (detail: string, position = here()): never => {
    throw new Refusal(malformed(position, detail))
  }

  /** The shape of the element that begins, from the shape of its parent. */
  const fieldOf = (name: string): Shape | undefined => {
    const parent = open.at(-1)
    if (parent === undefined) return shape
    // Children of a value of any shape have no shape and no limits.
    if (parent.shape === undefined || parent.shape.kind === "any") return undefined
    const field = Fit.within(parent.shape, name)
    // If there are more elements than fields, a field is given twice.
    if (field === undefined || (field.kind !== "list" && --parent.remainder < 0)) isMisfit = true
    return field
  }

  const addText = (part: string): void => {
    const current = open.at(-1)
    if (current !== undefined) current.text += part
  }
  parser.on("text", addText)
  parser.on("cdata", addText)

  parser.on("error", ({ message }) => {
    const { detail, offset } = explain(message, text.slice(0, parser.position), closed)
    refuse(`not well-formed XML: ${detail}`, offset === undefined ? here() : positionAt(text, offset))
  })

  parser.on("attribute", () => {
    if (++attributes > maxAttributes) refuse(`an element has over ${maxAttributes} attributes`)
  })

  parser.on("opentagstart", ({ name: qualifiedName }) => {
    if (open.length >= maxDepth) refuse(`the elements are nested over ${maxDepth} levels deep`)
    // The parser has already read the character after the name. If that is a line end, the parser counts the next line.
    const { line, position } = parser
    const behind = text.length - position
    const isAtLineEnd = last[last.length - 1 - behind] === "\n"
    attributes = 0
    const name = localName(qualifiedName)
    const field = fieldOf(name)
    const list = field?.kind === "list" ? field : undefined
    const shape = list === undefined ? field : list.of
    const parent = open.at(-1)
    const element: OpenElement = {
      name,
      text: "",
      children: noChildren,
      line: isAtLineEnd ? line - 1 : line,
      shape,
      list,
      remainder: shape?.kind === "object" ? Object.keys(shape.fields).length : 0
    }
    if (parent === undefined) root = element
    else if (parent.children === noChildren) parent.children = [element]
    else parent.children.push(element)
    open.push(element)
  })

  parser.on("closetag", () => {
    closed = open.pop()
    if (closed?.list === undefined) return
    const { children, list } = closed
    // An empty element counts as an entry only in a list of texts.
    if (children.length === 0 && closed.text.trim() === "" && list.of.kind !== "string") {
      open.at(-1)?.children.pop()
    } else if (!fit.hasRoom(list)) isMisfit = true
  })

  return {
    root: () => root,
    /** Whether the body does not fit the shape. */
    isMisfit: () => isMisfit,
    refuse,
    /** Reads the next piece. The parser takes about a hundred times as long for a line end `\r` as for the equivalent `\n`. */
    write: (piece: string): void => {
      last = piece.includes("\r") ? piece.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : piece
      text += last
      parser.write(last)
    },
    close: (): void => void parser.close()
  }
}

/** The local part of a name: `lpn` of `x:lpn`. A bare prefix stays as it is. */
const localName = (name: string): string => name.slice(name.lastIndexOf(":") + 1) || name
