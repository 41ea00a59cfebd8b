/**
 * The curves of `bench growth`: each measures the same requests against services of different sizes, in turns.
 */
import { Effect } from "effect"
import { say } from "../BenchError.ts"
import type { BenchError } from "../BenchError.ts"
import type { Variant } from "../intake/Documents.ts"
import { tenantOf } from "./Filled.ts"
import type { Size } from "./Filled.ts"
import { dealt, measure } from "./Measure.ts"
import type { Cost, Target } from "./Measure.ts"
import * as Requests from "./Requests.ts"

/** A server over a database of a size. */
export interface Service extends Target {
  readonly size: Size
  /** Of the client that may do everything at the business that is measured. */
  readonly token: string
  /** A token of the client of a business. */
  readonly tokenOf: (business: string) => Effect.Effect<string, BenchError>
}

/** What a curve is over. */
export type Over = "shipments stored" | "messages stored" | "items of a document" | "tenants"

/** One point of a curve, with what each round measured. */
export interface Point {
  /** How many there are of what the curve is over. */
  readonly at: number
  readonly costs: ReadonlyArray<Cost>
}

/** What something costs, by the size of something. */
export interface Curve {
  readonly title: string
  readonly over: Over
  readonly points: ReadonlyArray<Point>
}

/** How much is measured. */
export interface Amount {
  readonly rounds: number
  readonly requests: number
}

/** Requests of a service in a round. Each round sends others, or others again. */
type Batch = (service: Service, round: number) => ReadonlyArray<ReadonlyArray<Buffer>>

/** Connections of documents and pallet events: enough that some wait for each other, as in a service that is used. */
const connections = 4

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at)

/** Forwards in odd rounds and backwards in even ones, after a round that does not count. */
const inTurns = Effect.fnUntraced(function*<A extends Target>(
  title: string,
  services: ReadonlyArray<A>,
  rounds: number,
  batch: (service: A, round: number) => ReadonlyArray<ReadonlyArray<Buffer>>
) {
  const costs: ReadonlyArray<Array<Cost>> = services.map(() => [])
  for (const round of range(rounds + 1)) {
    const order = round % 2 === 1 ? services : services.toReversed()
    for (const service of order) {
      const cost = yield* measure(title, service, batch(service, round))
      if (round > 0) costs[services.indexOf(service)]!.push(cost)
    }
  }
  const totals = costs.map((each) =>
    each.map(({ postgres, server }) => (server + postgres).toFixed(2)).join(" ")
  )
  yield* say(`${title}: ${totals.join(" | ")} ms of CPU`)
  return costs
})

/** The curve of requests that are the same for every service but for what is stored. */
const curve = Effect.fnUntraced(
  function*(title: string, over: Over, services: ReadonlyArray<Service>, amount: Amount, batch: Batch) {
    const costs = yield* inTurns(title, services, amount.rounds, batch)
    const at = ({ size }: Service) => over === "messages stored" ? size.messages : size.shipments
    return { title, over, points: services.map((service, n) => ({ at: at(service), costs: costs[n]! })) }
  }
)

