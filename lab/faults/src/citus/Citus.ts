/**
 * A run on a Citus cluster: one fault of its nodes after another while clients work, none again before all have come. In some runs
 * a worker is replaced by its standby at the end.
 */
import { quietly, recovered, takeTurns, Watch } from "../run/Play.ts"
import type { Play, Scene } from "../run/Play.ts"
import { Customers } from "../workload/Customer.ts"
import { openCluster } from "./ClusterSystem.ts"
import { nodeFaultNames, nodeFaults, settlingMillis } from "./NodeFaults.ts"

/** One fault for so many seconds of a run. */
const secondsEach = 3

/**
 * How many are to be acknowledged before the first window. The first calls have each instance connect to each node, and each connection
 * make plans for each shard: on a busy machine some take longer than clients wait.
 */
const atFirst = 50

/** In one seed of so many, a worker is replaced by its standby. */
const failoverEvery = 4

/** Starts the cluster, and two instances on it. */
export const open = async (scene: Scene): Promise<Play> => {
  const { onBroken, opened, options, recorder } = scene
  const customers = opened.use(await Customers.open(recorder, "usual"))
  const system = await openCluster(scene, customers.settings)
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
      await takeTurns(scene, {
        watch,
        invariant: "cluster",
        names: nodeFaultNames,
        last: options.seed % failoverEvery === 0 ? "fail over" : undefined,
        secondsEach,
        endsBroken: false,
        act: (name, turn) => nodeFaults[name]({ ...turn, system })
      })
    },
    // Nothing of what happened is left in the cluster.
    end: async () => {
      if (!await system.isSettled(settlingMillis)) {
        onBroken("cluster", `at the end ${(await system.prepared()).join(", ")} are still prepared`)
      }
      for (const problem of await system.problems()) onBroken("cluster", problem)
    }
  }
}
