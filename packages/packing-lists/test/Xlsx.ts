/** Makes XLSX files, part by part, so that each part can be damaged in its own way. */
import { crc32, deflateRawSync } from "node:zlib"

/** A part of a ZIP file. */
export interface Part {
  readonly name: string
  readonly content: string | Uint8Array
  /** The size in the directory, in place of the true one. */
  readonly size?: number
}

const number = (value: number, bytes: number): Uint8Array => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

/** A ZIP file of parts. */
export const zip = (parts: ReadonlyArray<Part>): Uint8Array => {
  const chunks: Array<Uint8Array> = []
  const directory: Array<Uint8Array> = []
  let offset = 0
  for (const { content, name, size } of parts) {
    const bytes = Buffer.from(content)
    const deflation = deflateRawSync(bytes)
    const file = Buffer.from(name)
    const common = [
      number(20, 2),
      number(0, 2),
      number(8, 2),
      number(0, 4),
      number(crc32(bytes), 4),
      number(deflation.length, 4),
      number(size ?? bytes.length, 4),
      number(file.length, 2),
      number(0, 2)
    ]
    const local = [number(0x04034b50, 4), ...common, file, deflation]
    directory.push(
      number(0x02014b50, 4),
      number(20, 2),
      ...common,
      number(0, 2),
      number(0, 2),
      number(0, 2),
      number(0, 4),
      number(offset, 4),
      file
    )
    chunks.push(...local)
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const length = directory.reduce((sum, chunk) => sum + chunk.length, 0)
  const end = [
    number(0x06054b50, 4),
    number(0, 4),
    number(parts.length, 2),
    number(parts.length, 2),
    number(length, 4),
    number(offset, 4),
    number(0, 2)
  ]
  return Buffer.concat([...chunks, ...directory, ...end])
}

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`

const relationships = (
  entries: ReadonlyArray<readonly [id: string, type: string, target: string, mode?: string]>
) =>
  `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${
    entries.map(([id, type, target, mode]) =>
      `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"${
        mode === undefined ? "" : ` TargetMode="${mode}"`
      }/>`
    ).join("")
  }</Relationships>`

/** The parts of a workbook beside its sheets. */
export interface Extras {
  readonly strings?: string
  readonly styles?: string
  readonly properties?: string
  readonly parts?: ReadonlyArray<Part>
}

/** The parts of a workbook: each sheet by its name, with the content of its `sheetData`; a name may have a state after `|`. */
export const workbook = (
  sheets: Readonly<Record<string, string>>,
  { parts = [], properties = "", strings = "", styles = "" }: Extras = {}
): ReadonlyArray<Part> => {
  const names = Object.keys(sheets)
  return [
    { name: "_rels/.rels", content: relationships([["rId1", "officeDocument", "xl/workbook.xml"]]) },
    {
      name: "xl/workbook.xml",
      content: `${head}<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr ${properties}/><sheets>${
        names.map((each, index) => {
          const [name, state = "visible"] = each.split("|")
          return `<sheet name="${name}" sheetId="${index + 1}" state="${state}" r:id="rId${index + 1}"/>`
        }).join("")
      }</sheets></workbook>`
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: relationships([
        ...names.map((_, index) =>
          [`rId${index + 1}`, "worksheet", `worksheets/sheet${index + 1}.xml`] as const
        ),
        ["rId98", "sharedStrings", "sharedStrings.xml"],
        ["rId99", "styles", "/xl/styles.xml"],
        ["rId97", "externalLink", "https://example.com/other.xlsx", "External"]
      ])
    },
    { name: "xl/sharedStrings.xml", content: `${head}<sst xmlns="${main}">${strings}</sst>` },
    { name: "xl/styles.xml", content: `${head}<styleSheet xmlns="${main}">${styles}</styleSheet>` },
    ...Object.values(sheets).map((rows, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${head}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`
    })),
    ...parts
  ]
}

/** A workbook as a file. */
export const xlsx = (sheets: Readonly<Record<string, string>>, extras?: Extras): Uint8Array =>
  zip(workbook(sheets, extras))

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** A row of cells of text. */
export const textRow = (row: number, ...texts: ReadonlyArray<string>): string =>
  `<row r="${row}">${
    texts.map((text) => `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`).join(
      ""
    )
  }</row>`