/** Documents, pallet events and pages, by what is stored. */
export const stored = Effect.fnUntraced(function*(services: ReadonlyArray<Service>, amount: Amount) {
  const { requests } = amount
  const first: Batch = (service, round) =>
    dealt(
      range(requests).map((n) =>
        Requests.document(service, { number: Requests.numberOf("order", round * requests + n), variant: 0 })
      ),
      connections
    )
  // Each of the orders of the round before, with all of its items changed.
  const again: Batch = (service, round) =>
    dealt(
      range(requests).map((n) =>
        Requests.document(service, {
          number: Requests.numberOf("order", n),
          variant: (round % 2 === 0 ? 1 : 0) satisfies Variant
        })
      ),
      connections
    )
  const pallet: Batch = (service, round) =>
    dealt(
      range(requests).map((n) =>
        Requests.pallet(
          service,
          Requests.numberOf("event", round * requests + n),
          Requests.numberOf("order", n),
          round % 10
        )
      ),
      connections
    )
  const page = (share: number): Batch => (service, round) => {
    const most = Math.max(0, service.size.messages * share - pageSize)
    return dealt(
      range(Math.ceil(requests / 4)).map((n) =>
        Requests.page(service, Math.floor(most * (share === 1 ? 1 : spread(round * requests + n))), pageSize)
      ),
      connections
    )
  }
  return [
    yield* curve("The first document of a shipment", "shipments stored", services, amount, first),
    yield* curve("A further document of a shipment", "shipments stored", services, amount, again),
    yield* curve("A pallet event", "shipments stored", services, amount, pallet),
    yield* curve("A page of messages, anywhere in the log", "messages stored", services, amount, page(0.999))
  ]
})

/** Messages of a page. */
const pageSize = 100

/** Places from 0 to 1 that are far apart from each other, whatever their number. */
const spread = (n: number): number => (n * 0.618_033_988_749_895) % 1

/** Documents by their items. Each number is sent twice, so half of them write what is new and half change it. */
export const items = Effect.fnUntraced(
  function*(service: Service, amount: Amount & { readonly items: number }) {
    const sizes = [10, 100, 1000, 10_000].filter((items) => items <= amount.items)
    const costs = yield* inTurns(
      "An item",
      sizes.map((items) => ({ ...service, items })),
      amount.rounds,
      (sized, round) => {
        // As many items in each measurement, but at least one document.
        const count = Math.max(1, Math.round(amount.requests * 20 / sized.items))
        return [
          range(count).flatMap((n) =>
            ([0, 1] as const).map((variant) =>
              Requests.document(sized, {
                number: Requests.numberOf(`items ${sized.items}`, round * count + n),
                items: sized.items,
                variant
              })
            )
          )
        ]
      }
    )
    const points = sizes.map((items, n) => ({
      at: items,
      costs: costs[n]!.map(({ p50, postgres, server }) => ({
        p50: p50 / items,
        server: server / items,
        postgres: postgres / items
      }))
    }))
    return { title: "An item of a document", over: "items of a document", points } satisfies Curve
  }
)

/** Documents of tenants in turns, each with a client and a token of its own. */
export const tenants = Effect.fnUntraced(function*(services: ReadonlyArray<Service>, amount: Amount) {
  const used = yield* Effect.forEach(services, (service) => sendersOf(service, amount.requests))
  const batch: Batch = (service, round) => {
    const senders = used[services.indexOf(service)]!
    // A tenant has one connection, so that no two documents of one are there at once, however few tenants there are.
    const documents = range(amount.requests).map((n) => {
      const { business, token } = senders[n % senders.length]!
      const number = Requests.numberOf("tenant", round * amount.requests + n)
      return [
        senders.length < amount.requests ? n % senders.length % connections : n % connections,
        Requests.document({ port: service.port, token }, { number, business, variant: 0 })
      ] as const
    })
    return range(connections).map((at) =>
      documents.filter(([connection]) => connection === at).map(([, request]) => request)
    )
  }
  const costs = yield* inTurns("A document of a tenant", services, amount.rounds, batch)
  const points = services.map(({ size }, n) => ({ at: size.tenants, costs: costs[n]! }))
  return [{ title: "A document of each tenant in turns", over: "tenants", points }] satisfies ReadonlyArray<
    Curve
  >
})

/** As many tenants as there are requests, spread over all of them. */
const sendersOf = Effect.fnUntraced(function*({ size, tokenOf }: Service, requests: number) {
  const count = Math.min(requests, size.tenants)
  return yield* Effect.forEach(range(count), (n) => {
    const business = tenantOf(1 + Math.floor(n * size.tenants / count))
    return Effect.map(tokenOf(business), (token) => ({ business, token }))
  }, { concurrency: 8 })
})
