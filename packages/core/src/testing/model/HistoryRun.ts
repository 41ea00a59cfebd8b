/**
 * Running a history against a service, and all that can be seen of it.
 *
 * Guarantee: two services that do the same show the same. Ids go by the order in which they were first seen, so that
 * it does not matter which ones a service gives.
 */
import { Effect } from "effect"
import type { ShipmentView } from "../../shipment/View.ts"
import { messageTypes } from "../../values/Vocabulary.ts"
import { businessOf } from "../generators/History.ts"
import type { Happening, History } from "../generators/History.ts"
import { Shown } from "./HistoryShown.ts"
import type { Reply, Service } from "./Service.ts"

/** Everything that can be seen of a history, with ids by name. */
export interface Observation {
  /** What each happening was answered: the value, or the code of the refusal. */
  readonly answers: ReadonlyArray<unknown>
  /** All that is there at the end. */
  readonly end: {
    readonly shipments: unknown
    readonly shipmentsWithDiscrepancies: unknown
    readonly discrepancies: unknown
    readonly pallets: unknown
    readonly exceptions: unknown
    readonly records: unknown
    readonly newestRecord: unknown
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
    shipmentsWithDiscrepancies: await run.happen({
      _tag: "ReadShipments",
      filter: { discrepancies: true },
      limit: 100
    }),
    discrepancies: await run.ofEach((id) => run.discrepancies(id)),
    pallets: await run.ofEach((id) => run.pallets(id)),
    exceptions: await run.ofEach((id) => run.exceptions(id)),
    records: await run.happen({ _tag: "ReadRecords", filter: {}, limit: 100 }),
    newestRecord: await run.newestRecord(),
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

/** An exception that nobody reported. */
const noException = { id: nobodysId, shipmentId: nobodysId }

/** How a list goes on whose newest entries come first. */
const isOlder = (next: number, after: number): boolean => after === 0 || next < after

/** One history in one service. */
class Run {
  readonly #service: Service
  readonly #business: string
  readonly #show = new Shown()

  constructor(service: Service, business: string) {
    this.#service = service
    this.#business = business
  }

  /** Lets it happen, and says what was answered. */
  async happen(happening: Happening): Promise<unknown> {
    const service = this.#service
    const show = this.#show
    switch (happening._tag) {
      case "Submit": {
        const reply = await service.submit(this.#sent(happening.document), { dryRun: happening.dryRun })
        return show.reply(reply, (result) => show.result(result))
      }
      case "Pallet": {
        const { event, shipment } = happening
        const given = shipment === undefined ? {} : { shipmentId: Number(this.#id(shipment)) }
        const reply = await service.recordPallet(this.#sent({ ...event, ...given }))
        return show.reply(reply, ({ answer, repeated }) => ({ ...show.pallet(answer), repeated }))
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
      case "Report":
        return this.#report(happening)
      case "Resolve": {
        const { id, shipmentId } = show.exceptions[happening.exception - 1] ?? noException
        const of = happening.shipment === undefined ? shipmentId : this.#id(happening.shipment)
        const reply = await service.resolveException(of, id, happening.resolution)
        return show.reply(reply, (exception) => show.exception(exception))
      }
      case "Read": {
        const id = this.#id(happening.shipment)
        return {
          shipment: this.#shipmentReply(await service.shipment(id)),
          discrepancies: await this.discrepancies(id),
          pallets: await this.pallets(id),
          exceptions: await this.exceptions(id)
        }
      }
      case "FindPallets":
        return this.#pages(
          happening,
          (query) => service.pallets(query),
          (each) => show.palletView(each),
          isOlder
        )
      case "ReadShipments":
        return this.#pages(
          happening,
          (query) => service.shipments({ ...query, after: String(query.after) }),
          (each) => show.shipment(each)
        )
      case "ReadOrders":
        return this.#pages(
          happening,
          (query) => service.orders(query),
          (each) => show.locatedOrder(each)
        )
      case "ReadRecords":
        return this.#pages(
          happening,
          (query) => service.records(query),
          (each) => show.record(each),
          isOlder
        )
      case "ReadMessages":
        return this.#messages(happening)
    }
  }

  /** The state of each shipment. */
  async ofEach(read: (id: string) => Promise<unknown>): Promise<ReadonlyArray<unknown>> {
    const all: Array<unknown> = []
    for (const id of this.#show.shipments) all.push(await read(id))
    return all
  }

  async pallets(id: string): Promise<unknown> {
    return this.#show.reply(await this.#service.shipmentPallets(id), ({ items, next }) => ({
      items: items.map((each) => this.#show.palletView(each)),
      next: next === null ? null : this.#show.name("PALLET", next)
    }))
  }

  async discrepancies(id: string): Promise<unknown> {
    return this.#show.reply(await this.#service.discrepancies(id), ({ items, next }) => ({
      items: items.map((each) => this.#show.discrepancy(each)),
      next
    }))
  }

  async exceptions(id: string): Promise<unknown> {
    return this.#show.reply(await this.#service.exceptions(id), ({ items, next }) => ({
      items: items.map((each) => this.#show.exception(each)),
      next: next === null ? null : this.#show.name("EXCEPTION", next)
    }))
  }

  /** The newest document of the record, read by its id. */
  async newestRecord(): Promise<unknown> {
    const newest = await this.#service.records({ business: this.#business, limit: 1 })
    const id = newest.ok ? newest.value.items[0]?.id : undefined
    const reply = await this.#service.record(String(id ?? nobodysId))
    return this.#show.reply(reply, (each) => this.#show.record(each))
  }

  async #report(
    { key, pallet, report, shipment }: Happening & { readonly _tag: "Report" }
  ): Promise<unknown> {
    const id = this.#id(shipment)
    const palletId = pallet === undefined ? {} : { palletId: this.#show.pallets[pallet - 1] ?? nobodysId }
    const reply = await this.#service.reportException(id, { ...report, ...palletId }, {
      key: key === undefined ? undefined : `${this.#business} ${key}`
    })
    return this.#show.reply(reply, ({ exceptionId }) => this.#show.reported(exceptionId, id))
  }

  /** The id of the nth shipment; one that names none where there are fewer. */
  #id(shipment: number): string {
    return this.#show.shipments[shipment - 1] ?? nobodysId
  }

  #sent(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return { business: this.#business, ...json }
  }

  #shipmentReply(reply: Reply<ShipmentView>): unknown {
    return this.#show.reply(reply, (shipment) => this.#show.shipment(shipment))
  }

  /** Every page of a list, one after another. */
  async #pages<A, Filter extends object>(
    { filter, limit }: { readonly filter: Filter; readonly limit: number },
    read: (
      query: Filter & { readonly business: string; readonly limit: number; readonly after: number }
    ) => Promise<Reply<{ readonly items: ReadonlyArray<A>; readonly next: string | null }>>,
    show: (entry: A) => unknown,
    goesOn: (next: number, after: number) => boolean = (next, after) => next > after
  ): Promise<Array<unknown>> {
    const pages: Array<unknown> = []
    for (let after = 0;;) {
      const reply = await read({ ...filter, business: this.#business, limit, after })
      pages.push(this.#show.reply(reply, ({ items }) => items.map(show)))
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
      pages.push(
        this.#show.reply(reply, (messages) => messages.map((message) => this.#show.message(message)))
      )
      if (!reply.ok || reply.value.length < limit) return pages
      const last = reply.value.at(-1)!.id
      if (!(last > afterId)) {
        throw new Error(`The messages after ${afterId} end with ${last}, which is not later`)
      }
      afterId = last
    }
  }
}
