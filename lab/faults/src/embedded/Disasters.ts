/**
 * Disasters of a server with its embedded database. Each happens while clients work, ends with a server that serves, and reports broken
 * guarantees: refused clients, answers meanwhile, and leftovers.
 */
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "../../../../test/support/ProgramSettings.ts"
import type { ServerProcess } from "../../../../test/support/ServerProcess.ts"
import type { Turn } from "../run/Play.ts"
import { until } from "../Until.ts"
import { serves } from "./Site.ts"
import type { Site } from "./Site.ts"

interface Scene extends Turn {
  readonly site: Site
}

/** `kill -9` of the server; its PostgreSQL lives on until the next start ends it. */
const killServer = async ({ site }: Scene): Promise<void> => {
  await site.kill()
  await site.start()
}

/** `kill -9` of the postmaster, or of all of PostgreSQL at once; the server starts it again by itself. */
const killPostgres = async ({ random, site, tell }: Scene): Promise<void> => {
  const postmaster = site.postmaster!
  const pids = random.chance(0.5) ? [postmaster] : site.processes
  tell(`PostgreSQL ${pids.join(", ")}`)
  site.killPostgres(pids)
}

/** `kill -9` of one process of PostgreSQL: the postmaster ends all others and recovers. */
const killBackend = async ({ random, site, tell }: Scene): Promise<void> => {
  const { postmaster } = site
  const pid = random.pick(site.processes.filter((each) => each !== postmaster))
  tell(`backend ${pid}`)
  site.killPostgres([pid])
}

/** `kill -9` of the server and PostgreSQL at once, as when a container is killed. */
const killBoth = async ({ site }: Scene): Promise<void> => {
  await killTogether(site)
  await site.start()
}

/** After both were killed, `kill -9` of the server that recovers, again and again. */
const killRecovery = async ({ random, site, tell }: Scene): Promise<void> => {
  await killTogether(site)
  for (let times = random.int(1, 2); times > 0; times--) {
    const before = site.postmaster
    const server = await site.launch()
    site.adopt(server)
    // Most of a start is loading: if PostgreSQL matters, wait for it.
    if (random.chance(0.7)) await until(() => site.postmaster !== before || !site.isRunning, 10_000, 1)
    const millis = random.int(0, 400)
    await pause(millis)
    tell(`killed ${millis} ms later, PostgreSQL ${site.postmaster === before ? "not begun" : "begun"}`)
    await site.kill(server)
    if (random.chance(0.5)) site.killPostgres(site.processes)
  }
  await site.start()
}

/** SIGTERM or Ctrl-C to the whole process group: the database outlives requests, exit 0, and nothing is left behind (D12.3). */
const stopGroup = async ({ fault, random, site, tell, watch }: Scene): Promise<void> => {
  const begun = performance.now()
  const { away } = watch.counts
  const signal = random.pick(["SIGTERM", "SIGINT"] as const)
  const code = await site.stop(signal)
  tell(`${signal}: stopped after ${Math.round(performance.now() - begun)} ms`)
  if (watch.counts.away > away) fault("the database went down before the requests were done")
  if (code !== 0) fault(`told to stop, the server ended with ${code}`)
  if (site.leftovers.length > 0) fault(`after the stop ${site.leftovers.join(", ")} still run`)
  await site.start()
}

/** Starts a second server on the folder of a living one: it is refused, with folder and process, and the first does not notice (D12.1). */
const secondServer = async ({ fault, site, watch }: Scene): Promise<void> => {
  const { acknowledged, away, lost } = watch.counts
  const before = site.postmaster
  const second = await site.launch(await freePort())
  if (await serves(second)) fault("a second server serves on the same folder")
  judgeRefusal(second, site, fault, String(site.server.child.pid))
  const { counts } = watch
  if (counts.away > away || counts.lost > lost || site.postmaster !== before) {
    fault("the first server noticed the second")
  }
  if (counts.acknowledged === acknowledged) fault("the first server did nothing while the second started")
}

