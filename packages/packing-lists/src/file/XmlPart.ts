/**
 * Reads a part of an XLSX file, which is XML, by `saxes`: element by element, in slices, without a tree.
 *
 * Guarantee: a part cannot expand, recurse or reach a file or the network: a document type declaration is refused, and so are elements that
 * are nested deeper than any part needs.
 */
import type { Steps } from "@dockline/core/input/Slices"
import { Result } from "effect"
import { SaxesParser } from "saxes"
import { FileFault, fileFault } from "./FileTable.ts"

/** The callbacks for the elements of a part; names have no prefix. */
export interface PartHandler {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close?: (name: string, text: string) => void
}

const maxDepth = 64

const maxAttributes = 1000

/** The number of characters that the parser gets at a time, and the number that costs as much as a step. */
const [pieceLength, charactersPerStep] = [8 * 1024, 4]

/** The fault of a part that is damaged. */
export const damage = (): FileFault =>
  fileFault("a part of the XLSX file is damaged", "Open it in a spreadsheet program, and save it again.")

const localName = (name: string): string => name.slice(name.lastIndexOf(":") + 1)

/** Decodes a part: UTF-8, or UTF-16 with a byte order mark. */
const decode = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  const charset = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff
    ? "utf-16be"
    : "utf-8"
  return new TextDecoder(charset, { fatal: true }).decode(bytes)
}

/** Reads a part. A handler may throw a {@link FileFault}, which ends the reading. */
export function* readPart(
  bytes: Uint8Array,
  { close, open }: PartHandler
): Steps<Result.Result<void, FileFault>> {
  const parser = new SaxesParser({ forceXMLVersion: true, defaultXMLVersion: "1.0", position: false })
  let depth = 0
  let attributes = 0
  let text = ""
  const refuse = (): never => {
    throw damage()
  }
  parser.on("error", refuse)
  parser.on("doctype", refuse)
  parser.on("opentagstart", () => {
    attributes = 0
    if (++depth > maxDepth) refuse()
  })
  parser.on("attribute", () => {
    if (++attributes > maxAttributes) refuse()
  })
  parser.on("opentag", ({ attributes, name }) => {
    text = ""
    // Without the option for namespaces, attributes are texts.
    open?.(localName(name), attributes as Readonly<Record<string, string>>)
  })
  const addText = (part: string): void => {
    text += part
  }
  parser.on("text", addText)
  parser.on("cdata", addText)
  parser.on("closetag", ({ name }) => {
    depth--
    close?.(localName(name), text)
    text = ""
  })
  try {
    const all = decode(bytes)
    for (let at = 0; at < all.length; at += pieceLength) {
      parser.write(all.slice(at, at + pieceLength))
      yield pieceLength / charactersPerStep
    }
    parser.close()
  } catch (error) {
    if (error instanceof FileFault) return Result.fail(error)
    // A part that is not in its charset, or that refers to another by an invalid path.
    if (error instanceof TypeError || error instanceof URIError) return Result.fail(damage())
    throw error
  }
  return Result.void
}
