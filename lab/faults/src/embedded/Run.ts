/**
 * One run: a server with its embedded database, clients, and one disaster after another; after each everything that
 * was acknowledged is looked for.
 *
 * The same seed brings the same disasters in the same order. What the clients have sent by then, and in which
 * instruction a kill hits, no seed decides.
 */
import { Random } from "../Random.ts"
import { beginViolently, type Disaster, disasters, names, recovered, type Scene } from "./Disasters.ts"
import { judge } from "./Judgement.ts"
import type { Program } from "./Program.ts"
import { pause, Site, within } from "./Site.ts"
import { Workload } from "./Workload.ts"

/** What a run came to. */
export interface Result {
  readonly disasters: ReadonlyArray<Disaster>
  /** Processes that were killed. */
  readonly kills: number
  /** Requests that were acknowledged, and tries that were not. */
  readonly acknowledged: number
  readonly failed: number
  /** Facts that were looked for, each after each disaster. */
  readonly checked: number
  /** Webhooks that came, repeats included. */
  readonly webhooks: number
  /** What was not as promised; empty when all was. */
  readonly faults: ReadonlyArray<string>
  /** What was done, line by line. */
  readonly story: ReadonlyArray<string>
}

/** A run that is on its way. */
export class Run {
  readonly site: Site
  readonly workload: Workload
  readonly #random: Random
  readonly #begun: number
  readonly #story: Array<string>
  readonly #faults: Array<string> = []
  readonly #befallen: Array<Disaster> = []
  #checked = 0

  private constructor(site: Site, workload: Workload, random: Random, story: Array<string>, begun: number) {
    this.site = site
    this.workload = workload
    this.#random = random
    this.#story = story
    this.#begun = begun
  }

  /** Makes a site, kills its first starts as often as said, and lets clients work on it. */
  static async open(program: Program, seed: number, firstKills: number): Promise<Run> {
    const site = await Site.open(program)
    const begun = performance.now()
    const story: Array<string> = []
    const random = Random.of(seed)
    try {
      const tell = (text: string) => void story.push(line(begun, text))
      await beginViolently({ site, random: random.split("first start"), tell }, firstKills)
      const workload = await Workload.open(site, random.split("workload"))
      return new Run(site, workload, random.split("disasters"), story, begun)
    } catch (error) {
      const { output } = site
      await site.close()
      throw new Error(`Seed ${seed}:\n${story.join("\n")}\n${String(error)}\n${output}`, { cause: error })
    }
  }

  /** What was done by now, line by line. */
  get story(): string {
    return this.#story.join("\n")
  }

  /** What can happen here: filling the disk takes a disk. */
  get possible(): ReadonlyArray<Disaster> {
    return names.filter((name) => name !== "full disk" || this.site.hasDisk)
  }

  /** Lets it happen while the clients work, and judges what is left. */
  async befall(name: Disaster): Promise<ReadonlyArray<string>> {
    const { site, workload } = this
    const before = this.#faults.length
    const random = this.#random.split(`${this.#befallen.length} ${name}`)
    this.#befallen.push(name)
    const scene: Scene = {
      site,
      workload,
      random,
      tell: (text) => this.#tell(`${name}: ${text}`),
      fault: (text) => this.#fault(`${name}: ${text}`)
    }
    try {
      if (!site.isRunning) await site.start()
      workload.resume()
      await recovered(scene, perDisaster)
      await pause(random.int(0, 600))
      this.#tell(name)
      await disasters[name](scene)
      await recovered(scene, perDisaster)
      await within(workload.pause(), patienceMillis, () => "clients were not answered")
      await this.#judge(name)
    } catch (error) {
      scene.fault(String(error))
    }
    this.#tellSome(name, workload.wrong.splice(0))
    return this.#faults.slice(before)
  }

  /** Stops the server in order, looks for what it left behind, and removes everything. */
  async close(keep = false): Promise<Result> {
    await this.workload.close()
    const { site } = this
    try {
      if (site.isRunning && await site.stop() !== 0) this.#fault("the last stop did not end with 0")
      if (site.leftovers.length > 0) this.#fault(`at the end ${site.leftovers.join(", ")} still run`)
    } catch (error) {
      this.#fault(String(error))
    }
    if (this.#faults.length > 0) this.#story.push(site.output)
    if (keep) this.#story.push(`kept in ${site.folder}`)
    await site.close(keep)
    const { counts } = this.workload
    return {
      disasters: this.#befallen,
      kills: site.kills,
      acknowledged: counts.acknowledged,
      failed: counts.busy + counts.lost + counts.left,
      checked: this.#checked,
      webhooks: this.workload.known.delivered.length,
      faults: this.#faults,
      story: this.#story
    }
  }

  async #judge(name: Disaster): Promise<void> {
    const { service } = this.workload
    const messages = await service.messages()
    if (!(await this.workload.hasAll(messages.map(({ id }) => id), patienceMillis))) {
      this.#tell("follower or customer do not have everything")
    }
    const { known } = this.workload
    const shipments = await service.shipments()
    this.#tellSome(`after ${name}`, judge(known, { shipments, messages }))
    this.#checked += known.documents.length + known.events.length + known.departed.length
    const items = shipments.reduce((sum, { items }) => sum + items.length, 0)
    this.#tell(`judged: ${items} items, ${messages.length} messages`)
  }

  /** Tells what is wrong, and of more than anybody reads only how much it is. */
  #tellSome(when: string, faults: ReadonlyArray<string>): void {
    for (const fault of faults.slice(0, maxTold)) this.#fault(`${when}: ${fault}`)
    if (faults.length > maxTold) this.#fault(`${when}: and ${faults.length - maxTold} more`)
  }

  #tell(text: string): void {
    this.#story.push(line(this.#begun, text))
  }

  #fault(text: string): void {
    this.#faults.push(text)
    this.#tell(`WRONG: ${text}`)
  }
}

/** How many requests are to be answered before something happens, and after. */
const perDisaster = 10

/** How much of what is wrong after one disaster is told. */
const maxTold = 20

/** How long clients may wait for an answer, and webhooks take, one failed attempt and its wait included. */
const patienceMillis = 30_000

const line = (begun: number, text: string): string =>
  `${((performance.now() - begun) / 1000).toFixed(2).padStart(7)} s  ${text}`

/**
 * Runs a seed: as many disasters as said, drawn so that none comes again before all have come. It ends before the next
 * one when the signal says so, or something was not as promised.
 */
export const run = async (
  program: Program,
  seed: number,
  count: number,
  keep: boolean,
  signal: AbortSignal
): Promise<Result> => {
  const random = Random.of(seed)
  const begun = await Run.open(program, seed, random.split("first kills").int(0, 2))
  const order = random.split("order")
  let next: ReadonlyArray<Disaster> = []
  for (let at = 0; at < count && !signal.aborted; at++) {
    if (next.length === 0) next = order.shuffle(begun.possible)
    const [name, ...rest] = next
    next = rest
    if ((await begun.befall(name!)).length > 0) break
  }
  return begun.close(keep)
}
