/**
 * Reads a sheet of an XLSX file (ECMA-376): the texts, numbers and dates of its cells, and the formats of numbers. Formulas are not
 * computed: a cell has its saved result. Macros, external links, pictures and comments are never read.
 *
 * Guarantee: `saxes` reads the XML of a part element by element, in slices, without a tree. A part cannot define entities or access files
 * or the network, because a document type declaration is refused. Elements that are nested deeper than any part needs are refused too.
 */
import * as Slices from "@dockline/core/input/Slices"
import type { Steps } from "@dockline/core/input/Slices"
import { Effect, Result } from "effect"
import { SaxesParser } from "saxes"
import { headerAllowance, tooManyColumns, tooManyLines } from "./CsvReader.ts"
import { columnOf, FileFault, fileFault, limits } from "./FileTable.ts"
import type { Cell, Row, Table } from "./FileTable.ts"
import { openParts } from "./ZipParts.ts"
import type { ZipParts } from "./ZipParts.ts"

/** The callbacks for the elements of a part; names have no prefix. */
export interface PartHandler {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close?: (name: string, text: string) => void
}

const maxDepth = 64

const maxAttributes = 1000

/** The number of characters that the parser gets at a time, and the number of characters that cost one step. */
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
    // The part is not valid in its charset, or refers to another part by an invalid path.
    if (error instanceof TypeError || error instanceof URIError) return Result.fail(damage())
    throw error
  }
  return Result.void
}

/** The properties of a format of numbers. */
export interface NumberFormat {
  readonly isDate: boolean
  /** The minimum number of digits, to which numbers are padded with zeros; 0 without padding. */
  readonly digits: number
}

/** The most characters of a format, and of a number. Spreadsheets write no longer ones, so a longer one is a fault. */
const [maxCodeLength, maxNumberLength] = [255, 400]

/** The format of a cell without one. */
export const general: NumberFormat = { isDate: false, digits: 0 }

/** Whether a built-in format, which files name only by its number, is a format of dates or times. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** The format with a number; `code` is its code if the file defines the format. */
export const formatOf = (id: number, code: string | undefined): NumberFormat => {
  if (code === undefined) return { isDate: isBuiltInDate(id), digits: 0 }
  if (code.length > maxCodeLength) throw damage()
  // The first section is for positive numbers; letters in texts, colours and conditions do not mean dates.
  const [section = ""] = code.split(";")
  const letters = section.replaceAll(/"[^"]*"|\\.|_.|\*./g, "").replaceAll(/\[(?![hms]+\])[^[\]]*\]/gi, "")
  if (/^general$/i.test(letters)) return general
  if (/[ymdhs]/i.test(letters)) return { isDate: true, digits: 0 }
  // Colours and languages in brackets show no digits.
  const digits = section.replaceAll(/\[[^[\]]*\]/g, "")
  return { isDate: false, digits: /^0+$/.test(digits) ? digits.length : 0 }
}

const dayMillis = 24 * 60 * 60 * 1000

/** The last day in spreadsheets: 31 December 9999. */
const lastDay = 2_958_465

/**
 * The date that a number means, with its time if it has one; `undefined` for a number that means no date. In files that count from 1900,
 * the number 60 means the 29th of February 1900, which never existed.
 */
export const dateOf = (number: number, is1904: boolean): string | undefined => {
  if (!(number >= 1 && number < lastDay + 1) || (!is1904 && Math.floor(number) === 60)) return undefined
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, number < 60 ? 31 : 30)
  const time = new Date(start + Math.round(number * dayMillis / 1000) * 1000).toISOString()
  return time.endsWith("T00:00:00.000Z") ? time.slice(0, 10) : time.slice(0, 19)
}

/** A number in plain digits, such as `106141411234567000` for `1.06141411234567E+17`; `undefined` for a text that is no number. */
export const plainNumber = (text: string): string | undefined => {
  if (text.length > maxNumberLength) return undefined
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim())
  if (match === null) return undefined
  const [, sign = "", whole = "", part = "", exponent = "0"] = match
  if (whole === "" && part === "") return undefined
  const digits = `${whole}${part}`
  const point = whole.length + Number(exponent)
  const decimal = point <= 0
    ? `0.${"0".repeat(-point)}${digits}`
    : point >= digits.length
    ? digits.padEnd(point, "0")
    : `${digits.slice(0, point)}.${digits.slice(point)}`
  const plain = decimal.replace(/^0+(?=\d)/, "").replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")
  return `${sign === "-" && /[1-9]/.test(plain) ? "-" : ""}${plain}`
}

