/** The lanes of the work that a server takes on, each with its own bounds, so that none keeps another waiting. */
import { Record, Struct } from "effect"
import { WorkLane } from "./WorkLane.ts"
import type { LaneConfig } from "./WorkLane.ts"

const small = {
  running: 16,
  runningPerBusiness: 16,
  runningPerClient: 16,
  idle: 64,
  burstMillis: 2000,
  standingMillis: 500
}

/**
 * Operators ask seldom and much at once, as a script that enters docks or endpoints does, and the changes of one are made one after another
 * (core's `audited`). A tenth of a second each is much; so long do as many take as may wait.
 */
const patient = { burstMillis: 10_000, standingMillis: 2000 }

/**
 * The lanes beside `work`, which is that of customers. `identification` is the check of credentials that are not known yet, and
 * `anonymous` the requests for `work` and `operator` without good ones. Operations of sockets and event streams, of which one
 * connection carries many, pass `operations` before they enter `work`. Requests that are answered from memory, which no rate limit counts,
 * begin one in a turn of the event loop, so that a flood of them delays each step of other work by one at most. As many of those who are not known may be paused as sign-ins
 * may wait for their provider, and some more whose bodies are slow.
 */
const reserves = {
  operator: { ...small, ...patient, runningPerBusiness: 12, runningPerClient: 8, waiting: 100, paused: 100 },
  tokens: { ...small, perTurn: 4, runningPerBusiness: 6, runningPerClient: 6, waiting: 500, paused: 500 },
  probes: { ...small, waiting: 50, standingMillis: 1000, paused: 50 },
  identification: { ...small, running: 32, waiting: 1000, paused: 0 },
  anonymous: {
    ...small,
    perTurn: 1,
    runningPerBusiness: 12,
    runningPerClient: 12,
    waiting: 200,
    paused: 1100
  },
  operations: { ...small, running: 32, runningPerClient: 8, waiting: 1000, paused: 0 }
} satisfies Readonly<Record<string, LaneConfig>>

export type LaneName = "work" | keyof typeof reserves

export const names: ReadonlyArray<LaneName> = ["work", ...Struct.keys(reserves)]

const laneOfPath: ReadonlyMap<string, "probes" | "tokens"> = new Map([
  ["/healthz", "probes"],
  ["/readyz", "probes"],
  ["/metrics", "probes"],
  ["/oauth/token", "tokens"],
  ["/.well-known/jwks.json", "tokens"],
  ["/.well-known/oauth-authorization-server", "tokens"],
  ["/.well-known/openid-configuration", "tokens"],
  ["/.well-known/webhook-keys", "tokens"]
])

const operatorPath = /^\/v1\/operator(?:\/|$)/

/** What needs no token: contracts, the reference, GraphiQL, and the files of the site. */
const openPath =
  /^\/(?:v1\/(?:openapi\.|asyncapi\.|schemas\/|docs(?:\/|$))|public_graphql\/|favicon\.ico$|robots\.txt$|llms\.txt$|\.well-known\/)/

/** The lane of a path, for requests with known credentials. What needs none is in the lane of those without. */
export const laneOf = (path: string): Exclude<LaneName, "identification" | "operations"> =>
  laneOfPath.get(path) ?? (operatorPath.test(path) ? "operator" : openPath.test(path) ? "anonymous" : "work")

/** The lanes, that for work with the given bounds. */
export const make = (work: LaneConfig): Readonly<Record<LaneName, WorkLane>> =>
  Record.map({ work, ...reserves }, (config) => new WorkLane(config))
