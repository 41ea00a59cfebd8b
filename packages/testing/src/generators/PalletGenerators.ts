/**
 * Generated pallet events, and what else happens to shipments in motion. Event ids, license plates and shipments come
 * from small pools, so that events repeat, match and miss.
 */
import type { Label } from "@dockline/core/MessageField"
import type { PalletEvent } from "@dockline/core/Pallet"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import { checkInSteps } from "@dockline/core/Vocabulary"
import { Result } from "effect"
import * as fc from "fast-check"
import type { Raw } from "./Generators.ts"
import * as Values from "./Values.ts"

/** A second of one minute, as times of occurrence are: before, at and after each other. */
const seconds = fc.nat(59)

/** The time of day that a second stands for. */
export const timeOf = (second: number): string => `2026-11-20T17:00:${String(second).padStart(2, "0")}.000Z`

/** Labels of a pallet: some without a license plate, some with several, some that mean nothing. */
export const labels: fc.Arbitrary<ReadonlyArray<Label>> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ name: fc.constant("lpn"), value: fc.oneof(Values.lpns, fc.constant("")) })
    },
    {
      weight: 1,
      arbitrary: fc.record({ name: fc.constantFrom("sku", "lot", "__proto__"), value: Values.texts })
    }
  ),
  { maxLength: 3 }
)

/** Pallet events as towers write them, that the reader accepts, of business `acme`. */
export const rawPalletEvents: fc.Arbitrary<Raw> = fc
  .tuple(
    fc.record({
      eventId: fc.integer({ min: 1, max: 30 }).map((n) => `E${n}`),
      business: fc.constant("acme"),
      facility: fc.constantFrom("east", "east", "east", "west"),
      dockSlug: fc.constantFrom("D1", "D1", "D2", "D9"),
      direction: Values.crossings,
      occurredAt: fc.oneof(
        seconds.map(timeOf),
        fc.constantFrom("2026-11-20T18:00:30+01:00", "1970-01-01T00:00:00Z", "2026-11-20t17:00:30.0009z")
      ),
      labels
    }),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom<Raw>({}, { shipmentId: null, shipmentNumber: null }) },
      {
        weight: 2,
        arbitrary: fc.oneof(Values.shipmentNumbers, fc.constant("S9")).map((shipmentNumber): Raw => ({
          shipmentNumber
        }))
      },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((shipmentId): Raw => ({ shipmentId })) }
    )
  )
  .map(([event, shipment]) => ({ ...event, ...shipment }))

/** What {@link rawPalletEvents} read as. */
export const palletEvents: fc.Arbitrary<PalletEvent> = rawPalletEvents.map((raw) =>
  Result.getOrThrowWith(PalletEventInput.read(raw), (error) => new Error(JSON.stringify(error)))
)

/** The shipments of {@link motions}, each of which is there from the start. */
export const movingNumbers = ["S1", "S2", "S3"] as const

const numbers = fc.constantFrom(...movingNumbers)
const plates = fc.constantFrom("", "L1", "L2", "L3")

/** Mostly what can be recorded, so that pallets go on and off; each refusal comes up too. */
const crossing = fc.record({
  _tag: fc.constant("Pallet" as const),
  eventId: fc.integer({ min: 1, max: 24 }).map((n) => `E${n}`),
  facility: fc.constantFrom("east", "east", "east", "east", "east", "east", "west"),
  dockSlug: fc.constantFrom("D1", "D1", "D1", "D1", "D2", "D2", "D9"),
  direction: Values.crossings,
  second: seconds,
  lpn: fc.constantFrom("L1", "L1", "L2", ""),
  shipmentNumber: fc.constantFrom("S1", "S1", "S1", "S2", "", "", "S9")
})

const motion = fc.oneof(
  { arbitrary: crossing, weight: 6 },
  {
    arbitrary: fc.record({ _tag: fc.constant("Document" as const), number: numbers, lpn: plates }),
    weight: 2
  },
  {
    arbitrary: fc.record({ _tag: fc.constant("Arrive" as const), number: numbers, second: seconds }),
    weight: 1
  },
  { arbitrary: fc.record({ _tag: fc.constant("Depart" as const), number: numbers }), weight: 1 },
  {
    arbitrary: fc.record({
      _tag: fc.constant("CheckIn" as const),
      number: numbers,
      step: fc.constantFrom(...checkInSteps),
      dockSlug: fc.constantFrom("", "D1", "D1", "D2", "D9"),
      second: seconds
    }),
    weight: 1
  },
  { arbitrary: fc.record({ _tag: fc.constant("Cancel" as const), number: numbers }), weight: 1 },
  { arbitrary: fc.record({ _tag: fc.constant("Link" as const), number: numbers, other: numbers }), weight: 1 }
)

/** One thing that happens to shipments in motion: a pallet, a document or a step. */
export type Motion = typeof motion extends fc.Arbitrary<infer A> ? A : never

/**
 * What happens to the shipments {@link movingNumbers}, one thing after another; long, as a pallet that comes off again
 * before its shipment departs takes some time to come about.
 */
export const motions: fc.Arbitrary<ReadonlyArray<Motion>> = fc.array(motion, {
  minLength: 1,
  maxLength: 40,
  size: "medium"
})
