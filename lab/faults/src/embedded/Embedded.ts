/**
 * A run of the bundled server on its embedded database: one disaster after another while clients work, none again before all have
 * come.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import type { Recorder } from "../history/Record.ts"
import { quietly } from "../run/Play.ts"
import type { Play, Scene } from "../run/Play.ts"
import * as Customer from "../workload/Customer.ts"
import type { Workload } from "../workload/Workload.ts"
import { beginViolently, disasters, names, recovered } from "./Disasters.ts"
import type { Disaster } from "./Disasters.ts"
import { Site } from "./Site.ts"
import { Watch } from "./Watch.ts"

/** One disaster for so many seconds of a run. */
const secondsEach = 2.5

/** How many calls are to be acknowledged before something happens, and after. */
const perDisaster = 10

/** Makes the server on an empty folder; it is killed in its first starts. */
export const open = async (scene: Scene, opened: AsyncDisposableStack): Promise<Play> => {
  const { options, recorder } = scene
  // Nobody moves its clock, so no customer fails for long.
  const customers = opened.adopt(
    await Customer.open(recorder, "steady"),
    (customers) => customers.close()
  )
  const site = opened.adopt(await Site.open(options), (site) => site.close())
  const random = Random.of(options.seed).split("first start")
  await beginViolently({ site, random, tell: (text) => tell(recorder, "first start", text) })
  const watch = new Watch(recorder)
  return {
    system: site,
    customers,
    act: async () => {
      await quietly(scene)
      await play(scene, site, watch)
    },
    end: (workload) => end(scene, site, workload)
  }
}

/** Lets the disasters come. */
const play = async (scene: Scene, site: Site, watch: Watch): Promise<void> => {
  const { count, onBroken, options, recorder } = scene
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
    const stage = {
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
      await recovered(stage, perDisaster)
      await wait(random.int(0, 600))
      recorder.record({ type: "fault", phase: "begin", kind: name })
      await disasters[name](stage)
      await recovered(stage, perDisaster)
    } catch (error) {
      stage.fault(String(error))
    }
    recorder.record({ type: "fault", phase: "end", kind: name })
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, times] of counts) count(name, times)
}

/** Stops the server in order once clients have left, and looks for what it left behind. */
const end = async ({ onBroken }: Scene, site: Site, workload: Workload): Promise<void> => {
  await workload.close()
  const ended = site.isRunning ? await site.stop().catch(String) : "the server had ended before"
  if (ended !== 0) onBroken("embedded", `the last stop: ${ended}`)
  if (site.leftovers.length > 0) onBroken("embedded", `at the end ${site.leftovers.join(", ")} still run`)
}

const tell = (recorder: Recorder, kind: string, details: string): void =>
  void recorder.record({ type: "told", kind, details })
