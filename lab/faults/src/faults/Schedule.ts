/**
 * Which faults happen when: a pure function of the seed and the length of a run, so that a seed can be repeated.
 *
 * Guarantee: nothing happens in the first window and in the one in the middle; every fault has ended before a window
 * begins and before the run ends; faults of the same resource never overlap, those of different ones do; of any
 * consecutive seeds, as many as there are kinds, each kind occurs in one at least.
 */
import { Random } from "../../../Random.ts"

export type Side = "a" | "b"

export const sides: ReadonlyArray<Side> = ["a", "b"]

/** A resource that a fault uses; each side has its instance, its way (the proxy to the database) and its clock. */
type Resource = "instance" | "way" | "clock" | "postgres" | "customer"

/** A kind of fault: the resources that it uses, and how long it may last, in milliseconds. */
interface Kind {
  /** The resources that it uses, of one side or both: no two faults use one at the same time. */
  readonly of: Resource | ReadonlyArray<Resource>
  readonly reach: "one" | "both" | "some" | "all"
  readonly least: number
  readonly most: number
}

/** The resources of faults that overload an instance: meanwhile no other fault may disturb its service. */
const strained = ["instance", "way", "postgres"] as const

const kind = (of: Kind["of"], reach: Kind["reach"], least: number, most: number): Kind => ({
  of,
  reach,
  least,
  most
})

const declared = {
  /** `kill -9`; started again when it ends. */
  "instance-kill": kind("instance", "one", 50, 2500),
  /** `kill -9` of both at once. */
  "instances-kill": kind("instance", "both", 50, 1500),
  /** SIGSTOP; SIGCONT when it ends. */
  "instance-pause": kind("instance", "one", 500, 5000),
  /** SIGTERM; started again at once when it has ended. */
  "instance-restart": kind("instance", "one", 300, 1500),
  /** `kill -9` of the postmaster; its keeper starts it again. */
  "postgres-kill": kind("postgres", "all", 500, 2000),
  /** Shutdown in mode "immediate", as when a machine goes down; its keeper starts it again. */
  "postgres-immediate": kind("postgres", "all", 500, 2000),
  /** `pg_terminate_backend`, of all connections again and again. */
  "backends-all": kind("postgres", "all", 100, 1000),
  /** `pg_terminate_backend` of some connections. */
  "backends-some": kind("postgres", "all", 200, 2500),
  /** The disk of PostgreSQL is full. */
  "disk-full": kind("postgres", "all", 500, 2500),
  /** Connections to the database break, again and again. */
  "way-cut": kind("way", "some", 100, 1500),
  /** Connections to the database break, and new ones are refused. */
  "way-closed": kind("way", "some", 300, 2500),
  /** No data passes, without an error; the data that was sent arrives when the fault ends. */
  "way-silent": kind("way", "some", 500, 5000),
  /** Requests arrive at the database, but its answers arrive only when the fault ends. */
  "way-mute": kind("way", "some", 500, 5000),
  /** All data arrives late. */
  "way-slow": kind("way", "some", 1000, 4000),
  /** The answer to COMMIT is lost with its connection. */
  "way-loses-commits": kind("way", "some", 300, 2500),
  /** The answer to any statement outside a transaction is lost with its connection. */
  "way-loses-answers": kind("way", "some", 100, 1500),
  /** The clock of an instance goes wrong by minutes or hours, forward. */
  "clock-ahead": kind("clock", "one", 500, 4000),
  /** The same, backward. */
  "clock-back": kind("clock", "one", 500, 4000),
  /** The customer's server misbehaves. */
  customer: kind("customer", "all", 1000, 4000),
  /** The logs of both instances cannot be written: the disk of one is full, and the pipe of the other has no reader. */
  "log-lost": kind("instance", "both", 4000, 5000),
  /** Several sockets send frames of GraphQL as fast as the instance reads them, with and without a token. */
  "frames-flood": kind("instance", "one", 3000, 5000),
  /** A session of the database locks the row of a shipment, and many documents with keys wait for it at one instance. */
  "row-held": kind(strained, "all", 4000, 6000),
  /** One client reads a large shipment of its own business again and again, and does not read some of the answers. */
  "large-reads": kind(strained, "all", 4000, 5000),
  /** One client sends as many requests as it can, with many spellings of its `Authorization` header and several tokens. */
  "many-spellings": kind(strained, "all", 4000, 5000),
  /** Many clients of one business send as many requests as they can, most of which have no body yet. */
  "many-clients": kind(strained, "all", 4000, 5000),
  /** One client sends the largest permitted files of X12, and reads one. */
  "large-files": kind(strained, "all", 4000, 5000)
} as const

