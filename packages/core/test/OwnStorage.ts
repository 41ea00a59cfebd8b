/**
 * A message log and a store of movement of one's own, as a storage outside of this repository writes them: it imports what
 * is public, and nothing else. Messages are in arrays of its own; shipments and places in the memory of ours, where each
 * method is a transaction.
 */
import { BusinessNotFound, CursorAhead, FacilityNotFound, HistoryExpired } from "@dockline/core/Errors"
import { Wakeups } from "@dockline/core/FeedSource"
import type { Keep } from "@dockline/core/Keep"
import * as Memory from "@dockline/core/Memory"
import { MemoryDatabase } from "@dockline/core/MemoryDatabase"
import type { Message, MessageDraft } from "@dockline/core/Message"
import * as MessageFeed from "@dockline/core/MessageFeed"
import { advanceLimit, MessageLog, MessageLogConfig } from "@dockline/core/MessageLog"
import type { MessagePage, MessageQuery, Position } from "@dockline/core/MessageQuery"
import { palletAnswer } from "@dockline/core/Movement"
import type { PalletPlan, PalletShipment, PalletSnapshot, StepSnapshot } from "@dockline/core/Movement"
import { MovementStore } from "@dockline/core/MovementStore"
import type { Step } from "@dockline/core/MovementStore"
import { AdvanceTooFar } from "@dockline/core/OperatorErrors"
import { lpnOf } from "@dockline/core/Pallet"
import type { PalletAnswer, PalletEvent } from "@dockline/core/Pallet"
import { isOpen } from "@dockline/core/Shipment"
import type { LocatedShipment, ShipmentHeader } from "@dockline/core/Shipment"
import { evolve, linkedTo } from "@dockline/core/Steps"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import type { WebhookType } from "@dockline/core/Vocabulary"
import { Context, Effect, Layer, Result } from "effect"

type Shipments = MemoryDatabase["Service"]

/** What is kept of the log of a business. */
class Log {
  messages: Array<Message<WebhookType>> = []
  lastId = 0
  lastSentAt: Timestamp.Timestamp = ""
  dropped = { id: 0, sentAt: "" }

  read<Type extends WebhookType>(
    { business, facility, types }: MessageQuery<Type>,
    { afterId, since }: Position,
    limit: number,
    textLimit: number
  ): Result.Result<MessagePage<Type>, HistoryExpired | CursorAhead> {
    if (afterId > this.lastId) return Result.fail(new CursorAhead({ business, newestId: this.lastId }))
    if (afterId < this.dropped.id && (since === undefined || since <= this.dropped.sentAt)) {
      return Result.fail(new HistoryExpired({ business, droppedId: this.dropped.id }))
    }
    const isAskedFor = (message: Message<WebhookType>): message is Message<Type> =>
      types.some((type) => type === message.type)
    const matching = this.messages.filter(isAskedFor).filter((message) =>
      message.id > afterId &&
      (facility === undefined || message.facility === facility) &&
      (since === undefined || message.sentAt >= since)
    )
    let text = 0
    const fitting = matching.findIndex(({ json }, index) => {
      text += json.length
      return index === limit || (index > 0 && text > textLimit)
    })
    const messages = fitting < 0 ? matching : matching.slice(0, fitting)
    return Result.succeed({ messages, more: fitting >= 0, lastId: this.lastId })
  }

  drop(before: Timestamp.Timestamp): number {
    const gone = this.messages.filter(({ sentAt }) => sentAt < before)
    const newest = gone.at(-1)
    if (newest !== undefined) this.dropped = { id: newest.id, sentAt: newest.sentAt }
    this.messages = this.messages.slice(gone.length)
    return gone.length
  }
}

/** The logs of all businesses, and who is woken by them. */
class Logs {
  readonly wakeups = new Wakeups()
  readonly #logs = new Map<string, Log>()
  #lastId = 0

  of(business: string): Log {
    const log = this.#logs.get(business) ?? new Log()
    this.#logs.set(business, log)
    return log
  }

