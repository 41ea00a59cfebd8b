/** A service in memory with partners, and its clients. */
import { everything } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Slices from "@dockline/core/input/Slices"
import * as Memory from "@dockline/core/memory/Memory"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import type { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { edi } from "@dockline/edi/domain/EdiCapability"
import type { EdiFile } from "@dockline/edi/domain/EdiFile"
import { EdiIntake } from "@dockline/edi/domain/EdiIntake"
import type { EdiIntakeService, EdiReceipt, EdiTakeError } from "@dockline/edi/domain/EdiIntake"
import type { EdiPartner, EdiTerms } from "@dockline/edi/domain/EdiPartner"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { Effect, Layer } from "effect"
import { resending } from "../../src/domain/EdiPartners.ts"
import { writeAdvice } from "../../src/exchange/Advice.ts"
import type { Advice } from "../../src/exchange/Advice.ts"
import { makeRound } from "../../src/exchange/AdviceWorker.ts"
import * as EdiExchange from "../../src/exchange/EdiExchange.ts"
import type { Sending } from "../../src/exchange/SetResult.ts"

/** The partner that sends the files of these tests. */
export const supplier: EdiTerms & Pick<EdiPartner, "slug" | "tellsOf"> = {
  business: "acme",
  facility: "east",
  slug: "supplier",
  theirs: { qualifier: "ZZ", id: "SENDER", group: "SENDER" },
  ours: { qualifier: "01", id: "123456789", group: "123456789" },
  release: "004010",
  usage: "P",
  takes: ["856", "940"],
  tells: ["856", "945", "944"],
  tellsOf: "OWN"
}

/** Another partner, whose id in envelopes is its slug in capitals. */
export const partnerOf = (slug: string, more: Partial<typeof supplier> = {}): typeof supplier => {
  const id = slug.toUpperCase()
  return { ...supplier, slug, theirs: { qualifier: "ZZ", id, group: id }, ...more }
}

/** A client of acme that may do everything there. */
export const client: Principal = {
  clientId: "edi",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  }]
}

/** The control numbers of sent interchanges. */
export const sending: Sending = { interchange: 41, group: 51, date: "20261120", time: "170500" }

/** A placeholder for the control number of test files: each gets a number of its own when it is sent. */
const control = "000000007"

/** The exchange, as these tests use it. */
export interface Exchange {
  /** Sends a file under a control number that no other file has. */
  readonly take: (
    text: string,
    principal: Principal
  ) => Effect.Effect<ReadonlyArray<EdiReceipt>, EdiTakeError>
  /** Sends a file unchanged. */
  readonly takeAsItIs: EdiIntakeService["take"]
  /** Writes the sets that tell a partner about a shipment. */
  readonly tell: (
    shipmentId: string,
    partner: EdiTerms,
    before?: ReadonlyArray<string>
  ) => Effect.Effect<Advice>
  /** Tells partners until all are up to date. */
  readonly tellAll: Effect.Effect<void>
  /** The rounds of an instance over a store of its own; it adds the ids of the shipments that it loads to a list. */
  readonly roundsOver: (
    store: EdiStore["Service"],
    shipmentIds?: Array<number>
  ) => Effect.Effect<Effect.Effect<boolean, StorageUnavailable>>
}

/** The event of a pallet that passes the door of a shipment. */
export const palletOf = (
  shipmentNumber: string,
  lpn: string,
  direction = "UNLOADING",
  eventId = `e-${lpn}`
) => ({
  eventId,
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction,
  occurredAt: "2026-11-20T20:00:00Z",
  shipmentNumber,
  labels: [{ name: "lpn", value: lpn }]
})