export type FaultKind = keyof typeof declared

export const faultKinds = Object.keys(declared) as ReadonlyArray<FaultKind>

export interface Fault {
  readonly kind: FaultKind
  /** The instances that it concerns; both if it concerns none. */
  readonly sides: ReadonlyArray<Side>
  /** Milliseconds from the start of the workload. */
  readonly begin: number
  readonly end: number
  /** At least 0 and below 1: the kind draws its particulars from it, such as the misbehaviour or the offset of a clock. */
  readonly draw: number
}

/** A time without faults, in milliseconds from the start of the workload. */
export interface Window {
  readonly begin: number
  readonly end: number
}

/** The faults and windows of a run, and its length in milliseconds. */
interface Schedule {
  readonly length: number
  readonly faults: ReadonlyArray<Fault>
  readonly windows: ReadonlyArray<Window>
}

/** The shortest run in which two windows and faults between them fit, in seconds. */
export const leastSeconds = 6

/** The average time from the beginning of one fault to that of the next, in milliseconds. */
const pace = 1000

/** The time from a window to the first fault, in milliseconds: requests of the window are answered until then. */
const marginMillis = 500

/** The next seeds that begin with a fault of this kind. */
export const seedsWith = (kind: FaultKind, from: number, runs: number): ReadonlyArray<number> => {
  const count = faultKinds.length
  const first = from + (faultKinds.indexOf(kind) - from % count + count) % count
  return Array.from({ length: runs }, (_, at) => first + at * count)
}

/** The schedule of a seed; `seconds` are at least {@link leastSeconds}. */
export const schedule = (seed: number, seconds: number): Schedule => {
  const random = Random.of(seed).split("schedule")
  const length = seconds * 1000
  const [first, middle] = windowsOf(length)
  const kind = faultKinds[seed % faultKinds.length]!
  const faults = [
    ...drawFaults(random.split("before"), kind, first.end + marginMillis, middle.begin),
    ...drawFaults(random.split("after"), undefined, middle.end + marginMillis, length)
  ]
  return { length, faults, windows: [first, middle] }
}

/** The first window shows a service that has just started, the one in the middle how it recovers. */
const windowsOf = (length: number): readonly [first: Window, middle: Window] => {
  const first = Math.min(2500, length * 0.15)
  const middle = length >= 40_000 ? 14_000 : length * 0.15
  const begin = Math.round((length - middle) * 0.55)
  return [{ begin: 0, end: Math.round(first) }, { begin, end: Math.round(begin + middle) }]
}

/** Faults between two times; `first` is the kind of the first one. */
const drawFaults = (random: Random, first: FaultKind | undefined, from: number, to: number) => {
  const faults: Array<Fault> = []
  const busy = new Map<string, number>()
  let next = first
  for (let begin = from; begin < to - 100; begin += Math.round(random.int(0, 2 * pace))) {
    const kind = next ?? random.pick(faultKinds)
    const { least, most, reach } = declared[kind]
    // Squared: mostly short, now and then long.
    const length = least + (most - least) * random.next() ** 2
    const one = random.pick(sides)
    const both = reach === "both" || reach === "all" || (reach === "some" && random.chance(0.3))
    const end = Math.round(Math.min(begin + length, to))
    const fault = { kind, sides: both ? sides : [one], begin, end, draw: random.next() }
    const resources = resourcesOf(fault)
    if (resources.every((resource) => (busy.get(resource) ?? 0) <= begin)) {
      for (const resource of resources) busy.set(resource, end)
      faults.push(fault)
    }
    next = undefined
  }
  return faults
}

/** The resources of a fault: no other fault uses them at the same time. */
export const resourcesOf = ({ kind, sides }: Pick<Fault, "kind" | "sides">): ReadonlyArray<string> => {
  const { of } = declared[kind]
  return (typeof of === "string" ? [of] : of).flatMap((resource) =>
    resource === "postgres" || resource === "customer"
      ? [resource]
      : sides.map((side) => `${resource} ${side}`)
  )
}
