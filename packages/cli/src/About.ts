/** Describes commands for `--help`. */
import { Command } from "effect/cli"

export const about =
  (description: string, ...examples: ReadonlyArray<string | Command.Command.Example>) =>
  <const Name extends string, Input, E, R, Context>(command: Command.Command<Name, Input, Context, E, R>) =>
    command.pipe(
      Command.withDescription(description),
      Command.withExamples(examples.map((each) => typeof each === "string" ? { command: each } : each))
    )
