/** Faults of the nodes of a cluster while clients work. After each, every node of the cluster is there. */
import { setTimeout as pause } from "node:timers/promises"
import { signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import type { Node } from "../../../citus/Cluster.ts"
import type { Turn } from "../run/Play.ts"
import { businesses } from "./ClusterSystem.ts"
import type { Business, ClusterSystem } from "./ClusterSystem.ts"

interface Stage extends Turn {
  readonly system: ClusterSystem
}

/** The time limit for nodes to settle prepared transactions of others, in milliseconds: they check every 2 s. */
export const settlingMillis = 30_000

/** How long to wait for a second phase, in milliseconds. */
const huntMillis = 15_000

/** How often an interrupted move may be tried. */
const moveTries = 3

const nameOf = (system: ClusterSystem, node: Node): string =>
  node === system.coordinator ? "the coordinator" : `worker ${system.workers.indexOf(node) + 1}`

/** Kills a node, and starts it again some time later. */
const killNode = async ({ random, system, tell }: Stage, node: Node): Promise<void> => {
  const millis = random.int(200, 3000)
  tell(`${nameOf(system, node)} is away for ${millis} ms`)
  await node.kill()
  await pause(millis)
  await node.begin()
}

const other = async (system: ClusterSystem, business: Business): Promise<Node> => {
  const present = await system.workerOf(business)
  return system.workers.find((worker) => worker !== present)!
}

const moveBusiness = async ({ fault, random, system, tell }: Stage): Promise<void> => {
  const business = random.pick(businesses)
  const begun = performance.now()
  const failure = await system.move(business, await other(system, business))
  tell(`${business} was moved in ${Math.round(performance.now() - begun)} ms`)
  if (failure !== undefined) fault(`${business} could not be moved: ${failure}`)
}

/** Kills a node while a business is moved; the move can be repeated. */
const killInMove = async (stage: Stage): Promise<void> => {
  const { fault, random, system, tell } = stage
  const business = random.pick(businesses)
  const to = await other(system, business)
  const moved = system.move(business, to)
  await pause(random.int(300, 4000))
  await killNode(stage, random.pick([system.coordinator, ...system.workers]))
  let failure = await moved
  tell(failure === undefined ? `${business} was moved before` : `the move of ${business} failed: ${failure}`)
  for (let tries = 1; failure !== undefined && tries <= moveTries; tries++) {
    await pause(1000)
    failure = await system.move(business, to)
    tell(failure === undefined ? "moved again" : `failed again: ${failure}`)
  }
  if (failure !== undefined) fault(`${business} could not be moved after a kill: ${failure}`)
}

/**
 * Kills one of the two nodes of a transaction between its phases: the one that leads it, so that nobody knows whether it had committed, or
 * the one that waits.
 */
const loseSecondPhase = async (stage: Stage): Promise<void> => {
  const { fault, random, system, tell } = stage
  const prepared = await system.holdSecondPhase(system.coordinator, huntMillis)
  if (prepared === undefined) return tell("no second phase could be held")
  const leads = random.chance(0.6)
  const node = leads ? system.workers[prepared.group - 1]! : system.coordinator
  tell(`${prepared.gid}, of which ${leads ? "the leader" : "the other node"} is lost`)
  const killed = killNode(stage, node)
  // It continues if the other node is gone; if its own node was killed, it is gone too.
  if (!leads) {
    await pause(50)
    signal(prepared.pid, "SIGCONT")
  }
  await killed
  const begun = performance.now()
  if (await system.isSettled(settlingMillis)) {
    tell(`settled after ${Math.round(performance.now() - begun)} ms`)
  } else fault(`after ${settlingMillis} ms ${(await system.prepared()).join(", ")} are still prepared`)
}

/** Loses a worker, whose synchronous standby takes its place. */
const failOver = async ({ random, system, tell }: Stage): Promise<void> => {
  const worker = random.pick(system.workers)
  const standby = await system.standbyOf(worker)
  await pause(random.int(1000, 3000))
  tell(`${nameOf(system, worker)} is lost`)
  await worker.kill()
  await pause(random.int(0, 2000))
  const begun = performance.now()
  await system.replace(worker, standby)
  tell(`its standby took its place in ${Math.round(performance.now() - begun)} ms`)
}

export const nodeFaults = {
  "kill a worker": (stage: Stage) => killNode(stage, stage.random.pick(stage.system.workers)),
  "kill the coordinator": (stage: Stage) => killNode(stage, stage.system.coordinator),
  "move a business": moveBusiness,
  "kill in a move": killInMove,
  "lose a second phase": loseSecondPhase,
  "fail over": failOver
} as const

/** The faults that may be repeated. */
export const nodeFaultNames = (Object.keys(nodeFaults) as ReadonlyArray<keyof typeof nodeFaults>)
  .filter((name) => name !== "fail over")
