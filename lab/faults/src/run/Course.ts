/** What a run is about. */

/** What may go wrong in a run. */
export const courses = {
  /** Everything that can be healed goes wrong, as the seed says. */
  faults: "Everything that can be healed goes wrong, as the seed says",
  /** Messages expire within seconds while the log is written to. */
  retention: "Messages expire while the log is busy: they go away, nothing else does, and readers are told",
  /** A standby that lacks the last messages takes the place of the database. */
  promotion:
    "A standby that lacks acknowledged messages is promoted: nobody is silent, and no id is given twice",
  /** A synchronous standby takes the place of a primary that is lost. */
  failover: "A primary is lost, and its synchronous standby promoted: nothing is lost, and writing goes on",
  /** One server on its embedded database is killed, doubled, and left without space. */
  embedded: "One server and its embedded database are killed, its disk is filled, a second one starts on it"
} as const

/** One of them. */
export type Course = keyof typeof courses

/** The courses of runs over two instances: five of eight in a row are ordinary. */
const drawn: ReadonlyArray<Course> = [
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
export const courseOf = (seed: number): Course => drawn[seed % drawn.length]!
