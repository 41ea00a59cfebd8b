/**
 * Makes documents from a table by a mapping: one document for each shipment, with the orders of its lines. Each fault names its cell
 * (D25.4).
 *
 * Guarantee: `listingOf` is pure, and runs in slices. The documents of a table concern different shipments and different orders, so that no
 * document depends on another. An order with a fault is in no document.
 */
import type { Document } from "@dockline/core/document/Document"
import type * as DocumentInput from "@dockline/core/document/DocumentInput"
import { errorOf } from "@dockline/core/document/DocumentInput"
import type { Steps } from "@dockline/core/input/Slices"
import { itemKey } from "@dockline/core/shipment/Shipment"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { clip } from "@dockline/core/values/Clip"
import { Result } from "effect"
import type { Cell, Row, Table } from "../file/FileTable.ts"
import { limits } from "../file/FileTable.ts"
import type { CellFault } from "./CellFault.ts"
import { valueOf } from "./CellValue.ts"
import type { Value } from "./CellValue.ts"
import { columnsOf, fieldsByName, mappedFields, trim } from "./Mapping.ts"
import type { Column, MappedField, Mapping } from "./Mapping.ts"

/** An order of a file. */
export interface ListedOrder {
  readonly orderNumber: string
  readonly shipmentNumber: string
  /** Its first row. */
  readonly row: number
  readonly lineCount: number
  readonly faults: ReadonlyArray<CellFault>
}

/** A shipment of a file. */
export interface ListedShipment {
  readonly shipmentNumber: string
  readonly orders: ReadonlyArray<ListedOrder>
  /** The document with the orders that have no faults; `undefined` if each order has a fault. */
  readonly document: Document | undefined
  /** Makes a fault of the shipment as a whole, at the cell with its number. */
  readonly faultOf: (detail: string) => CellFault
}

/** The result of applying a mapping to a table. */
export interface Listing {
  readonly columns: ReadonlyArray<Column & { readonly field: string }>
  readonly lineCount: number
  readonly shipments: ReadonlyArray<ListedShipment>
  /** The faults that belong to no order: faults of the mapping or the header, and of lines without an order number. */
  readonly faults: ReadonlyArray<CellFault>
  /** Notes about formulas: their saved results were read. */
  readonly notes: ReadonlyArray<CellFault>
  /** The number of all faults, including those of orders. */
  readonly faultCount: number
}

/** The place of the documents of a file, and the rules by which they are read. */
export interface ListingRules {
  readonly business: string
  readonly facility: string
  /** Reads documents, as the service does. */
  readonly read: ReturnType<typeof DocumentInput.stepReader>
  /** The fields that a strategy requires of items, by its name; `undefined` for an unknown strategy. */
  readonly requiredFields: (strategy: string) => ReadonlyArray<string> | undefined
}

interface Source {
  readonly row: number
  readonly column: Column | undefined
  readonly text: string
}

interface Entry {
  readonly value: Value
  readonly source: Source
}

interface Line {
  readonly row: Row
  readonly values: ReadonlyMap<string, Entry>
}

interface OpenOrder {
  readonly number: string
  readonly shipmentNumber: string
  readonly lines: Array<Line>
  readonly fields: Map<string, Entry>
  readonly faults: Array<CellFault>
}

interface OpenShipment {
  readonly number: string
  readonly orders: Map<string, OpenOrder>
  readonly fields: Map<string, Entry>
  /** The fault of the first line that contradicts an earlier line about the shipment. */
  difference: CellFault | undefined
  /** The rows of its items, by the keys of the items. */
  readonly items: Map<string, number>
}

/** The strategy of documents that name no strategy. */
const defaultStrategy = "OVERWRITE"

const noCell = { column: "", name: "", field: "", value: "" }

/** The field of each column, and the values that are the same in every line. */
interface Plan {
  readonly columns: ReadonlyArray<readonly [Column, MappedField]>
  readonly constants: ReadonlyMap<string, Value>
  readonly faults: ReadonlyArray<CellFault>
}