/** Starts two servers while that of the folder is killed: at most one of them gets the folder. */
const takeOver = async ({ fault, random, site, tell }: Scene): Promise<void> => {
  const first = site.server
  const contenders = await Promise.all([site.launch(), site.launch()])
  // Loading takes most of a start; the lock is requested soon after.
  const millis = random.int(50, 900)
  await pause(millis)
  await site.kill(first)
  const outcomes = await Promise.all(contenders.map(serves))
  tell(`the first was killed after ${millis} ms; of two, ${outcomes.filter(Boolean).length} came to serve`)
  for (const [at, won] of outcomes.entries()) if (!won) judgeRefusal(contenders[at]!, site, fault)
  const winners = contenders.filter((_, at) => outcomes[at])
  if (winners.length > 1) fault("two servers serve on one folder")
  const [winner] = winners
  if (winner === undefined) await site.start()
  else site.adopt(winner)
}

/** Fills the disk for a while: requests that need space get 503, and the service writes again afterwards (D12.3). */
const fullDisk = async (scene: Scene): Promise<void> => {
  const { fault, random, site, tell, watch } = scene
  const { away } = watch.counts
  site.disk.fill()
  try {
    if (!(await watch.until((counts) => counts.away > away, 30_000))) {
      fault("on a full disk nothing was answered 503 for 30 s")
    }
    const way = random.pick(["wait", "wait", "kill PostgreSQL", "restart"] as const)
    tell(way)
    if (way === "kill PostgreSQL") site.killPostgres([site.postmaster!])
    if (way === "restart") await restartFull(scene)
    await pause(random.int(0, 1000))
  } finally {
    site.disk.empty()
  }
  if (!site.isRunning) await site.start()
}

/** A start on a full disk either serves or reports the remedy. */
const restartFull = async ({ fault, site, tell }: Scene): Promise<void> => {
  await site.kill()
  const server = await site.launch()
  site.adopt(server)
  // PostgreSQL may wait for space: then the test only sees that nothing ended.
  const outcome = await Promise.race([serves(server), pause(8000).then(() => "waits" as const)])
  tell(`started on the full disk: ${outcome === false ? `ended with ${await server.ended}` : outcome}`)
  if (outcome !== false) return
  if (await server.ended !== 1 || !/free some space/i.test(server.output())) {
    fault(`on a full disk the start ended with ${await server.ended}: ${server.output()}`)
  }
}

export const disasters = {
  "kill the server": killServer,
  "kill PostgreSQL": killPostgres,
  "kill one backend": killBackend,
  "kill both": killBoth,
  "kill during recovery": killRecovery,
  "stop the group": stopGroup,
  "second server": secondServer,
  "take over": takeOver,
  "full disk": fullDisk
} as const

export const names = Object.keys(disasters) as ReadonlyArray<keyof typeof disasters>

/** Kills up to two servers in their first start, which makes the database, and then lets one start. */
export const beginViolently = async (
  { random, site, tell }: Pick<Scene, "random" | "site" | "tell">
): Promise<void> => {
  for (let times = random.int(0, 2); times > 0; times--) {
    const server = await site.launch()
    site.adopt(server)
    const phase = random.pick(["any", "initdb", "cluster"] as const)
    if (phase === "initdb") await until(() => site.isBeingMade || site.isMade || !site.isRunning, 20_000, 1)
    if (phase === "cluster") await until(() => site.isMade || !site.isRunning, 30_000, 1)
    const millis = random.int(0, phase === "cluster" ? 600 : 1500)
    await pause(millis)
    tell(`first start: killed ${millis} ms after ${phase === "any" ? "its begin" : `the ${phase} was there`}`)
    await site.kill(server)
  }
  await site.start()
}

const killTogether = async (site: Site): Promise<void> => {
  const pids = site.processes
  const gone = site.kill()
  site.killPostgres(pids)
  await gone
}

const judgeRefusal = (server: ServerProcess, { folder }: Site, fault: Scene["fault"], pid = ""): void => {
  const { child: { exitCode }, output } = server
  const text = output()
  if (
    exitCode !== 1 || !text.includes(`${folder} is in use by another Dockline server`) || !text.includes(pid)
  ) {
    fault(`a server on a folder in use ended with ${exitCode}, and said: ${text}`)
  }
}
