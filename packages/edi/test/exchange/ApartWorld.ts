/** Two partners of one facility whose files use the same numbers, and the results of their files. */
import type { Principal } from "@dockline/core/access/Access"
import * as Dockline from "@dockline/core/embed/Dockline"
import type { Stores } from "@dockline/core/memory/Memory"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { edi } from "@dockline/edi/domain/EdiCapability"
import { outcomeOf } from "@dockline/edi/domain/EdiFile"
import type { EdiFile, EdiSet } from "@dockline/edi/domain/EdiFile"
import { EdiIntake } from "@dockline/edi/domain/EdiIntake"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { unique } from "@dockline/testing/generators/Given"
import { Effect, Layer } from "effect"
import { makeRound } from "../../src/exchange/AdviceWorker.ts"
import * as EdiExchange from "../../src/exchange/EdiExchange.ts"
import { fileWith, noticeOf } from "../Files.ts"
import { partnerOf } from "./World.ts"

const names = ["alpha", "beta"] as const
type Name = (typeof names)[number]

/** A file of one set: an order with pallets, or the cancellation of an order. */
export interface SendAction {
  readonly _tag: "Sent"
  readonly by: Name
  readonly kind: "856" | "940"
  readonly purpose: string
  readonly number: string
  readonly order: string
  readonly lpns?: number
  /** Whether its pallets have plates of its own, plates that the other partner uses too, or it has lines without plates. */
  readonly plates?: "own" | "shared" | "none"
  readonly carrier?: string
  /** A date that is stored as an additional field of the load. */
  readonly shipBy?: string
  /** Whether the file contains a set that is always rejected instead. */
  readonly isDamaged?: boolean
}

/** The events of a run. */
export type Action =
  | SendAction
  /** The customer's own system sends a document. */
  | {
    readonly _tag: "Submitted"
    readonly direction: "INBOUND" | "OUTBOUND"
    readonly number: string
    readonly order: string
  }
  /** All expected pallets pass, and the shipment departs, if there is one. */
  | {
    readonly _tag: "Leave"
    readonly number: string
    /** Whether an unexpected pallet passes too. */
    readonly hasStray?: boolean
    /** Whether some of the pallets are reported only after all partners were told about the departure. */
    readonly isLate?: boolean
  }
  | {
    readonly _tag: "Acknowledged"
    readonly by: Name
    readonly id: string
    readonly group: number
    readonly code: string
  }

/** The result of a received file. */
export interface Came {
  readonly by: Name
  readonly action: Action
  readonly sets: ReadonlyArray<Omit<EdiSet, "shipmentId">>
  readonly text: string
}

/** Refusals of documents of shipments that are final. */
const conflicts = new Set<string>(["SHIPMENT_CANCELLED", "SHIPMENT_CONFLICT"])

const lpnsOf = ({ by, lpns = 1, order, plates = "own" }: SendAction): ReadonlyArray<string> =>
  Array.from(
    { length: lpns },
    (_, index) => plates === "none" ? "" : plates === "shared" ? `plate-${index}` : `${by}-${order}-${index}`
  )

/** The plate that belongs to no order. */
const stray = "stray-1"

/** Whether a pallet is among those that are reported late. */
const comesLate = (lpn: string): boolean => lpn.endsWith("1")

const linesOf = (action: SendAction): ReadonlyArray<string> => {
  const { by, carrier = "", kind, number, order, purpose, shipBy = "" } = action
  const marks = lpnsOf(action)
  if (kind === "856") {
    return purpose === "01"
      ? [`BSN*01*${number}*20261120*1700`, "HL*1**S"]
      : noticeOf(number, marks, { order, purpose }).filter((line) => line !== "MAN*W*")
        .map((line) => line.replace("SKU-", `${by}-SKU-`))
  }
  if (purpose === "F") return [`W05*F*${order}`, `N9*LO*${number}`]
  return [
    `W05*N*${order}`,
    `N1*ST*${by} Inc.`,
    `N9*LO*${number}`,
    ...(shipBy === "" ? [] : [`G62*38*${shipBy}`]),
    ...(carrier === "" ? [] : [`W66*PP*M***${carrier}`]),
    ...marks.flatMap((
      lpn,
      index
    ) => [
      `LX*${index + 1}`,
      ...(lpn === "" ? [] : [`MAN*W*${lpn}`]),
      `W01*${index + 5}*CA**SK*${by}-SKU-${index}`
    ])
  ]
}

