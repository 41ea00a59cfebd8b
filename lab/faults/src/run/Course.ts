/** What a run is about. */

/** What may go wrong in a run of two instances. */
export const pairCourses = [
  /** Everything that can be healed goes wrong, as the seed says. */
  "faults",
  /** Messages expire within seconds while the log is written to: they go away, nothing else does, and readers are told. */
  "retention",
  /** A standby that lacks acknowledged messages is promoted: nobody is silent, and no id is given twice. */
  "promotion",
  /** A primary is lost, and its synchronous standby promoted: nothing is lost, and writing goes on. */
  "failover"
] as const

/** What may go wrong in a run of two instances. */
export type PairCourse = (typeof pairCourses)[number]

/** What may go wrong in a run; `embedded` is one server, with its database inside. */
export type Course = PairCourse | "embedded"

/** The courses of runs over two instances: five of eight in a row are ordinary. */
const drawn: ReadonlyArray<PairCourse> = [
  "failover",
  "faults",
  "faults",
  "faults",
  "faults",
  "faults",
  "retention",
  "promotion"
]

/** The course of a seed over two instances. */
export const courseOf = (seed: number): PairCourse => drawn[seed % drawn.length]!