const planOf = (
  { sheet }: Table,
  all: ReadonlyArray<Column>,
  mapping: Mapping,
  rules: ListingRules
): Plan => {
  const faults: Array<CellFault> = []
  const fault = (detail: string, cell: Partial<CellFault> = {}): void => {
    faults.push({ sheet: clip(sheet), row: mapping.headerRow, ...noCell, ...cell, detail })
  }
  const fields = new Set<string>()
  const columns: Array<readonly [Column, MappedField]> = []
  for (const { column: name, field } of mapping.columns) {
    const matches = all.filter((column) => column.name === trim(name))
    const [column] = matches
    const at = { name: clip(name), field }
    if (fields.has(field)) fault("is the field of another column or value as well", at)
    else if (column === undefined) fault("is no column of the file", at)
    else if (matches.length > 1) {
      fault(`is the name of ${matches.length} columns; give each a name of its own`, {
        ...at,
        column: column.letters
      })
    } else columns.push([column, fieldsByName.get(field)!])
    fields.add(field)
  }
  const constants = new Map<string, Value>()
  for (const { field, value } of mapping.values) {
    const result = valueOf({ kind: "text", text: value, isFormula: false }, fieldsByName.get(field)!, mapping)
    if (fields.has(field)) {
      fault("is the field of another column or value as well", { field, value: clip(value) })
    } else if (Result.isFailure(result)) fault(result.failure, { field, value: clip(value) })
    else constants.set(field, result.success)
    fields.add(field)
  }
  const strategy = mapping.strategy || defaultStrategy
  const ofItems = rules.requiredFields(strategy)
  if (ofItems === undefined) fault(`names no item strategy: ${clip(strategy)}`, { value: clip(strategy) })
  for (const field of ["orderNumber", "direction", ...ofItems ?? []]) {
    if (!fields.has(field)) fault(`no column has ${field}, and no value of the mapping`, { field })
  }
  return { columns, constants, faults }
}

