/**
 * A run of the bundled server on its embedded database: one disaster after another while clients work, none again before all have
 * come.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { Recorder } from "../history/Record.ts"
import type { Opened } from "../Opened.ts"
import { Random } from "../Random.ts"
import type { RunOptions } from "../run/RunOptions.ts"
import type { Workload } from "../workload/Workload.ts"
import { beginViolently, disasters, names, recovered } from "./Disasters.ts"
import type { Disaster } from "./Disasters.ts"
import { Site } from "./Site.ts"
import { Watch } from "./Watch.ts"

/** In what it happens. */
export interface Stage {
  readonly options: RunOptions
  readonly recorder: Recorder
  /** A promise was not kept that no event of the history is about. */
  readonly onBroken: (invariant: string, text: string) => void
  readonly count: (kind: string, times: number) => void
}

/** One disaster for so many seconds of a run. */
const secondsEach = 2.5

/** How many calls are to be acknowledged before something happens, and after. */
const perDisaster = 10

/** Makes the server on an empty folder; it is killed in its first starts. */
export const open = async ({ options, recorder }: Stage, opened: Opened): Promise<Site> => {
  const site = opened.add(await Site.open(options), (site) => site.close())
  const random = Random.of(options.seed).split("first start")
  await beginViolently({ site, random, tell: (text) => tell(recorder, "first start", text) })
  return site
}

/** The address of the database, past the server. */
export const databaseUrlOf = ({ data, folder }: Site): string => {
  const password = readFileSync(join(folder, "postgres.password"), "utf8").trim()
  const port = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[3]
  return `postgres://dockline:${password}@127.0.0.1:${port}/dockline`
}

/** Lets the disasters come. */
export const play = async (stage: Stage, site: Site, watch: Watch): Promise<void> => {
  const { count, onBroken, options, recorder } = stage
  const random = Random.of(options.seed).split("disasters")
  const possible = names.filter((name) => name !== "full disk" || site.disk.isLimited)
  const counts = new Map<Disaster, number>()
  let isBroken = false
  let next: ReadonlyArray<Disaster> = []
  for (let at = 0; at < Math.round(options.seconds / secondsEach); at++) {
    // What was not as promised ends the run: later disasters would hide which one it was.
    if (isBroken) break
    if (next.length === 0) next = random.shuffle(possible)
    const [name, ...rest] = next as readonly [Disaster, ...Array<Disaster>]
    next = rest
    const scene = {
      site,
      watch,
      random: random.split(`${at} ${name}`),
      tell: (text: string) => tell(recorder, name, text),
      fault: (text: string) => {
        isBroken = true
        onBroken("embedded", `${name}: ${text}`)
      }
    }
    try {
      await recovered(scene, perDisaster)
      await wait(random.int(0, 600))
      recorder.record({ type: "fault", phase: "begin", kind: name })
      await disasters[name](scene)
      await recovered(scene, perDisaster)
    } catch (error) {
      scene.fault(String(error))
    }
    recorder.record({ type: "fault", phase: "end", kind: name })
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, times] of counts) count(name, times)
}

/** Stops the server in order once clients have left, and looks for what it left behind. */
export const end = async ({ onBroken }: Stage, site: Site, workload: Workload): Promise<void> => {
  await workload.close()
  const ended = site.isRunning ? await site.stop().catch(String) : "the server had ended before"
  if (ended !== 0) onBroken("embedded", `the last stop: ${ended}`)
  if (site.leftovers.length > 0) onBroken("embedded", `at the end ${site.leftovers.join(", ")} still run`)
}

const tell = (recorder: Recorder, kind: string, details: string): void =>
  void recorder.record({ type: "told", kind, details })
