/**
 * Accepts packing lists: reads a file by a mapping and submits its documents. A dry run only reports the outcomes (D25.5).
 *
 * Guarantee: the documents of a file, one for each shipment, are ordinary documents: they follow the same rules, are in the record of
 * documents, and are executed as a whole or refused. A dry run makes the same decisions, and writes nothing. A request reads the whole file,
 * but submits a bounded part of it, and a client continues with `next`. A repeated part has the same effect as repeated documents.
 */
import type { Principal } from "@dockline/core/access/Access"
import { AnswerMemory, OpenAnswerMemory } from "@dockline/core/access/RequestLimits"
import type { Document } from "@dockline/core/document/Document"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { Strategies } from "@dockline/core/document/Strategy"
import * as Slices from "@dockline/core/input/Slices"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory } from "@dockline/core/places/Place"
import type { OrderItem } from "@dockline/core/shipment/Shipment"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { clip } from "@dockline/core/values/Clip"
import {
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  InvalidParameter,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { Effect, Layer, Result, Semaphore } from "effect"
import { createHash } from "node:crypto"
import type { PackingListOrder } from "../domain/PackingList.ts"
import {
  PackingListChanged,
  PackingListFaulty,
  PackingListIntake,
  PackingListMappingNotFound,
  PackingListRefused
} from "../domain/PackingListIntake.ts"
import type { PackingListIntakeService, PackingListRequest } from "../domain/PackingListIntake.ts"
import { mappingLimit, matchOf } from "../domain/SavedMapping.ts"
import type { SavedMapping } from "../domain/SavedMapping.ts"
import { MappingStore } from "../domain/SavedMappings.ts"
import { readFile } from "../file/FileReader.ts"
import type { PackingListFile } from "../file/FileReader.ts"
import { limits } from "../file/FileTable.ts"
import type { Table } from "../file/FileTable.ts"
import type { CellFault } from "../mapping/CellFault.ts"
import { listingOf } from "../mapping/Listing.ts"
import type { ListedShipment, Listing } from "../mapping/Listing.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { suggest } from "../mapping/Suggestion.ts"

/** A digest that identifies a file and its mapping. */
const digestOf = (file: PackingListFile, mapping: Mapping): string =>
  createHash("sha256").update(JSON.stringify(mapping)).update(file.format === "csv" ? file.text : file.bytes)
    .digest("hex").slice(0, 32)

/** Where a part begins: the number of shipments in the earlier parts of the file. */
const startOf = (
  from: string,
  digest: string
): Result.Result<number, InvalidParameter | PackingListChanged> => {
  if (from === "") return Result.succeed(0)
  const [, count, of] = /^(\d{1,5})-([0-9a-f]{32})$/.exec(from) ?? []
  if (count === undefined) {
    return Result.fail(
      new InvalidParameter({ errors: [{ path: "from", detail: "must be the next of an answer" }] })
    )
  }
  return of === digest ? Result.succeed(Number(count)) : Result.fail(new PackingListChanged())
}

/** The most shipments, and the approximate number of items, that a request handles. */
export const partLimits = { shipments: 50, items: 2000 } as const

/** The number of documents that are submitted at once. Documents that wait at the same time share a transaction. */
const atOnce = 8

/** The most faults of an order, and the most faults in an answer that belong to no order, or with which a file is refused. */
const faultLimit = 100

/** The most faults in an answer. */
const answerFaults = 1000

/** The number of files that are read at once, which bounds their memory. */
const readsAtOnce = 2

/** The refusals that do not concern a single shipment. They end the request, which may be sent again. */
const ending = [Overloaded, StorageUnavailable, Forbidden, BusinessNotFound, FacilityNotFound]

type Ending = InstanceType<(typeof ending)[number]>

const isEnding = (refusal: unknown): refusal is Ending => ending.some((each) => refusal instanceof each)

/** The next shipments, up to the limits of a request. */
const partOf = (shipments: ReadonlyArray<ListedShipment>, from: number): ReadonlyArray<ListedShipment> => {
  const part: Array<ListedShipment> = []
  let items = 0
  for (const shipment of shipments.slice(from, from + partLimits.shipments)) {
    part.push(shipment)
    items += shipment.orders.reduce((sum, { lineCount }) => sum + lineCount, 0)
    if (items >= partLimits.items) break
  }
  return part
}

/** The items that the orders of a document had before its decision, by the positions of the orders in the document. */
type ItemsBefore = Map<number, ReadonlyArray<OrderItem>>

/** The changes of each order of a document. */
const changesOf = (document: Document, result: IntakeResult, before: ItemsBefore) => {
  const idsOf = (references: IntakeResult["updated"]) =>
    new Set(references.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => id))
  const updated = idsOf(result.updated)
  const removed = idsOf(result.removed)
  const orders = new Map(result.shipment.orders.map((order) => [order.orderNumber, order]))
  const isNew = new Set(
    result.created.filter(({ type }) => type === "ORDER").map(({ reference }) => reference)
  )
  return new Map(document.orders.map(({ orderNumber }, at) => {
    const had = before.get(at) ?? []
    const removals = had.filter(({ id }) => removed.has(id)).length
    return [orderNumber, {
      outcome: isNew.has(orderNumber) ? "CREATED" as const : "UPDATED" as const,
      created: (orders.get(orderNumber)?.items.length ?? 0) - (had.length - removals),
      updated: had.filter(({ id }) => updated.has(id)).length,
      removed: removals
    }]
  }))
}

