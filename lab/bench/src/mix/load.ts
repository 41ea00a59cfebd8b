/**
 * The generator of mixed load as a process: it takes `MixCommand`s one at a time and answers each with a `MixAnswer`.
 */
import { random } from "./Arrivals.ts"
import { Generator } from "./Generator.ts"
import { Slots } from "./Life.ts"
import type { MixAnswer, MixCommand } from "./Task.ts"

/** Shipments under way at a time, from one load to the next. */
const open = 500

const next = random(1)
const slots = new Slots(open, next)
let generator: Generator | undefined

const obey = async (command: MixCommand): Promise<MixAnswer> => {
  if ("begin" in command) generator = new Generator(command.begin, slots, next)
  if (generator === undefined) throw new Error("No load has begun")
  if ("tokens" in command) generator.renew(command.tokens)
  const tally = "tally" in command
    ? generator.tally()
    : "stop" in command
    ? await generator.stop()
    : null
  return { tally, shipments: slots.made }
}

process.on("message", (message) => {
  const { command, id } = message as { readonly id: number; readonly command: MixCommand }
  void obey(command).then(
    (answer) => process.send!({ id, answer }),
    (error: unknown) => process.send!({ id, error: String(error) })
  )
})
