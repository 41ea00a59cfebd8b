/**
 * Loses a primary while clients write, and promotes its synchronous standby. The primary is killed, hangs, or is cut off from the
 * network, each once in an order of the seed; a new standby is ready before the next time. Acknowledged writes must survive, and writing
 * must continue soon.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "../../../Random.ts"
import { writing } from "../checker/ServiceRules.ts"
import type { Recorder } from "../history/Record.ts"
import type { Instances } from "../system/Instances.ts"
import { losses } from "../system/Pair.ts"
import { until } from "../Until.ts"

/** The scene, and how long the course lasts, in milliseconds. */
export interface Stage {
  readonly system: Instances
  readonly recorder: Recorder
  readonly random: Random
  readonly millis: number
}

/** The longest time before somebody notices that a primary is lost, in milliseconds. */
const noticingMillis = 2500

/** How long to wait for writes before the lost primary is ended permanently, in milliseconds. */
const writingMillis = 15_000

/** Runs the course; returns how often a primary was lost. */
export const failOver = async ({ millis, random, recorder, system }: Stage): Promise<number> => {
  const { pair } = system
  if (pair === undefined) throw new Error("there is no standby")
  for (const how of random.shuffle(losses)) {
    await wait(millis / losses.length)
    recorder.record({ type: "fault", phase: "begin", kind: "failover", details: how })
    await pair.lose(how)
    await wait(random.int(0, noticingMillis))
    await pair.promote()
    const promoted = recorder.record({ type: "failover", how, instances: system.urls.length })
    const isWriting = () => writing(recorder.history, promoted).every(({ isInTime }) => isInTime)
    await until(isWriting, writingMillis, 100)
    await pair.fence()
    await pair.join()
    recorder.record({ type: "fault", phase: "end", kind: "failover" })
  }
  return losses.length
}