const groups = { "856": "SH", "940": "OW", "997": "FA" } as const

/** A text without the parts that differ from run to run: ids, and the time of day. */
const sortedSets = (sets: EdiFile["sets"]): EdiFile["sets"] =>
  sets.filter(({ outcome }) => outcome !== "UNWRITTEN")

const comparable = (text: string): string => text.replace(/(W17\*F\*\d+\*)\d+/g, "$1id")

const done = async (
  answer: Promise<{ readonly ok: true } | { readonly ok: false; readonly error: Error }>
) => {
  const result = await answer
  if (!result.ok) throw result.error
}

export const openApart = async (storage: Layer.Layer<Stores | EdiStore>) => {
  const dockline = await Dockline.open({
    storage,
    capabilities: [edi],
    clock: { now: () => Date.parse("2026-11-20T22:05:00Z") }
  })
  const services = EdiExchange.layer.pipe(Layer.provideMerge(dockline.layer))
  const scope = await Effect.runPromise(Effect.context<never>())
  const run = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof services>>): Promise<A> =>
    Effect.runPromise(Effect.provide(Effect.provideContext(work, scope) as typeof work, services))

  const runActions = async (
    actions: ReadonlyArray<Action>,
    { isAtOnce = false }: { readonly isAtOnce?: boolean } = {}
  ) => {
    const business = unique("apart")
    const client: Principal = {
      clientId: "edi",
      grants: [{
        business,
        facilities: "*",
        permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
      }]
    }
    await dockline.places([{
      slug: business,
      name: "Acme",
      facilities: [{ slug: "east", name: "East Hub", docks: ["D1"], timeZone: "America/New_York" }]
    }])
    const answers = new Map<Action, Came>()
    const refusals = new Set<Action>()
    const shared = new Set<Action>()
    const work = Effect.gen(function*() {
      const intake = yield* EdiIntake
      const store = yield* EdiStore
      const shipmentStore = yield* ShipmentStore
      for (const name of names) {
        yield* store.create({
          ...partnerOf(name),
          business,
          name,
          nextInterchange: 41,
          nextGroup: 51,
          now: Timestamp.of("2026-11-20T22:00:00.000Z")
        })
      }
      let control = 100
      const file = (by: Name, kind: keyof typeof groups, lines: ReadonlyArray<string>) =>
        fileWith(kind, groups[kind], lines)
          .replaceAll("000000007", String(++control).padStart(9, "0"))
          .replace(`ZZ*${"SENDER".padEnd(15)}`, `ZZ*${by.toUpperCase().padEnd(15)}`)
          .replace("*SENDER*", `*${by.toUpperCase()}*`)
      const send = Effect.fnUntraced(function*(by: Name, text: string, action: Action) {
        const [receipt] = yield* intake.take(text, client)
        const { answer, sets } = receipt!.file
        answers.set(action, {
          by,
          action,
          sets: sets.map(({ shipmentId: _shipment, ...set }) => set),
          text: answer
        })
      })
      const perform = (action: Action): Effect.Effect<unknown, object> => {
        switch (action._tag) {
          case "Sent": {
            const { by, isDamaged = false, kind } = action
            return send(by, file(by, kind, isDamaged ? [] : linesOf(action)), action)
          }
          case "Acknowledged": {
            const { by, code, group, id } = action
            const lines = [`AK1*${id}*${group}`, `AK9*${code}*1*1*${code === "R" ? 0 : 1}`]
            return send(by, file(by, "997", lines), action)
          }
          case "Submitted":
            return Effect.promise(() => submit(action))
          case "Leave":
            return leave(action)
        }
      }
      const submit = async (action: Extract<Action, { readonly _tag: "Submitted" }>) => {
        const { direction, number, order } = action
        const orders = [{
          orderNumber: order,
          items: [{ lpn: `own-${order}`, sku: "own", quantity: 1, quantityUnit: "CASE" as const }]
        }]
        const document: Dockline.DocumentJson = {
          business,
          facility: "east",
          direction,
          shipmentNumber: number,
          orders
        }
        const receipt = await dockline.submit(document, client)
        if (receipt.ok) return
        if (!conflicts.has(receipt.error.code)) throw receipt.error
        refusals.add(action)
      }
      const round = yield* makeRound
      const tellAll = Effect.gen(function*() {
        while (!(yield* round));
      })
      const passing = async (shipmentNumber: string, direction: string, lpns: ReadonlyArray<string>) => {
        for (const lpn of lpns) {
          await done(dockline.recordPallet({
            eventId: unique("e"),
            business,
            facility: "east",
            dockSlug: "D1",
            direction: direction === "INBOUND" ? "UNLOADING" : "LOADING",
            occurredAt: "2026-11-20T20:00:00Z",
            shipmentNumber,
            labels: [{ name: "lpn", value: lpn }]
          }, client))
        }
      }
      const leave = Effect.fnUntraced(
        function*(action: Extract<Action, { readonly _tag: "Leave" }>) {
          const { hasStray = false, isLate = false, number } = action
          const page = yield* Effect.promise(() =>
            dockline.shipments({ business, facility: "east", shipmentNumber: number }, client)
          )
          const shipment = page.ok ? page.value.items[0] : undefined
          if (shipment === undefined || shipment.status !== "SCHEDULED") return
          const match = yield* shipmentStore.find(Number(shipment.id), [{ business, facilities: "*" }])
          const owners = new Set(match!.shipment.orders.flatMap(({ owner }) => owner ?? []))
          if (owners.size > 1) shared.add(action)
          const lpns = [
            ...new Set(shipment.orders.flatMap(({ items }) => items.map(({ lpn }) => lpn))),
            ...(hasStray ? [stray] : [])
          ].filter((lpn) => lpn !== "")
          const isHeldBack = (lpn: string) => isLate && comesLate(lpn)
          const pass = (lpns: ReadonlyArray<string>) =>
            Effect.promise(() => passing(number, shipment.direction, lpns))
          yield* Effect.promise(() =>
            done(dockline.arrive(
              String(shipment.id),
              { dockSlug: "D1", occurredAt: "2026-11-20T19:00:00Z" },
              client
            ))
          )
          yield* pass(lpns.filter((lpn) => !isHeldBack(lpn)))
          yield* Effect.promise(() =>
            done(dockline.depart(String(shipment.id), { occurredAt: "2026-11-20T21:00:00Z" }, client))
          )
          yield* tellAll
          yield* pass(lpns.filter(isHeldBack))
        }
      )
      if (isAtOnce) yield* Effect.forEach(actions, perform, { concurrency: "unbounded" })
      else {
        for (const action of actions) {
          yield* perform(action)
          if (action._tag === "Leave") yield* tellAll
        }
      }
      const { items } = yield* store.files([{ business, facilities: "*" }], {
        business,
        facility: undefined,
        partner: undefined,
        direction: "OUT",
        outcome: undefined,
        shipmentId: undefined
      }, { after: undefined, limit: 100 })
      const files = yield* Effect.forEach(items.toReversed(), ({ id }) => store.file(id, []))
      return files.filter((file): file is EdiFile => file !== null)
    })
    const files = await run(work)
    const shipments = await dockline.shipments({ business }, client)
    return {
      answers,
      refused: refusals,
      /** The departures of loads with orders of both partners. */
      shared,
      came: actions.flatMap((action) => answers.get(action) ?? []),
      // A file that could not be written is ignored: a shared truck may leave without any goods of one partner.
      told: files.filter(({ text }) => text !== "").map(({ faults, partner, sets, text }) => ({
        partner,
        faults,
        outcome: outcomeOf(sortedSets(sets)),
        groups: sortedSets(sets).map(({ groupControl }) => Number(groupControl)),
        sets: sortedSets(sets).map(({ shipmentId: _shipment, ...set }) => set),
        text: comparable(text)
      })),
      shipments: shipments.ok
        ? shipments.value.items.map(({ carrier, orders, shipmentNumber, status, trailerNumber }) => ({
          carrier,
          status,
          trailerNumber,
          shipmentNumber,
          orders: orders.map(({ id: _id, items, ...order }) => ({
            ...order,
            items: items.map(({ id: _id, ...item }) => item)
          }))
        }))
        : []
    }
  }
  return { run: runActions, [Symbol.asyncDispose]: () => dockline.close() }
}
