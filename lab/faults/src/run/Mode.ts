/** What a run is about. */

/** The modes, as the command has them. */
export const modes = {
  /** Everything that can be healed goes wrong, as the seed says. */
  faults: "Seeded runs of the service under faults, judged by what clients were told",
  /** A standby that lacks the last messages takes the place of the database. */
  promotion:
    "A standby that lacks acknowledged messages is promoted: nobody is silent, and no id is given twice",
  /** A synchronous standby takes the place of a primary that is lost. */
  failover: "A primary is lost, and its synchronous standby promoted: nothing is lost, and writing goes on",
  /** Messages expire within seconds while the log is written to. */
  retention: "Messages expire while the log is busy: they go away, nothing else does, and readers are told"
} as const

/** One of them. */
export type Mode = keyof typeof modes