  all(): ReadonlyArray<Log> {
    return Array.from(this.#logs.values())
  }

  append(
    { payload, ...draft }: MessageDraft,
    now: Timestamp.Timestamp,
    trace: string | undefined
  ): Message {
    const json = JSON.stringify(payload)
    const log = this.of(draft.business)
    const sentAt = now > log.lastSentAt ? now : log.lastSentAt
    const message: Message = { ...draft, id: ++this.#lastId, sentAt, json, ...(trace && { trace }) }
    log.messages.push(message)
    log.lastId = message.id
    log.lastSentAt = sentAt
    this.wakeups.wake(draft.business)
    return message
  }

  advance(beyond: number, businesses: Iterable<string>): Result.Result<number, AdvanceTooFar> {
    if (beyond - this.#lastId > advanceLimit) {
      return Result.fail(new AdvanceTooFar({ newestId: this.#lastId, limit: advanceLimit }))
    }
    this.#lastId = Math.max(this.#lastId, beyond)
    for (const business of businesses) this.of(business).lastId = Math.max(this.of(business).lastId, beyond)
    return Result.succeed(this.#lastId)
  }
}

const logOf = Effect.fnUntraced(function*(logs: Logs, { places }: Shipments) {
  const settings = yield* MessageLogConfig
  const unknown = ({ business, facility }: MessageDraft) => {
    const found = places.lookup(business, facility)
    if (found.business === null) return new BusinessNotFound({ business })
    return found.facility === null ? new FacilityNotFound({ business, facility }) : undefined
  }
  const read = <Type extends WebhookType>(
    query: MessageQuery<Type>,
    position: Position,
    limit: number,
    textLimit = Infinity
  ) =>
    Effect.suspend(() => {
      const most = Math.min(textLimit, settings.pageTextLimit)
      return Effect.fromResult(logs.of(query.business).read(query, position, limit, most))
    })
  const lastId = (business: string) => Effect.sync(() => logs.of(business).lastId)
  const { follow, tail } = yield* MessageFeed.make({ read, lastId, wakeups: logs.wakeups }, settings)
  return MessageLog.of({
    append: (drafts) =>
      Effect.flatMap(Effect.zip(Timestamp.now, TraceContext.current), ([now, trace]) => {
        const refusal = drafts.map(unknown).find((each) => each !== undefined)
        return refusal === undefined
          ? Effect.succeed(drafts.map((draft) => logs.append(draft, now, trace)))
          : Effect.fail(refusal)
      }),
    read,
    lastId,
    follow,
    tail,
    dropExpired: Effect.map(Timestamp.now, (now) => {
      const before = Timestamp.fromMillis(Date.parse(now) - settings.retentionMillis)
      return logs.all().reduce((dropped, log) => dropped + log.drop(before), 0)
    }),
    advance: (beyond) =>
      Effect.suspend(() => Effect.fromResult(logs.advance(beyond, places.businesses.keys())))
  })
})

const expecting = (shipments: Shipments, event: PalletEvent, lpn: string): ShipmentHeader | undefined =>
  shipments.shipments.at(event).filter(isOpen).findLast(({ id }) => shipments.shipments.holdsLpn(id, lpn))

const palletShipment = (
  shipments: Shipments,
  event: PalletEvent,
  { direction, dock, id, number, status }: ShipmentHeader,
  lpn: string
) => {
  const { byLpn, events, labelText } = shipments.pallets.of(id)
  const orders = shipments.shipments.ordersOf(id)
  const holding = orders.filter(({ items }) => lpn !== "" && items.some((item) => item.lpn === lpn))
  const palletId = byLpn.get(lpn) ?? null
  const seen = events.filter((each) => each.palletId === palletId)
    .toSorted((one, other) =>
      one.occurredAt < other.occurredAt ? -1 : one.occurredAt > other.occurredAt ? 1 : 0
    )
  const [first, last] = [seen[0], seen.at(-1)]
  const other = holding.length > 0 ? undefined : expecting(shipments, event, lpn)
  return {
    id,
    number,
    status,
    direction,
    dock,
    palletId,
    sighted: first === undefined || last === undefined ? null : {
      first: first.direction,
      firstSeenAt: first.occurredAt,
      last: last.direction,
      lastSeenAt: last.occurredAt,
      dockId: last.dock.id
    },
    orders: status === "SCHEDULED" ? orders.map((order) => order.number) : [],
    elsewhere: other === undefined ? null : { id: other.id, number: other.number, dock: other.dock },
    ordersWithLpn: holding.map((order) => order.number),
    onlyOrder: orders.length === 1 ? orders[0]!.number : null,
    events: events.length,
    labelText
  } satisfies PalletShipment
}

const palletSnapshot = (
  shipments: Shipments,
  event: PalletEvent,
  now: Timestamp.Timestamp
): PalletSnapshot => {
  const { business, facility, shipmentId, shipmentNumber } = event
  const lpn = lpnOf(event.labels)
  const dock = shipments.places.dock(business, facility, event.dockSlug)
  const there = shipments.shipments.at(event)
  const open = there.filter(isOpen)
  const given = (header: ShipmentHeader) =>
    shipmentId === null ? shipmentNumber !== "" && header.number === shipmentNumber : header.id === shipmentId
  const arrivedLast = open
    .filter((each) => each.status === "ARRIVED" && dock !== null && each.dock?.id === dock.id)
    .toSorted((left, right) =>
      left.arrivedAt! < right.arrivedAt! ? -1 : left.arrivedAt! > right.arrivedAt! ? 1 : 0
    )
    .at(-1)
  const shown = (header: ShipmentHeader | undefined) =>
    header === undefined ? null : palletShipment(shipments, event, header, lpn)
  return {
    now,
    ...shipments.places.lookup(business, facility),
    dock,
    fieldMap: shipments.places.fieldMap(business) ?? [],
    recorded: shipments.pallets.recorded(business, facility, event.eventId),
    given: shown(there.find(given)),
    byLpn: shown(expecting(shipments, event, lpn)),
    atDock: shown(arrivedLast),
    newPalletId: shipments.lastId("pallet") + 1
  }
}

const stepSnapshot = (
  shipments: Shipments,
  found: LocatedShipment,
  step: Step,
  now: string
): StepSnapshot => {
  const { business, facility } = found.location
  return {
    now,
    found,
    dock: shipments.places.dock(business.slug, facility.slug, step.dockSlug),
    fieldMap: shipments.places.fieldMap(business.slug) ?? [],
    pallets: step.withPallets ? shipments.pallets.of(found.shipment.id).events : [],
    elsewhere: step.withPallets ? shipments.elsewhere(found) : []
  }
}

type Append = (draft: MessageDraft) => Message

const record = (
  shipments: Shipments,
  append: Append,
  event: PalletEvent,
  text: string,
  plan: PalletPlan,
  now: string
): PalletAnswer => {
  const { business, facility, eventId, direction, occurredAt, labels } = event
  const { shipmentId, palletId, lpn, labelText, dock, orders, arrivedAt, messages } = plan
  const { id: messageId } = messages.map(append).at(-1)!
  const found = shipments.locatedShipment(shipmentId)
  if (arrivedAt !== null && found !== null) {
    shipments.put(evolve(found, { _tag: "Arrive", arrivedAt, dock }), now)
  }
  if (plan.isNewPallet) shipments.nextId("pallet")
  const answer = palletAnswer(plan, messageId)
  const pallet = { palletId, messageId, direction, occurredAt, dock, orders, labels }
  shipments.pallets.add(shipmentId, lpn, labelText, pallet)
  shipments.pallets.keep(business, facility, eventId, { text, answer })
  return answer
}

const movementOf = (logs: Logs, shipments: Shipments) => {
  /** Runs in one step, in which nothing else is done. */
  const transact = <A, E, F>(
    keep: Keep<A, F> | undefined,
    run: (now: Timestamp.Timestamp, append: Append) => Result.Result<A, E>
  ) =>
    Effect.flatMap(
      Effect.zip(Timestamp.now, TraceContext.current),
      ([now, trace]) =>
        Effect.suspend((): Effect.Effect<A, E | F> => {
          const taken = keep === undefined ? undefined : shipments.kept.find(keep.request, now)
          if (keep !== undefined && taken !== undefined) return Effect.fail(keep.notRun(taken))
          const result = run(now, (draft) => logs.append(draft, now, trace))
          const text = keep?.textOf(result)
          if (keep !== undefined && text !== undefined) shipments.kept.put(keep.request, text, now)
          return Effect.fromResult(result)
        })
    )
  return MovementStore.of({
    recordPallet: (event, text, decide, keep) =>
      transact(
        keep,
        (now, append) =>
          Result.map(decide(palletSnapshot(shipments, event, now)), (decision) =>
            decision._tag === "Repeat"
              ? { answer: decision.answer, repeated: true }
              : { answer: record(shipments, append, event, text, decision.plan, now), repeated: false })
      ),
    step: (step, decide, keep) =>
      transact(keep, (now, append) => {
        const found = shipments.locatedShipment(step.shipmentId)
        if (found === null) return Result.succeed(null)
        return Result.map(decide(stepSnapshot(shipments, found, step, now)), (plan) => {
          if (plan._tag !== "Unchanged") plan.messages.forEach(append)
          if (plan._tag === "Depart") shipments.pallets.depart(found.shipment.id, plan.elsewhere)
          const after = evolve(found, plan)
          shipments.put(after, now)
          return after
        })
      }),
    link: (one, other, decide, keep) =>
      transact(keep, (now) => {
        const [shipment, linked] = [shipments.locatedShipment(one), shipments.locatedShipment(other)]
        return Result.map(decide({ shipment, linked }), ({ _tag }) => {
          if (shipment === null || linked === null || _tag === "Unchanged") return shipment
          shipments.put(linkedTo(linked, shipment), now)
          const after = linkedTo(shipment, linked)
          shipments.put(after, now)
          return after
        })
      })
  })
}

/** The ports that movement goes together with: two of one's own, the others in memory over the same shipments and places. */
export const layer = Layer.effectContext(Effect.gen(function*() {
  const shipments = yield* MemoryDatabase
  const logs = new Logs()
  return Context.make(MessageLog, yield* logOf(logs, shipments)).pipe(
    Context.add(MovementStore, movementOf(logs, shipments))
  )
})).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Memory.layers.IntakeStore,
    Memory.layers.ShipmentStore,
    Memory.layers.Directory
  )),
  Layer.provide(MemoryDatabase.layer)
)
