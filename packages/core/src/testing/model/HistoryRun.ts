/**
 * Running a history against a service, and all that can be seen of it.
 *
 * Guarantee: two services that do the same show the same. Ids go by the order in which they were first seen, so that
 * it does not matter which ones a service gives.
 */
import { Effect } from "effect"
import type { IntakeResult } from "../../document/Outcome.ts"
import type { PalletAnswer } from "../../movement/Pallet.ts"
import type { PalletView } from "../../movement/PalletView.ts"
import type { LocatedOrderView, OrderView, ShipmentView } from "../../shipment/View.ts"
import { messageTypes } from "../../values/Vocabulary.ts"
import { businessOf } from "../generators/History.ts"
import type { Happening, History } from "../generators/History.ts"
import type { Reply, Service, ToldMessage } from "./Service.ts"

/** Everything that can be seen of a history, with ids by name. */
export interface Observation {
  /** What each happening was answered: the value, or the code of the refusal. */
  readonly answers: ReadonlyArray<unknown>
  /** All shipments, what is wrong with them, all pallets and all messages at the end. */
  readonly end: {
    readonly shipments: unknown
    readonly discrepancies: unknown
    readonly pallets: unknown
    readonly messages: unknown
  }
  /** When each happened, in milliseconds since 1970. */
  readonly times: ReadonlyArray<number>
}

/** How a history is run. */
export interface RunOptions {
  /** The slug of the business that it happens in, which must not be there yet. */
  readonly business: string
  /** When each happening is; a minute apart unless given. Nothing to a service with a clock of its own. */
  readonly times?: ReadonlyArray<number> | undefined
}

/** Far ahead, so that no message is ever old enough to be dropped. */
const startMillis = Date.parse("2100-01-01T00:00:00.000Z")

/** Runs a history in a business of its own, which it makes first. */
export const observe = async (
  service: Service,
  history: History,
  { business, times }: RunOptions
): Promise<Observation> => {
  const clock = clockOf(service, times ?? history.happenings.map((_, index) => startMillis + index * 60_000))
  await service.places([businessOf(business)])
  const run = new Run(service, business)
  const answers: Array<unknown> = []
  const passed: Array<number> = []
  for (const [index, happening] of history.happenings.entries()) {
    passed.push(await clock(index))
    answers.push(await run.happen(happening))
  }
  const end = {
    shipments: await run.happen({ _tag: "ReadShipments", filter: {}, limit: 100 }),
    discrepancies: await run.allDiscrepancies(),
    pallets: await run.allPallets(),
    messages: await run.happen({ _tag: "ReadMessages", filter: { types: messageTypes }, limit: 1000 })
  }
  return { answers, end, times: passed }
}

/** Brings the service to the time of a happening; one with a clock of its own to another millisecond than before. */
const clockOf =
  ({ setTime }: Service, times: ReadonlyArray<number>) => async (index: number): Promise<number> => {
    if (setTime !== undefined) {
      setTime(times[index]!)
      return times[index]!
    }
    const before = Date.now()
    while (Date.now() === before) await Effect.runPromise(Effect.sleep(1))
    return Date.now()
  }

/** An id that no shipment has. */
const nobodysId = String(Number.MAX_SAFE_INTEGER)

/** The texts of refusals that the contract words; of others the code is what counts. */
const wordedCodes = new Set(["DUPLICATE_ITEM_IN_REQUEST", "DUPLICATE_ORDER_ITEM_KEY", "SHIPMENT_CONFLICT"])

/** One history in one service. */
class Run {
  readonly #service: Service
  readonly #business: string
  /** The ids of the shipments, in the order of their creation. */
  readonly #shipments: Array<string> = []
  /** The names of ids, by kind. */
  readonly #names = new Map<string, Map<string, string>>()

  constructor(service: Service, business: string) {
    this.#service = service
    this.#business = business
  }

