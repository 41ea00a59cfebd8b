/**
 * Runs a history on a service, and observes everything that is visible of it.
 *
 * Guarantee: two services with the same behaviour have the same observation. Ids are replaced by the order in which they were first seen,
 * so that the ids of a service do not matter.
 */
import type { RecordQuery } from "@dockline/core/document/Intake"
import type { Message } from "@dockline/core/messages/Message"
import type { BusinessEntry } from "@dockline/core/places/Place"
import { earliest } from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { Context } from "effect"
import { anyShipments } from "./Histories.ts"
import type { Happening, History } from "./Histories.ts"
import { HistoryNames } from "./HistoryNames.ts"
import * as HistoryService from "./HistoryService.ts"
import type { Reply, Service } from "./HistoryService.ts"

/** The business of a history: facilities east (docks D1, D2) and west (dock D1). */
const businessOf = (slug: string): BusinessEntry => ({
  slug,
  name: "Acme",
  fieldMap: [
    { name: "LPN", label: "lpn", list: false },
    { name: "SKUs", label: "sku", list: true }
  ],
  facilities: [
    { slug: "east", name: "East", docks: ["D1", "D2"] },
    { slug: "west", name: "West", docks: ["D1"] }
  ]
})

/** The visible results of a history, with names in place of ids. */
export interface Observation {
  /** The answer to each event: the value, or the code of the refusal. */
  readonly answers: ReadonlyArray<unknown>
  /** The visible state at the end, by kind. */
  readonly end: Readonly<Record<string, unknown>>
}

/** Far ahead, so that no message is ever old enough to be dropped. */
const startMillis = Date.parse("2100-01-01T00:00:00.000Z")

/** Runs a history, with a minute between two events, in a business that must not exist yet. */
export const observe = async (
  context: Context.Context<HistoryService.Services>,
  history: History,
  business: string
): Promise<Observation> => {
  const service = await HistoryService.open(context, businessOf(business))
  const run = new Run(service, business)
  const answers: Array<unknown> = []
  for (const [index, happening] of history.entries()) {
    service.setTime(startMillis + index * 60_000)
    answers.push(await run.happen(happening))
  }
  return { answers, end: await run.end() }
}

/** An id that no entity has. */
const nobodysId = String(Number.MAX_SAFE_INTEGER)

/** An exception that nobody reported. */
const noException = { id: nobodysId, shipmentId: nobodysId }

/** The order of a list by ids. */
const isHigher = (next: string, after: string): boolean => Number(next) > Number(after)

/** The order of a list with the newest entries first, by time and then by id. */
const isEarlier = (next: string, after: string): boolean => {
  const [at = "", id] = next.split("_")
  const [atAfter = "", idAfter] = after.split("_")
  return after === "" || at < atAfter || (at === atAfter && Number(id) < Number(idAfter))
}

/** One history in one service. */
class Run {
  readonly #service: Service
  readonly #business: string
  readonly #names = new HistoryNames()
  /** The ids of the shipments, in the order of their creation. */
  readonly #shipments = new Set<string>()
  /** The ids of the pallets, in the order of their appearance. */
  readonly #pallets = new Set<string>()
  /** The exceptions by their ids, in the order of their reports. */
  readonly #exceptions = new Map<string, { readonly id: string; readonly shipmentId: string }>()

  constructor(service: Service, business: string) {
    this.#service = service
    this.#business = business
  }

