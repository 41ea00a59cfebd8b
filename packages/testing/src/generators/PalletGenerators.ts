/**
 * Generated pallets, and what else happens to shipments in motion. License plates and shipments come from small pools, so
 * that pallets repeat, match and miss.
 */
import { checkInSteps } from "@dockline/core/Vocabulary"
import * as fc from "fast-check"
import { recently } from "./Recently.ts"
import * as Values from "./Values.ts"

/** A second of one minute, as times of occurrence are: before, at and after each other. */
const seconds = fc.nat(59)

/** The time of day that a second stands for. */
export const timeOf = (second: number): string => recently(`17:00:${String(second).padStart(2, "0")}.000Z`)

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
