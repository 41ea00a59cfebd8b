/**
 * Histories of a facility and everything that can be observed of them, with ids by name: two storages that do the same
 * show the same.
 */
import type { Principal } from "@dockline/core/Access"
import { permissions } from "@dockline/core/Access"
import { Directory } from "@dockline/core/Directory"
import type { Document } from "@dockline/core/Document"
import { Intake } from "@dockline/core/Intake"
import { MessageLog } from "@dockline/core/MessageLog"
import type { PalletAnswer, PalletEvent } from "@dockline/core/Pallet"
import { Pallets } from "@dockline/core/Pallets"
import { Shipments } from "@dockline/core/Shipments"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import { shipmentView } from "@dockline/core/View"
import type { IntakeResult, ShipmentView } from "@dockline/core/View"
import { messageTypes } from "@dockline/core/Vocabulary"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const principal: Principal = {
  clientId: "client",
  grants: [{ business: "acme", facilities: "*", permissions }]
}

const places = Effect.flatMap(Directory, (directory) =>
  directory.put([{
    slug: "acme",
    name: "Acme",
    fieldMap: [
      { name: "LPN", label: "lpn", list: false },
      { name: "SKUs", label: "sku", list: true }
    ],
    facilities: [
      { slug: "east", name: "East", docks: ["D1", "D2"] },
      { slug: "west", name: "West", docks: ["D1"] }
    ]
  }]))

/** Ids as numbers in the order in which they were first seen, each kind for itself. */
const idNames = () => {
  const names = new Map<string, string>()
  return (kind: string, id: string | number): string => {
    if (id === "" || id === 0) return "none"
    const key = `${kind} ${id}`
    const name = names.get(key) ?? `${kind} #${names.size}`
    names.set(key, name)
    return name
  }
}

type IdName = ReturnType<typeof idNames>

const nameShipment = (shipment: ShipmentView, name: IdName) => ({
  ...shipment,
  id: name("SHIPMENT", shipment.id),
  dockId: name("DOCK", shipment.dockId),
  orders: shipment.orders.map((order) => ({
    ...order,
    id: name("ORDER", order.id),
    items: order.items.map((item) => ({ ...item, id: name("ORDER_ITEM", item.id) }))
  }))
})

const nameAnswer = ({ created, updated, removed, shipment }: IntakeResult, name: IdName) => {
  const references = (list: IntakeResult["created"]) =>
    list.map(({ type, id, reference }) => [name(type, id), reference])
  return {
    created: references(created),
    updated: references(updated),
    removed: references(removed),
    shipment: nameShipment(shipment, name)
  }
}

/** A payload, with ids in every member that holds one. */
const namePayload = (payload: object, name: IdName): unknown =>
  Object.fromEntries(
    Object.entries(payload).map(([field, value]) => {
      switch (field) {
        case "serviceShipmentId":
          return [field, name("SHIPMENT", value)]
        case "servicePalletId":
          return [field, name("PALLET", value)]
        case "dockId":
          return [field, name("DOCK", value)]
        case "url":
          return [
            field,
            String(value).replaceAll(
              /\/(shipment|pallet)s\/(\d+)/g,
              (_, kind: string, id: string) => `/${name(kind.toUpperCase(), id)}`
            )
          ]
        case "pallets":
          return [field, (value as ReadonlyArray<object>).map((pallet) => namePayload(pallet, name))]
        default:
          return [field, value]
      }
    })
  )

const namePallet = ({ messageId, orders, ...ids }: PalletAnswer, name: IdName) => ({
  messageId: name("MESSAGE", messageId),
  orders,
  ids: namePayload(ids, name)
})

const state = (name: IdName) =>
  Effect.gen(function*() {
    const store = yield* ShipmentStore
    const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
    const { items } = yield* store.listShipments([{ business: "acme", facilities: "*" }], none, {
      limit: 1000,
      after: 0
    })
    return items.map(({ shipment, location }) => nameShipment(shipmentView(shipment, location), name))
  })

/** The whole log. */
const log = (name: IdName) =>
  Effect.gen(function*() {
    const { read } = yield* MessageLog
    const { messages } = yield* read({ business: "acme", facility: undefined, types: messageTypes }, {
      afterId: 0
    }, 1000)
    return messages.map(({ id, shipmentId, payload, ...rest }) => ({
      ...rest,
      id: name("MESSAGE", id),
      shipmentId: name("SHIPMENT", shipmentId),
      payload: namePayload(payload, name),
      // Ids are of any length.
      size: undefined
    }))
  })

/** One thing that happens; shipments of the business are named by their position in the order of creation. */
export type Happening =
  | { readonly _tag: "Submit"; readonly document: Document }
  | { readonly _tag: "Pallet"; readonly event: PalletEvent; readonly shipment: number | null }
  | {
    readonly _tag: "Arrive"
    readonly shipment: number
    readonly occurredAt?: string
    readonly dockSlug?: string
  }
  | { readonly _tag: "Depart"; readonly shipment: number; readonly occurredAt?: string }
  | { readonly _tag: "Link"; readonly shipment: number; readonly linked: number }

/** Everything that can be observed of a history: each answer or refusal, dry runs too, the state and the log at the end. */
export const observe = (history: ReadonlyArray<Happening>) =>
  Effect.gen(function*() {
    yield* places
    const intake = yield* Intake
    const pallets = yield* Pallets
    const shipments = yield* Shipments
    const name = idNames()
    const known: Array<number> = []
    const idOf = (shipment: number): number => known[shipment] ?? 999_999_999
    const answers: Array<unknown> = []

    const answer = <A, E extends { readonly _tag: string }, R>(
      effect: Effect.Effect<A, E, R>,
      show: (value: A) => unknown
    ) =>
      Effect.map(Effect.result(effect), (result) => {
        if (result._tag === "Success") return answers.push(show(result.success))
        const { failure } = result
        return answers.push(
          "id" in failure ? { ...failure, id: name("SHIPMENT", String(failure.id)) } : failure
        )
      })
    const showShipment = (shipment: ShipmentView) => nameShipment(shipment, name)

    for (const step of history) {
      yield* TestClock.adjust("1 minute")
      switch (step._tag) {
        case "Submit":
          for (const dryRun of [true, false]) {
            yield* answer(intake.submit(step.document, principal, { dryRun }), (result) => {
              const { id } = result.shipment
              if (id !== 0 && !known.includes(id)) known.push(id)
              return nameAnswer(result, name)
            })
          }
          break
        case "Pallet": {
          const event = step.shipment === null
            ? step.event
            : { ...step.event, shipmentId: idOf(step.shipment) }
          yield* answer(
            pallets.record(event, principal),
            ({ answer, repeated }) => [namePallet(answer, name), repeated]
          )
          break
        }
        case "Arrive":
          yield* answer(shipments.arrive(String(idOf(step.shipment)), step, principal), showShipment)
          break
        case "Depart":
          yield* answer(shipments.depart(String(idOf(step.shipment)), step, principal), showShipment)
          break
        case "Link":
          yield* answer(
            shipments.link(String(idOf(step.shipment)), String(idOf(step.linked)), principal),
            showShipment
          )
      }
    }
    return { answers, state: yield* state(name), log: yield* log(name) }
  }).pipe(Effect.provide(TestClock.layer()))