  /** Lets it happen, and says what was answered. */
  async happen(happening: Happening): Promise<unknown> {
    const service = this.#service
    switch (happening._tag) {
      case "Submit": {
        const reply = await service.submit(this.#sent(happening.document), { dryRun: happening.dryRun })
        return this.#shown(reply, (result) => this.#result(result))
      }
      case "Pallet": {
        const { event, shipment } = happening
        const given = shipment === undefined ? {} : { shipmentId: Number(this.#id(shipment)) }
        const reply = await service.recordPallet(this.#sent({ ...event, ...given }))
        return this.#shown(reply, ({ answer, repeated }) => ({ ...this.#pallet(answer), repeated }))
      }
      case "Arrive":
        return this.#shipmentReply(await service.arrive(this.#id(happening.shipment), happening.arrival))
      case "Depart":
        return this.#shipmentReply(await service.depart(this.#id(happening.shipment), happening.departure))
      case "Link": {
        const { shipment, linked } = happening
        return this.#shipmentReply(await service.link(this.#id(shipment), this.#id(linked)))
      }
      case "Cancel":
        return this.#shipmentReply(await service.cancel(this.#id(happening.shipment)))
      case "Read":
        return {
          shipment: this.#shipmentReply(await service.shipment(this.#id(happening.shipment))),
          discrepancies: await this.#discrepancies(this.#id(happening.shipment)),
          pallets: await this.#pallets(this.#id(happening.shipment))
        }
      case "FindPallets":
        return this.#pages(
          happening,
          (query) => service.pallets(query),
          (each) => this.#palletView(each),
          (next, after) => after === 0 || next < after
        )
      case "ReadShipments":
        return this.#pages(
          happening,
          (query) => service.shipments({ ...query, after: String(query.after) }),
          (each) => this.#shipment(each)
        )
      case "ReadOrders":
        return this.#pages(happening, (query) => service.orders(query), (each) => this.#locatedOrder(each))
      case "ReadMessages":
        return this.#messages(happening)
    }
  }

  /** The id of the nth shipment; one that names none where there are fewer. */
  #id(shipment: number): string {
    return this.#shipments[shipment - 1] ?? nobodysId
  }

  #sent(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return { business: this.#business, ...json }
  }

