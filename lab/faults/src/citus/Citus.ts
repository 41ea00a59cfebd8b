/**
 * A run on a Citus cluster: one fault of its nodes after another while clients work, none again before all have come. In some runs, a
 * worker is replaced by its standby at the end.
 */
import { quietly, recovered, takeTurns, Watch } from "../run/Play.ts"
import type { Play, Scene } from "../run/Play.ts"
import { Customers } from "../workload/Customer.ts"
import { openCluster } from "./ClusterSystem.ts"
import { nodeFaultNames, nodeFaults, settlingMillis } from "./NodeFaults.ts"

/** The number of seconds of a run for one fault. */
const secondsEach = 3

/**
 * The number of acknowledgments before the first window. In the first calls, each instance connects to each node, and each connection plans
 * for each shard: on a busy machine some take longer than clients wait.
 */
const atFirst = 50

/** One in this number of seeds replaces a worker by its standby. */
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
    // The cluster keeps no trace of the faults.
    end: async () => {
      if (!await system.isSettled(settlingMillis)) {
        onBroken("cluster", `at the end ${(await system.prepared()).join(", ")} are still prepared`)
      }
      for (const problem of await system.problems()) onBroken("cluster", problem)
    }
  }
}