/** Makes documents from a table. */
export function* listingOf(table: Table, mapping: Mapping, rules: ListingRules): Steps<Listing> {
  const { sheet } = table
  const all = columnsOf(table, mapping.headerRow)
  const plan = planOf(table, all, mapping, rules)
  const rows = table.rows.filter(({ number }) => number > mapping.headerRow)
  const fieldsOfColumns = new Map(plan.columns.map(([{ index }, { name }]) => [index, name]))
  const columns = all.map((column) => ({
    ...column,
    field: fieldsOfColumns.get(column.index) ?? ""
  }))
  const faults = [...plan.faults]
  const faultAt = ({ column, row, text }: Source, field: string, detail: string): CellFault => ({
    sheet: clip(sheet),
    row,
    column: column?.letters ?? "",
    name: clip(column?.name ?? ""),
    field,
    value: clip(text),
    detail
  })
  if (rows.length > limits.lines) {
    faults.push({
      sheet: clip(sheet),
      row: 0,
      ...noCell,
      detail: `has more than ${limits.lines} lines; send several files, each with all lines of its orders`
    })
  }
  const empty = { columns, lineCount: rows.length, shipments: [], notes: [] }
  if (faults.length > 0) return { ...empty, faults, faultCount: faults.length }

  const formulas = new Map<Column, { row: number; count: number; isText: boolean }>()
  const shipments = new Map<string, OpenShipment>()
  const shipmentsOfOrders = new Map<string, { readonly shipment: string; readonly row: number }>()

  for (const row of rows) {
    yield 4 + plan.columns.length
    const values = new Map<string, Entry>()
    const ofLine: Array<CellFault> = []
    for (const [field, value] of plan.constants) {
      values.set(field, { value, source: { row: row.number, column: undefined, text: String(value) } })
    }
    for (const [column, field] of plan.columns) {
      const cell = row.cells.get(column.index)
      if (cell === undefined) continue
      noteFormula(formulas, cell, column, row.number)
      const source = { row: row.number, column, text: cell.text }
      const value = valueOf(cell, field, mapping)
      if (Result.isFailure(value)) ofLine.push(faultAt(source, field.name, value.failure))
      else if (value.success !== "") values.set(field.name, { value: value.success, source })
    }
    const orderNumber = textOf(values, "orderNumber")
    if (orderNumber === "") {
      const isNamed = ofLine.some(({ field }) => field === "orderNumber")
      const column = plan.columns.find(([, { name }]) => name === "orderNumber")?.[0]
      const source = { row: row.number, column, text: "" }
      faults.push(...ofLine, ...isNamed ? [] : [faultAt(source, "orderNumber", "is required")])
      continue
    }
    const shipmentNumber = textOf(values, "shipmentNumber") || orderNumber
    const shipment = shipments.get(shipmentNumber) ??
      {
        number: shipmentNumber,
        orders: new Map(),
        fields: new Map(),
        items: new Map(),
        difference: undefined
      }
    shipments.set(shipmentNumber, shipment)
    const order = shipment.orders.get(orderNumber) ??
      { number: orderNumber, shipmentNumber, lines: [], fields: new Map(), faults: [] }
    shipment.orders.set(orderNumber, order)
    order.faults.push(...ofLine)
    order.lines.push({ row, values })

    const earlier = shipmentsOfOrders.get(orderNumber)
    if (earlier === undefined) {
      shipmentsOfOrders.set(orderNumber, { shipment: shipmentNumber, row: row.number })
    } else if (earlier.shipment !== shipmentNumber) {
      const fault = faultAt(
        values.get("shipmentNumber")?.source ?? values.get("orderNumber")!.source,
        "shipmentNumber",
        `the order is on shipment ${
          clip(earlier.shipment)
        } in row ${earlier.row}; an order is on one shipment`
      )
      order.faults.push(fault)
      // Both parts get the fault, because each would otherwise be mistaken for the whole order.
      shipments.get(earlier.shipment)!.orders.get(orderNumber)!.faults.push(fault)
    }
    for (const { level, name } of mappedFields) {
      const entry = level === "item" ? undefined : values.get(name)
      if (entry === undefined) continue
      const { fields } = level === "shipment" ? shipment : order
      const before = fields.get(name)
      if (before === undefined) fields.set(name, entry)
      else if (before.value !== entry.value) {
        const other = `row ${before.source.row} has ${clip(String(before.value))} for the same ${level}`
        const fault = faultAt(entry.source, name, `differs: ${other}`)
        order.faults.push(fault)
        if (level === "shipment") shipment.difference ??= fault
      }
    }
    const key = itemKey({
      identifier: textOf(values, "identifier"),
      lpn: textOf(values, "lpn"),
      sku: textOf(values, "sku")
    })
    // The rules of documents check the keys of items without an LPN.
    if (textOf(values, "lpn") === "") continue
    const same = shipment.items.get(key)
    if (same === undefined) shipment.items.set(key, row.number)
    else {
      order.faults.push(faultAt(
        values.get("lpn")!.source,
        "lpn",
        `row ${same} has the same LPN with the same SKU; each is one line`
      ))
    }
  }

  const list: Array<ListedShipment> = []
  for (const shipment of shipments.values()) {
    list.push(yield* listedShipment(shipment, mapping, rules, faultAt))
  }
  const ofOrders = list.flatMap(({ orders }) => orders).reduce(
    (sum, { faults }) => sum + faults.length,
    0
  )
  return {
    ...empty,
    shipments: list,
    faults,
    notes: Array.from(
      formulas,
      ([column, { count, isText, row }]) => faultAt({ column, row, text: "" }, "", formulaNote(count, isText))
    ),
    faultCount: faults.length + ofOrders
  }
}

const textOf = (values: Line["values"], name: string): string => String(values.get(name)?.value ?? "")

const noteFormula = (
  formulas: Map<Column, { row: number; count: number; isText: boolean }>,
  { isFormula, kind, text }: Cell,
  column: Column,
  row: number
): void => {
  const isText = kind === "text" && !isFormula && text.startsWith("=")
  if (!isFormula && !isText) return
  const note = formulas.get(column)
  if (note === undefined) formulas.set(column, { row, count: 1, isText })
  else note.count++
}