const nothing = { created: 0, updated: 0, removed: 0, shipmentId: "", notes: [] }

/** The values of a column in the first lines. */
const examplesOf = ({ rows }: Table, { headerRow }: Mapping, index: number): ReadonlyArray<string> =>
  rows.filter(({ number }) => number > headerRow).slice(0, 3).map(({ cells }) =>
    clip(cells.get(index)?.text ?? "")
  )

/** Whether a mapping has columns, so that no columns have to be suggested. */
const isWhole = (mapping: Mapping | undefined): mapping is Mapping =>
  mapping !== undefined && mapping.columns.length > 0

/** Accepts packing lists: provides `PackingListIntake`. */
export const layer: Layer.Layer<never, never, Intake | Directory | MappingStore> = Layer.effect(
  PackingListIntake,
  Effect.gen(function*() {
    const intake = yield* Intake
    const directory = yield* Directory
    const mappings = yield* MappingStore
    const strategies = yield* Strategies
    const read = DocumentInput.stepReader({ vocabulary: yield* Vocabulary, strategies })

    const submit = Effect.fnUntraced(
      function*(document: Document, principal: Principal, dryRun: boolean) {
        const before: ItemsBefore = new Map()
        const { memory, release } = (yield* OpenAnswerMemory)(principal)
        const also = {
          // The decision calls this function with the present items of an order, which it notes. It returns the new items unchanged.
          items: (
            present: ReadonlyArray<OrderItem>,
            items: Document["orders"][number]["items"],
            at: number
          ) => {
            before.set(at, present)
            return items
          }
        }
        const result = yield* intake.receiveAlongside(Effect.succeed({ document, also }), principal, {
          dryRun
        })
          .pipe(
            Effect.provideService(AnswerMemory, memory),
            Effect.ensuring(Effect.sync(release))
          )
        return { result, changes: changesOf(document, result, before) }
      }
    )

    const orderRow = (
      { faults, lineCount, orderNumber, row, shipmentNumber }: ListedShipment["orders"][number]
    ) => ({
      orderNumber,
      shipmentNumber,
      row,
      lines: lineCount,
      ...nothing,
      faults: faults.slice(0, faultLimit)
    })

    /** Submits the document of a shipment, and returns the outcome of each of its orders. */
    const handle = Effect.fnUntraced(function*(
      { document, faultOf, orders }: ListedShipment,
      principal: Principal,
      dryRun: boolean
    ): Effect.fn.Return<ReadonlyArray<PackingListOrder>, Ending> {
      const faulty = (order: (typeof orders)[number]): PackingListOrder => ({
        ...orderRow(order),
        outcome: "FAULTY"
      })
      if (document === undefined) return orders.map(faulty)
      const names = new Set(document.orders.map(({ orderNumber }) => orderNumber))
      const { changes, result } = yield* submit(document, principal, dryRun).pipe(
        Effect.catch((refusal: CatalogueError): Effect.Effect<
          { readonly changes: undefined; readonly result: { readonly message: string } },
          Ending
        > =>
          isEnding(refusal)
            ? Effect.fail(refusal)
            : Effect.succeed({ changes: undefined, result: { message: refusal.message } })
        )
      )
      return orders.map((order): PackingListOrder => {
        if (!names.has(order.orderNumber)) return faulty(order)
        if (changes === undefined) {
          return { ...orderRow(order), outcome: "REFUSED", faults: [faultOf(result.message)] }
        }
        const { id } = result.shipment
        return {
          ...orderRow(order),
          ...changes.get(order.orderNumber)!,
          shipmentId: id === 0 ? "" : String(id),
          notes: result.notes?.filter((note) => note.startsWith(`order ${order.orderNumber}: `)) ?? []
        }
      })
    })

    /** The mapping of a request: its own, or the saved mapping that it names. */
    const mappingOf = Effect.fnUntraced(function*({ business, mapping }: PackingListRequest) {
      if (typeof mapping !== "string") return mapping
      const entry = yield* mappings.find({ business, name: mapping })
      if (entry === null) return yield* new PackingListMappingNotFound({ business, name: mapping })
      return entry.mapping
    })

    /** The saved mappings from which a mapping is suggested. If the request has a mapping, there are none. */
    const choiceOf = ({ business, mapping }: PackingListRequest) =>
      mapping === undefined
        ? Effect.map(mappings.list(business, { after: "", limit: mappingLimit }), ({ items }) => items)
        : Effect.succeed([])

    const listing = Effect.fnUntraced(function*(
      { business, facility, file }: PackingListRequest,
      mapping: Mapping | undefined,
      choice: ReadonlyArray<SavedMapping>
    ) {
      const table = yield* Effect.mapError(
        readFile(file, { sheet: mapping?.sheet || undefined, separator: mapping?.separator || undefined }),
        ({ detail, remedy, row }) => new PackingListRefused({ detail, remedy, row })
      )
      const match = matchOf(table, choice)
      const columns = match?.mapping ?? (isWhole(mapping) ? mapping : suggest(table, mapping))
      const header = table.rows.find(({ number }) => number === columns.headerRow)?.cells.values() ?? []
      if (Array.from(header).some(({ text }) => text.length > limits.columnName)) {
        return yield* new PackingListRefused({
          row: columns.headerRow,
          detail: `the name of a column has more than ${limits.columnName} characters`,
          remedy: "Shorten it, or name another row as the header."
        })
      }
      const requiredFields = (name: string) =>
        Object.hasOwn(strategies, name) ? strategies[name]?.requiredFields : undefined
      const listing = yield* Effect.suspend(() =>
        Slices.runInTurn(listingOf(table, columns, { business, facility, read, requiredFields }))
      )
      const { sheet, sheets } = table
      return {
        listing,
        sheet,
        sheets,
        mapping: columns,
        mappingName: match?.name ?? "",
        columns: listing.columns.map(({ field, index, letters, name }) => ({
          letters,
          name,
          field,
          examples: examplesOf(table, columns, index)
        }))
      }
    }, Semaphore.makeUnsafe(readsAtOnce).withPermits(1))

    const service: PackingListIntakeService = {
      take: Effect.fn("PackingLists.take")(function*(request, principal) {
        const { business, dryRun, facility, faultless, from } = request
        yield* Authorize.place(directory, principal, "documents:write", { business, facility })
        const mapping = yield* mappingOf(request)
        if (!isWhole(mapping) && !dryRun) {
          const detail = "is required: a suggestion is for a dry run only"
          return yield* new InvalidParameter({ errors: [{ path: "mapping", detail }] })
        }
        const { listing: list, mappingName, ...about } = yield* listing(
          request,
          mapping,
          yield* choiceOf(request)
        )
        // A fault without an order, such as a missing order number in a line, may belong to any order, so no order is sent.
        if (!dryRun && (faultless ? list.faults.length : list.faultCount) > 0) return yield* faultyOf(list)
        const digest = digestOf(request.file, about.mapping)
        const start = yield* Effect.fromResult(startOf(from, digest))
        const part = partOf(list.shipments, start)
        const orders = yield* Effect.forEach(part, (shipment) => handle(shipment, principal, dryRun), {
          concurrency: atOnce
        })
        const end = start + part.length
        const faults = list.faults.slice(0, faultLimit)
        let room = answerFaults - faults.length
        const rows = orders.flat().map((order) => {
          const some = order.faults.slice(0, room)
          room -= some.length
          return { ...order, faults: some }
        })
        return {
          dryRun,
          ...about,
          isSuggested: !isWhole(mapping),
          mappingName: typeof request.mapping === "string" ? request.mapping : mappingName,
          lineCount: list.lineCount,
          orderCount: list.shipments.reduce((sum, { orders }) => sum + orders.length, 0),
          shipmentCount: list.shipments.length,
          faultCount: list.faultCount,
          faults,
          notes: list.notes,
          orders: rows,
          next: end < list.shipments.length ? `${end}-${digest}` : null
        }
      })
    }
    return service
  })
)

/** The path of a fault in a list of faults: its cell, such as `C12`, or its row. */
const pathOf = ({ column, row }: CellFault): string =>
  row === 0 ? "" : column === "" ? `row ${row}` : `${column}${row}`

const faultyOf = ({ faultCount, faults, shipments }: Listing): PackingListFaulty => {
  const all = [...faults, ...shipments.flatMap(({ orders }) => orders.flatMap((order) => order.faults))]
  return new PackingListFaulty({
    faultCount,
    errors: all.slice(0, faultLimit).map((fault) => ({
      path: pathOf(fault),
      detail: fault.field === "" ? fault.detail : `${fault.field}: ${fault.detail}`
    }))
  })
}
