/**
 * A run on a Citus cluster: one fault of its nodes after another while clients work, none again before all have come. In some runs
 * a worker is replaced by its standby at the end.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { recovered } from "../embedded/Disasters.ts"
import { Watch } from "../embedded/Watch.ts"
import { quietly } from "../run/Play.ts"
import type { Play, Scene } from "../run/Play.ts"
import * as Customer from "../workload/Customer.ts"
import { ClusterSystem } from "./ClusterSystem.ts"
import { failOver, nodeFaults, settlingMillis } from "./NodeFaults.ts"
import type { NodeFault, Stage } from "./NodeFaults.ts"

/** One fault for so many seconds of a run. */
const secondsEach = 3

/** How many calls are to be acknowledged before something happens, and after. */
const perFault = 10

/**
 * How many are to be acknowledged before the first window. The first calls have each instance connect to each node, and each connection
 * make plans for each shard: on a busy machine some take longer than clients wait.
 */
const atFirst = 50

/** In one seed of so many, a worker is replaced by its standby. */
const failoverEvery = 4

/** Starts the cluster, and two instances on it. */
export const open = async (scene: Scene, opened: AsyncDisposableStack): Promise<Play> => {
  const { onBroken, options, recorder } = scene
  const customers = opened.adopt(
    await Customer.open(recorder, "usual"),
    (customers) => customers.close()
  )
  const system = opened.adopt(
    await ClusterSystem.open({
      ...options,
      bin: options.postgres!,
      onEnd: (side, how) => onBroken("stays up", `instance ${side} ended by itself: ${how}`)
    }),
    (system) => system.close()
  )
  const watch = new Watch(recorder)
  return {
    system,
    customers,
    act: async () => {
      await recovered({
        watch,
        tell: (details) => void recorder.record({ type: "told", kind: "begin", details }),
        fault: (text) => onBroken("cluster", `begin: ${text}`)
      }, atFirst)
      await quietly(scene)
      await play(scene, system, watch)
    },
    end: () => atRest(scene, system)
  }
}

/** Lets the faults come. */
const play = async (scene: Scene, system: ClusterSystem, watch: Watch): Promise<void> => {
  const { count, onBroken, options, recorder } = scene
  const random = Random.of(options.seed).split("nodes")
  const names = Object.keys(nodeFaults) as ReadonlyArray<NodeFault>
  const counts = new Map<string, number>()
  const happen = async (name: string, act: (stage: Stage) => Promise<void>, turn: number) => {
    const stage = {
      system,
      watch,
      random: random.split(`${turn} ${name}`),
      tell: (details: string) => void recorder.record({ type: "told", kind: name, details }),
      fault: (text: string) => onBroken("cluster", `${name}: ${text}`)
    }
    try {
      await recovered(stage, perFault)
      await wait(stage.random.int(0, 1000))
      recorder.record({ type: "fault", phase: "begin", kind: name })
      await act(stage)
    } catch (error) {
      stage.fault(String(error))
    }
    recorder.record({ type: "fault", phase: "end", kind: name })
    await recovered(stage, perFault)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  let next: ReadonlyArray<NodeFault> = []
  for (let turn = 0; turn < Math.round(options.seconds / secondsEach); turn++) {
    if (next.length === 0) next = random.shuffle(names)
    const [name, ...rest] = next as readonly [NodeFault, ...Array<NodeFault>]
    next = rest
    await happen(name, nodeFaults[name], turn)
  }
  if (options.seed % failoverEvery === 0) await happen("fail over", failOver, counts.size)
  for (const [name, times] of counts) count(name, times)
}

/** Nothing of what happened is left in the cluster. */
const atRest = async ({ onBroken }: Scene, system: ClusterSystem): Promise<void> => {
  if (!await system.isSettled(settlingMillis)) {
    onBroken("cluster", `at the end ${(await system.prepared()).join(", ")} are still prepared`)
  }
  for (const problem of await system.problems()) onBroken("cluster", problem)
}