  #name(kind: string, id: string | number): string {
    if (id === "" || id === 0) return "none"
    const names = this.#names.get(kind) ?? new Map<string, string>()
    this.#names.set(kind, names)
    const name = names.get(String(id)) ?? `${kind} #${names.size + 1}`
    names.set(String(id), name)
    return name
  }

  #shown<A>(reply: Reply<A>, show: (value: A) => unknown): unknown {
    if (reply.ok) return show(reply.value)
    const { code, message } = reply.error
    return wordedCodes.has(code) ? { code, message } : { code }
  }

  #shipmentReply(reply: Reply<ShipmentView>): unknown {
    return this.#shown(reply, (shipment) => this.#shipment(shipment))
  }

  /** What is wrong with each shipment. */
  async allDiscrepancies(): Promise<ReadonlyArray<unknown>> {
    const all: Array<unknown> = []
    for (const id of this.#shipments) all.push(await this.#discrepancies(id))
    return all
  }

  /** The pallets of each shipment. */
  async allPallets(): Promise<ReadonlyArray<unknown>> {
    const all: Array<unknown> = []
    for (const id of this.#shipments) all.push(await this.#pallets(id))
    return all
  }

  async #pallets(id: string): Promise<unknown> {
    return this.#shown(await this.#service.shipmentPallets(id), ({ items, next }) => ({
      items: items.map((each) => this.#palletView(each)),
      next: next === null ? null : this.#name("PALLET", next)
    }))
  }

  #palletView({ dockId, events, id, shipmentId, url, ...rest }: PalletView) {
    return {
      ...rest,
      id: this.#name("PALLET", id),
      shipment: this.#name("SHIPMENT", shipmentId),
      dock: this.#name("DOCK", dockId),
      url: this.#link(url),
      events: events.map(({ messageId, ...event }) => ({
        ...event,
        message: this.#name("MESSAGE", messageId)
      }))
    }
  }

  async #discrepancies(id: string): Promise<unknown> {
    return this.#shown(await this.#service.discrepancies(id), ({ items, next }) => ({
      items: items.map(({ expectedOnId, palletId, ...rest }) => ({
        ...rest,
        expectedOn: this.#name("SHIPMENT", expectedOnId),
        pallet: this.#name("PALLET", palletId)
      })),
      next
    }))
  }

  #result({ created, updated, removed, shipment }: IntakeResult) {
    const id = String(shipment.id)
    if (shipment.id !== 0 && !this.#shipments.includes(id)) this.#shipments.push(id)
    const named = (list: IntakeResult["created"]) =>
      list.map(({ type, id, reference }) => `${this.#name(type, id)} ${reference}`)
    return {
      created: named(created),
      updated: named(updated),
      removed: named(removed),
      shipment: this.#shipment(shipment)
    }
  }

  #shipment(shipment: ShipmentView) {
    return {
      ...shipment,
      id: this.#name("SHIPMENT", shipment.id),
      dockId: this.#name("DOCK", shipment.dockId),
      orders: shipment.orders.map((order) => this.#order(order))
    }
  }

  #order<A extends OrderView>(order: A) {
    const items = order.items.map((item) => ({ ...item, id: this.#name("ORDER_ITEM", item.id) }))
    return { ...order, id: this.#name("ORDER", order.id), items }
  }

  #locatedOrder(order: LocatedOrderView) {
    return { ...this.#order(order), shipmentId: this.#name("SHIPMENT", order.shipmentId) }
  }

  #pallet({ messageId, serviceShipmentId, servicePalletId, orders }: PalletAnswer) {
    return {
      messageId: this.#name("MESSAGE", messageId),
      serviceShipmentId: this.#name("SHIPMENT", serviceShipmentId),
      servicePalletId: this.#name("PALLET", servicePalletId),
      orders
    }
  }

  /** Every page of a list, one after another. */
  async #pages<A, Filter extends object>(
    { filter, limit }: { readonly filter: Filter; readonly limit: number },
    read: (
      query: Filter & { readonly business: string; readonly limit: number; readonly after: number }
    ) => Promise<Reply<{ readonly items: ReadonlyArray<A>; readonly next: string | null }>>,
    show: (entry: A) => unknown,
    goesOn: (next: number, after: number) => boolean = (next, after) => next > after
  ): Promise<unknown> {
    const pages: Array<unknown> = []
    for (let after = 0;;) {
      const reply = await read({ ...filter, business: this.#business, limit, after })
      pages.push(this.#shown(reply, ({ items }) => items.map(show)))
      if (!reply.ok || reply.value.next === null) return pages
      const next = Number(reply.value.next)
      if (!goesOn(next, after)) {
        throw new Error(`The page after ${after} goes on at ${next}, which is no later page`)
      }
      after = next
    }
  }

  async #messages({ filter, limit }: Happening & { readonly _tag: "ReadMessages" }): Promise<unknown> {
    const place = filter.facility === undefined ? {} : { facility: filter.facility }
    const pages: Array<unknown> = []
    for (let afterId = 0;;) {
      const query = { ...place, business: this.#business, types: filter.types, limit, afterId }
      const reply = await this.#service.messages(query)
      pages.push(this.#shown(reply, (messages) => messages.map((message) => this.#message(message))))
      if (!reply.ok || reply.value.length < limit) return pages
      const last = reply.value.at(-1)!.id
      if (!(last > afterId)) {
        throw new Error(`The messages after ${afterId} end with ${last}, which is not later`)
      }
      afterId = last
    }
  }

  #message({ id, business, facility, type, json, sentAt }: ToldMessage) {
    return {
      id: this.#name("MESSAGE", id),
      business,
      facility,
      type,
      sentAt,
      payload: this.#payload(JSON.parse(json))
    }
  }

  #link(url: string): string {
    return url
      .replace(/^.*(?=\/shipments\/)/, "")
      .replace(/(?<=\/shipments\/)\d+/, (id) => this.#name("SHIPMENT", id))
      .replace(/(?<=\/pallets\/)\d+/, (id) => this.#name("PALLET", id))
  }

  /** A payload, with names for the ids in it, and links from where the dashboard begins. */
  #payload(payload: Readonly<Record<string, unknown>>): unknown {
    const { serviceShipmentId, servicePalletId, dockId, url, pallets, ...rest } = payload
    const shipment = this.#name("SHIPMENT", String(serviceShipmentId))
    const pallet = servicePalletId === undefined ? "none" : this.#name("PALLET", String(servicePalletId))
    return {
      ...rest,
      shipment,
      pallet,
      dock: this.#name("DOCK", String(dockId)),
      url: this.#link(String(url)),
      ...(Array.isArray(pallets) ? { pallets: pallets.map((each) => this.#payload(each)) } : {})
    }
  }
}