const formulaNote = (count: number, isText: boolean): string => {
  const cells = count === 1 ? "a cell" : `${count} cells, this one first,`
  return isText
    ? `${cells} beginning with = ${count === 1 ? "is" : "are"} taken as text: nothing is computed`
    : `${cells} with a formula ${count === 1 ? "is" : "are"} taken as it was saved: nothing is computed`
}

/** Makes the document of a shipment, and reports its faults at the cells of the values. */
function* listedShipment(
  { difference, fields, number, orders }: OpenShipment,
  mapping: Mapping,
  { business, facility, read }: ListingRules,
  faultAt: (source: Source, field: string, detail: string) => CellFault
): Steps<ListedShipment> {
  const open = Array.from(orders.values())
  const sourceOfShipment = fields.get("shipmentNumber")?.source ?? open[0]!.fields.get("orderNumber")!.source

  const documentOf = (parts: ReadonlyArray<OpenOrder>) => ({
    ...valuesOf("shipment", fields),
    business,
    facility,
    shipmentNumber: number,
    ...(mapping.strategy === "" ? {} : { orderItemUpdateStrategy: mapping.strategy }),
    orders: parts.map((order) => ({
      ...valuesOf("order", order.fields),
      items: order.lines.map(({ values }) => valuesOf("item", values))
    }))
  })

  /** The source of the value at a path of the document, and its order. */
  const sourceAt = (path: string, parts: ReadonlyArray<OpenOrder>) => {
    const match = /^orders\[(\d+)\](?:\.items\[(\d+)\])?\.?(.*)$/.exec(path)
    if (match === null) {
      const source = fields.get(path)?.source
      return { order: undefined, field: path, source: source ?? sourceOfShipment }
    }
    const [, at = "0", itemAt, rest = ""] = match
    const order = parts[Number(at)]!
    const line = itemAt === undefined ? undefined : order.lines[Number(itemAt)]
    const level = line === undefined ? "order" : "item"
    const field = mappedFields.find((each) => each.level === level && each.path === rest)?.name ?? rest
    const source = (line?.values ?? order.fields).get(field)?.source
    const row = (line ?? order.lines[0]!).row.number
    return { order, field, source: source ?? { row, column: undefined, text: "" } }
  }

  // If lines contradict each other about the shipment, each of its orders gets the fault, because it is unknown which line is right.
  if (difference !== undefined) {
    for (const { faults } of open) if (faults.length === 0) faults.push(difference)
  }
  let parts: ReadonlyArray<OpenOrder> = open.filter(({ faults }) => faults.length === 0)
  let document: Document | undefined
  // The first reading finds the faults of all orders. Then the document is read again without the faulty orders.
  while (parts.length > 0 && document === undefined) {
    const result = yield* read(documentOf(parts), true)
    if (Result.isSuccess(result)) {
      document = result.success
      break
    }
    const { errors = [], message }: CatalogueError = errorOf(result.failure)
    const before = parts
    for (const { detail, path } of errors.length > 0 ? errors : [{ path: "", detail: message }]) {
      const { field, order, source } = sourceAt(path, before)
      // A fault of a shipment is a fault of each of its orders.
      for (const each of order === undefined ? before : [order]) {
        each.faults.push(faultAt(source, field, detail))
      }
    }
    parts = before.filter(({ faults }) => faults.length === 0)
    if (parts.length === before.length) break
  }
  return {
    shipmentNumber: number,
    orders: open.map(({ faults, lines, number: orderNumber }) => ({
      orderNumber,
      shipmentNumber: number,
      row: lines[0]!.row.number,
      lineCount: lines.length,
      faults
    })),
    document,
    faultOf: (detail) => faultAt(sourceOfShipment, "shipmentNumber", detail)
  }
}

/** The values of a level, by their names in documents. */
const valuesOf = (level: MappedField["level"], values: Line["values"]): Record<string, Value> =>
  Object.fromEntries(
    mappedFields.filter((each) => each.level === level).flatMap(({ name, path }) => {
      const entry = values.get(name)
      return entry === undefined ? [] : [[path, entry.value]]
    })
  )
