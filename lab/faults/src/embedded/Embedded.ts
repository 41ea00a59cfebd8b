/**
 * A run of the bundled server on its embedded database: one disaster after another while clients work, none again before all have
 * come.
 */
import { Random } from "../../../Random.ts"
import { quietly, takeTurns, Watch } from "../run/Play.ts"
import type { Play, Scene } from "../run/Play.ts"
import { Customers } from "../workload/Customer.ts"
import { beginViolently, disasters, names } from "./Disasters.ts"
import { Site } from "./Site.ts"

/** One disaster for so many seconds of a run. */
const secondsEach = 2.5

/** Makes the server on an empty folder; it is killed in its first starts. */
export const open = async (scene: Scene): Promise<Play> => {
  const { onBroken, opened, options, recorder } = scene
  // Nobody moves its clock, so no customer fails for long.
  const customers = opened.use(await Customers.open(recorder, "steady"))
  const site = opened.use(await Site.open(scene, customers.settings))
  await beginViolently({
    site,
    random: Random.of(options.seed).split("first start"),
    tell: (details) => void recorder.record({ type: "told", kind: "first start", details })
  })
  const watch = new Watch(recorder)
  return {
    system: site,
    customers,
    act: async () => {
      await quietly(scene)
      await takeTurns(scene, {
        watch,
        invariant: "embedded",
        names: names.filter((name) => name !== "full disk" || site.disk.isLimited),
        secondsEach,
        endsBroken: true,
        act: (name, turn) => disasters[name]({ ...turn, site })
      })
    },
    // Stops the server in order once clients have left, and looks for what it left behind.
    end: async (workload) => {
      await workload.close()
      const ended = site.isRunning ? await site.stop().catch(String) : "the server had ended before"
      if (ended !== 0) onBroken("embedded", `the last stop: ${ended}`)
      if (site.leftovers.length > 0) onBroken("embedded", `at the end ${site.leftovers.join(", ")} still run`)
    }
  }
}