/** Reads a part of the file. A missing part is a fault unless it is optional. */
const readPartOf = Effect.fnUntraced(function*(
  parts: ZipParts,
  name: string,
  handler: PartHandler,
  isOptional = false
): Effect.fn.Return<void, FileFault> {
  const bytes = yield* parts.read(name)
  if (bytes === undefined) {
    if (isOptional) return
    return yield* damage()
  }
  yield* Effect.flatMap(
    Effect.suspend(() => Slices.runInTurn(readPart(bytes, handler))),
    Effect.fromResult
  )
})

interface Relationship {
  readonly type: string
  readonly target: string
}

/** The parts to which a part refers, by the ids of the references. References to targets outside the file are left out. */
const relationshipsOf = Effect.fnUntraced(function*(parts: ZipParts, name: string) {
  const at = name.lastIndexOf("/")
  const folder = name.slice(0, at + 1)
  const relationships = new Map<string, Relationship>()
  yield* readPartOf(parts, `${folder}_rels/${name.slice(at + 1)}.rels`, {
    open: (element, { Id = "", Target = "", TargetMode = "", Type = "" }) => {
      if (element !== "Relationship" || TargetMode === "External") return
      const path = new URL(Target, `file:///${folder}`).pathname.slice(1)
      relationships.set(Id, { type: Type.slice(Type.lastIndexOf("/") + 1), target: decodeURIComponent(path) })
    }
  }, true)
  return relationships
})

interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  readonly path: string
}

interface Workbook {
  readonly sheets: ReadonlyArray<Sheet>
  readonly is1904: boolean
  readonly strings: ReadonlyArray<string>
  readonly formats: ReadonlyArray<NumberFormat>
}

const isTrue = (text: string | undefined): boolean => text === "1" || text === "true"

const readWorkbook = Effect.fnUntraced(function*(parts: ZipParts): Effect.fn.Return<Workbook, FileFault> {
  const root = Array.from((yield* relationshipsOf(parts, "")).values())
    .find(({ type }) => type === "officeDocument")
  if (root === undefined) return yield* damage()
  const relationships = yield* relationshipsOf(parts, root.target)
  const sheets: Array<Sheet> = []
  let is1904 = false
  yield* readPartOf(parts, root.target, {
    open: (element, attributes) => {
      if (element === "workbookPr") is1904 = isTrue(attributes["date1904"])
      if (element !== "sheet") return
      const [, id = ""] = Object.entries(attributes).find(([name]) => name.endsWith(":id")) ?? []
      const relationship = relationships.get(id)
      // Skips other kinds of sheets, such as charts.
      if (relationship?.type !== "worksheet") return
      const isHidden = (attributes["state"] ?? "visible") !== "visible"
      const name = attributes["name"] ?? ""
      if (name.length > limits.sheetName || sheets.length === limits.parts) throw damage()
      sheets.push({ name, isHidden, path: relationship.target })
    }
  })
  const others = Array.from(relationships.values())
  const pathOf = (type: string) => others.find((each) => each.type === type)?.target
  return {
    sheets,
    is1904,
    strings: yield* readStrings(parts, pathOf("sharedStrings")),
    formats: yield* readFormats(parts, pathOf("styles"))
  }
})

/** The texts that cells share, without their phonetic readings (`rPh`). */
const readStrings = Effect.fnUntraced(function*(parts: ZipParts, path: string | undefined) {
  const strings: Array<string> = []
  if (path === undefined) return strings
  const text = makeText()
  yield* readPartOf(parts, path, {
    open: text.open,
    close: (element, content) => {
      text.close(element, content)
      if (element === "si") strings.push(text.take())
    }
  })
  return strings
})

/** Collects the text of an element that consists of runs. */
const makeText = () => {
  let text = ""
  let phonetic = 0
  return {
    open: (element: string): void => {
      if (element === "rPh") phonetic++
    },
    close: (element: string, content: string): void => {
      if (element === "rPh") phonetic--
      if (element === "t" && phonetic === 0) text += unescapeXml(content)
    },
    take: (): string => {
      const whole = text
      text = ""
      return whole
    }
  }
}

/** Decodes characters that XML cannot contain, which are written as `_x000D_`. */
const unescapeXml = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** The number formats of cell styles, by the numbers of the styles. */
const readFormats = Effect.fnUntraced(function*(parts: ZipParts, path: string | undefined) {
  const formats: Array<NumberFormat> = []
  if (path === undefined) return formats
  const own = new Map<number, NumberFormat>()
  let isOfCells = false
  yield* readPartOf(parts, path, {
    open: (element, attributes) => {
      if (element === "numFmt") {
        const id = Number(attributes["numFmtId"])
        own.set(id, formatOf(id, attributes["formatCode"] ?? ""))
      } else if (element === "cellXfs") isOfCells = true
      else if (element === "xf" && isOfCells) {
        const id = Number(attributes["numFmtId"] ?? 0)
        formats.push(own.get(id) ?? formatOf(id, undefined))
      }
    },
    close: (element) => {
      if (element === "cellXfs") isOfCells = false
    }
  })
  return formats
})

