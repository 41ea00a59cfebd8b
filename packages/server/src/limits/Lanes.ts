/** The lanes of the work that a server takes on, each with its own bounds, so that none keeps another waiting. */
import { WorkLane } from "./WorkLane.ts"
import type { LaneConfig } from "./WorkLane.ts"

/**
 * The lanes: each is judged on its own. `identification` is the check of credentials that are not known yet, and
 * `anonymous` the requests for `work` and `operator` without good ones.
 */
export type LaneName = "work" | "operator" | "tokens" | "probes" | "identification" | "anonymous"

const small = { running: 16, runningPerClient: 16, burstMillis: 2000, standingMillis: 500 }

/** The lanes beside the work of customers. */
const reserved: Readonly<Record<Exclude<LaneName, "work">, LaneConfig>> = {
  operator: { ...small, runningPerClient: 8, waiting: 100, paused: 100 },
  tokens: { ...small, waiting: 500, paused: 500 },
  probes: { ...small, waiting: 50, standingMillis: 1000, paused: 50 },
  identification: { ...small, running: 32, waiting: 1000, paused: 0 },
  anonymous: { ...small, runningPerClient: 12, waiting: 200, paused: 100 }
}

const operatorPath = /^\/v1\/operator(?:\/|$)/

/** The lane of a path, for those who are known. */
export const laneOf = (path: string): Exclude<LaneName, "identification" | "anonymous"> => {
  switch (path) {
    case "/healthz":
    case "/readyz":
    case "/metrics":
      return "probes"
    case "/oauth/token":
    case "/.well-known/jwks.json":
    case "/.well-known/oauth-authorization-server":
    case "/.well-known/openid-configuration":
    case "/.well-known/webhook-keys":
      return "tokens"
    default:
      return operatorPath.test(path) ? "operator" : "work"
  }
}

/** The lanes, that for work with the given bounds. */
export const make = (work: LaneConfig): Readonly<Record<LaneName, WorkLane>> => ({
  work: new WorkLane(work),
  operator: new WorkLane(reserved.operator),
  tokens: new WorkLane(reserved.tokens),
  probes: new WorkLane(reserved.probes),
  identification: new WorkLane(reserved.identification),
  anonymous: new WorkLane(reserved.anonymous)
})