  /** Executes an event, and returns the answer. */
  async happen(happening: Happening): Promise<unknown> {
    const service = this.#service
    switch (happening._tag) {
      case "Submit": {
        const reply = await service.submit(this.#sent(happening.document), { dryRun: happening.dryRun })
        if (reply.ok && reply.value.shipment.id !== 0) this.#shipments.add(String(reply.value.shipment.id))
        return this.#shown(reply, "shipment")
      }
      case "Pallet": {
        const { event, shipment } = happening
        const given = shipment === undefined ? {} : { shipmentId: Number(this.#id(shipment)) }
        const reply = await service.recordPallet(this.#sent({ ...event, ...given }))
        if (reply.ok) this.#pallets.add(reply.value.answer.servicePalletId)
        return this.#shown(reply, "pallet")
      }
      case "Arrive":
        return this.#shown(await service.arrive(this.#id(happening.shipment), happening.arrival), "shipment")
      case "Depart":
        return this.#shown(
          await service.depart(this.#id(happening.shipment), happening.departure),
          "shipment"
        )
      case "CheckIn":
        return this.#shown(await service.checkIn(this.#id(happening.shipment), happening.note), "shipment")
      case "Link":
        return this.#shown(
          await service.link(this.#id(happening.shipment), this.#id(happening.linked)),
          "shipment"
        )
      case "Cancel":
        return this.#shown(await service.cancel(this.#id(happening.shipment)), "shipment")
      case "Report":
        return this.#report(happening)
      case "Resolve": {
        const { id, shipmentId } = [...this.#exceptions.values()][happening.exception - 1] ?? noException
        const of = happening.shipment === undefined ? shipmentId : this.#id(happening.shipment)
        return this.#shown(await service.resolveException(of, id, happening.resolution), "exception")
      }
      case "Read":
        return this.#read(this.#id(happening.shipment))
      case "FindPallets":
        return this.#pages(happening, "pallet", (query) => service.pallets(query), isEarlier)
      case "ReadShipments":
        return this.#pages(
          happening,
          "shipment",
          (query) => service.shipments(query)
        )
      case "ReadOrders":
        return this.#pages(
          happening,
          "order",
          (query) => service.orders({ ...query, after: Number(query.after) })
        )
      case "ReadRecords":
        return this.#records(happening)
      case "ReadMessages":
        return this.#messages(happening)
    }
  }

  /** The whole visible state. */
  async end(): Promise<Observation["end"]> {
    const ofShipments: Array<unknown> = []
    for (const id of this.#shipments) ofShipments.push(await this.#read(id))
    const newest = await this.#service.records({ business: this.#business, limit: 1 })
    const record = newest.ok ? newest.value.items[0]?.id : undefined
    return {
      shipments: await this.happen({ _tag: "ReadShipments", filter: anyShipments, limit: 100 }),
      "shipments with discrepancies": await this.happen({
        _tag: "ReadShipments",
        filter: { ...anyShipments, discrepancies: true },
        limit: 100
      }),
      "shipments, each by its id": ofShipments,
      "recorded documents": await this.#records({ filter: {}, limit: 100 }),
      "newest document": this.#shown(await this.#service.record(String(record ?? nobodysId)), "record"),
      messages: await this.#messages({
        filter: { facility: undefined, types: [...messageTypes] },
        limit: 1000
      })
    }
  }

  /** A shipment, with all its data. */
  async #read(id: string): Promise<unknown> {
    const service = this.#service
    return {
      shipment: this.#shown(await service.shipment(id), "shipment"),
      discrepancies: this.#shown(await service.discrepancies(id), "discrepancy"),
      pallets: this.#shownItems(await service.shipmentPallets(id), "pallet"),
      exceptions: this.#shownItems(await service.exceptions(id), "exception")
    }
  }

  async #report(
    { key, pallet, report, shipment }: Extract<Happening, { readonly _tag: "Report" }>
  ): Promise<unknown> {
    const shipmentId = this.#id(shipment)
    const palletId = pallet === undefined ? {} : { palletId: [...this.#pallets][pallet - 1] ?? nobodysId }
    const ownKey = key === undefined ? undefined : `${this.#business} ${key}`
    const reply = await this.#service.reportException(shipmentId, { ...report, ...palletId }, ownKey)
    if (!reply.ok) return reply
    const id = reply.value.exceptionId
    if (!this.#exceptions.has(id)) this.#exceptions.set(id, { id, shipmentId })
    return this.#names.nameOf("exception", id)
  }

  /** The id of the nth shipment; an unused id if there are fewer. */
  #id(shipment: number): string {
    return [...this.#shipments][shipment - 1] ?? nobodysId
  }

  #sent(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return { business: this.#business, ...json }
  }

  #shown(reply: Reply<unknown>, kind: string): unknown {
    return reply.ok ? this.#names.named(reply.value, kind) : reply
  }

  /** A list that fits on one page. */
  #shownItems(
    reply: Reply<{ readonly items: ReadonlyArray<unknown>; readonly next: unknown }>,
    kind: string
  ): unknown {
    return reply.ok
      ? { entries: this.#names.named(reply.value.items, kind), goesOn: reply.value.next !== null }
      : reply
  }

  /** Every page of a list, one after another. */
  async #pages<Filter extends object>(
    { filter, limit }: { readonly filter: Filter; readonly limit: number },
    kind: string,
    read: (
      query: Filter & { readonly business: string; readonly limit: number; readonly after: string }
    ) => Promise<Reply<{ readonly items: ReadonlyArray<unknown>; readonly next: string | null }>>,
    goesOn = isHigher
  ): Promise<ReadonlyArray<unknown>> {
    const pages: Array<unknown> = []
    for (let after = "";;) {
      const reply = await read({ ...filter, business: this.#business, limit, after })
      pages.push(this.#shownItems(reply, kind))
      if (!reply.ok || reply.value.next === null) return pages
      const { next } = reply.value
      if (!goesOn(next, after)) {
        throw new Error(`The page after ${after} goes on at ${next}, which is no later page`)
      }
      after = next
    }
  }

  #records(list: { readonly filter: RecordQuery; readonly limit: number }): Promise<unknown> {
    return this.#pages(list, "record", (query) => this.#service.records(query), isEarlier)
  }

  async #messages(
    { filter, limit }: Omit<Extract<Happening, { readonly _tag: "ReadMessages" }>, "_tag">
  ): Promise<ReadonlyArray<unknown>> {
    const all = {
      business: this.#business,
      facility: filter.facility,
      types: filter.types,
      since: earliest
    }
    const pages: Array<unknown> = []
    for (let afterId = 0;;) {
      const reply = await this.#service.messages({ ...all, limit, afterId })
      pages.push(reply.ok ? reply.value.map((message) => this.#message(message)) : reply)
      if (!reply.ok || reply.value.length < limit) return pages
      const last = reply.value.at(-1)!.id
      if (!(last > afterId)) {
        throw new Error(`The messages after ${afterId} end with ${last}, which is not later`)
      }
      afterId = last
    }
  }

  #message({ business, facility, id, json, sentAt, type }: Message): unknown {
    return this.#names.named({ id, business, facility, type, sentAt, payload: JSON.parse(json) }, "message")
  }
}