interface OpenCell {
  readonly column: number
  readonly type: string
  readonly format: NumberFormat
  isFormula: boolean
  value: string | undefined
}

/** The cell from the parts of its element; `undefined` for an empty one. */
const cellOf = (
  { format, isFormula, type, value }: OpenCell,
  { is1904, strings }: Workbook
): Cell | undefined => {
  const cell = (kind: Cell["kind"], text: string): Cell => ({ kind, text, isFormula })
  // A formula without a saved result. Some programs write an empty number in this case.
  if (value === undefined || (isFormula && type === "n" && value.trim() === "")) {
    return isFormula ? cell("error", "") : undefined
  }
  if (type === "s" || type === "str" || type === "inlineStr") {
    const text = type === "s" ? strings[Number(value)] : value
    if (text === undefined) throw damage()
    return text.trim() === "" ? undefined : cell("text", text)
  }
  if (type === "b") return cell("flag", isTrue(value) ? "TRUE" : "FALSE")
  if (type === "e") return cell("error", value)
  if (type === "d") return cell("date", value.replace(/T00:00:00(\.0+)?Z?$/, "").replace(/(\.\d+)?Z?$/, ""))
  if (value.trim() === "") return undefined
  const number = plainNumber(value)
  if (number === undefined) throw damage()
  const date = format.isDate ? dateOf(Number(number), is1904) : undefined
  if (date !== undefined) return cell("date", date)
  return cell("number", /^\d+$/.test(number) ? number.padStart(format.digits, "0") : number)
}

/** Reads the rows of a sheet. */
const readRows = Effect.fnUntraced(function*(parts: ZipParts, { path }: Sheet, workbook: Workbook) {
  const rows: Array<Row> = []
  let width = 0
  let row: { readonly number: number; readonly cells: Map<number, Cell> } = { number: 0, cells: new Map() }
  let column = -1
  let cell: OpenCell | undefined
  const text = makeText()
  yield* readPartOf(parts, path, {
    open: (element, attributes) => {
      text.open(element)
      if (element === "row") {
        const number = Number(attributes["r"] ?? row.number + 1)
        if (!Number.isSafeInteger(number) || number < 1) throw damage()
        row = { number, cells: new Map() }
        column = -1
      } else if (element === "c") {
        column = columnOf(/^[A-Z]*/.exec(attributes["r"] ?? "")![0]) ?? column + 1
        const format = workbook.formats[Number(attributes["s"] ?? -1)] ?? general
        cell = { column, type: attributes["t"] ?? "n", format, isFormula: false, value: undefined }
      } else if (element === "f" && cell !== undefined) cell.isFormula = true
    },
    close: (element, content) => {
      text.close(element, content)
      if (element === "v" && cell !== undefined) {
        cell.value = cell.type === "str"
          ? unescapeXml(content)
          : content
      } else if (element === "is" && cell !== undefined) cell.value = text.take()
      else if (element === "c" && cell !== undefined) {
        const value = cellOf(cell, workbook)
        if (value !== undefined) {
          if (cell.column >= limits.columns) throw tooManyColumns(row.number)
          row.cells.set(cell.column, value)
          width = Math.max(width, cell.column + 1)
        }
        cell = undefined
      } else if (element === "row" && row.cells.size > 0) {
        rows.push(row)
        if (rows.length > limits.lines + headerAllowance) throw tooManyLines()
      }
    }
  })
  return { rows, width }
})

/** Reads the sheet with the name, or the first that is not hidden. */
export const readXlsx = Effect.fnUntraced(function*(
  bytes: Uint8Array,
  name?: string
): Effect.fn.Return<Table, FileFault> {
  const parts = yield* openParts(bytes)
  const workbook = yield* readWorkbook(parts)
  const { sheets } = workbook
  const sheet = name === undefined
    ? sheets.find(({ isHidden }) => !isHidden)
    : sheets.find((each) => each.name === name)
  const names = sheets.map((each) => each.name)
  if (sheet === undefined) {
    return yield* name === undefined
      ? fileFault("it has no sheet that is shown", "Send a file with one.")
      : fileFault(
        "it has no sheet of the name that the mapping has",
        `It has ${names.slice(0, 20).join(", ")}.`
      )
  }
  return { sheet: sheet.name, sheets: names, separator: "", ...yield* readRows(parts, sheet, workbook) }
})