/** A service in memory, with the exchange of its partners. It is five past five in New York. */
export const open = async (
  partners: ReadonlyArray<typeof supplier> = [supplier],
  storage = Memory.layerWith([edi])
) => {
  let now = Date.parse("2026-11-20T22:05:00Z")
  const dockline = await Dockline.open({ storage, capabilities: [edi], clock: { now: () => now } })
  await dockline.places([
    {
      slug: "acme",
      name: "Acme",
      facilities: [
        { slug: "east", name: "East Hub", docks: ["D1"], timeZone: "America/New_York" },
        { slug: "west", name: "West Hub", docks: ["D1"] }
      ]
    }
  ])
  const services = EdiExchange.layer.pipe(Layer.provideMerge(dockline.layer))
  let files = 1000
  const withControl = (text: string): string => text.replaceAll(control, String(++files).padStart(9, "0"))

  const exchange = Effect.gen(function*() {
    const intake = yield* EdiIntake
    const shipments = yield* ShipmentStore
    const store = yield* EdiStore
    const services = yield* Effect.context<Directory | EdiStore | MessageLog | ShipmentStore>()
    const round = yield* makeRound
    const untilDone: Effect.Effect<void> = Effect.flatMap(
      Effect.orDie(round),
      (isDone) => isDone ? Effect.void : untilDone
    )
    const service: Exchange = {
      take: (text, principal) => intake.take(withControl(text), principal),
      takeAsItIs: intake.take,
      tell: (id, partner, before) =>
        Effect.flatMap(
          Effect.orDie(shipments.find(Number(id), [{ business: "*", facilities: "*" }])),
          (match) =>
            Slices.run(writeAdvice(match!, partner, {
              timeZone: "America/New_York",
              sending,
              before: before && { files: before.map((text) => ({ sets: [], text })), isWhole: true }
            }))
        ),
      tellAll: untilDone,
      roundsOver: (store, loads = []) =>
        makeRound.pipe(
          Effect.provideService(EdiStore, store),
          Effect.provideService(ShipmentStore, {
            ...shipments,
            find: (id, reader) => {
              loads.push(id)
              return shipments.find(id, reader)
            }
          }),
          Effect.provideContext(services)
        )
    }
    return { service, store }
  })
  const run = <A, E>(
    work: (exchange: Exchange, store: EdiStore["Service"]) => Effect.Effect<A, E>
  ): Promise<A> =>
    Effect.runPromise(
      Effect.provide(Effect.flatMap(exchange, ({ service, store }) => work(service, store)), services)
    )
  for (const partner of partners) {
    await run((_, store) =>
      store.create({
        ...partner,
        name: partner.slug,
        nextInterchange: 41,
        nextGroup: 51,
        now: Timestamp.of("2026-11-20T22:00:00.000Z")
      })
    )
  }
  return {
    dockline,
    run,
    /** The files on record that went to partners, the oldest first. */
    told: (): Promise<ReadonlyArray<EdiFile>> =>
      run((_, store) =>
        Effect.flatMap(
          store.files([{ business: "*", facilities: "*" }], {
            business: undefined,
            facility: undefined,
            partner: undefined,
            direction: "OUT",
            outcome: undefined,
            shipmentId: undefined
          }, { after: undefined, limit: 100 }),
          ({ items }) =>
            Effect.map(
              Effect.forEach(items.toReversed(), ({ id }) => store.file(id, [])),
              (files) => files.filter((file) => file !== null)
            )
        )
      ),
    /** Lets a pallet of a shipment pass, and the shipment depart. */
    depart: async (shipmentNumber: string, lpn: string): Promise<void> => {
      const receipt = await dockline.recordPallet(palletOf(shipmentNumber, lpn), client)
      if (!receipt.ok) throw receipt.error
      const { shipmentId } = receipt.value.answer.verdict
      await dockline.depart(shipmentId, { occurredAt: "2026-11-20T21:00:00Z" }, client)
    },
    /** Lets time pass. */
    pass: (millis: number): void => {
      now += millis
    },
    [Symbol.asyncDispose]: () => dockline.close()
  }
}

/** Requests that the sets of a file that the supplier rejected be sent again. */
export const resend = (
  { run }: Pick<Awaited<ReturnType<typeof open>>, "run">,
  { id }: Pick<EdiFile, "id">
) =>
  run((_, store) =>
    Effect.gen(function*() {
      const partner = yield* store.find({ business: "acme", partner: supplier.slug })
      const file = yield* store.file(id, [{ business: everything, facilities: everything }])
      return yield* store.transact(partner!, { interchanges: [file!.control] }, resending(file!))
    })
  )
