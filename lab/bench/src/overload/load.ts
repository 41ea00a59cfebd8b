/**
 * The generator of mixed load as a process: it accepts `MixCommand`s, and answers with a `Tally` if there is one.
 */
import { Random } from "../../../Random.ts"
import { serve } from "../Serve.ts"
import { Generator } from "./Generator.ts"
import { Slots } from "./Life.ts"
import type { MixCommand } from "./Task.ts"

/** Shipments under way at a time, from one load to the next. */
const open = 500

const random = Random.of(1)
const slots = new Slots(open, random)
let generator: Generator

serve((command: MixCommand) => {
  if ("begin" in command) return void (generator = new Generator(command.begin, slots, random))
  return "tally" in command ? generator.tally() : generator.stop()
})
