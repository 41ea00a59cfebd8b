/** Describes commands for `--help`. The purpose of an example follows `#`, as in a shell. */
import { Command } from "effect/cli"

/** The help text of a command. */
export const about =
  (description: string, ...examples: ReadonlyArray<string>) =>
  <const Name extends string, Input, E, R, Context>(command: Command.Command<Name, Input, Context, E, R>) =>
    command.pipe(
      Command.withDescription(description),
      Command.withExamples(examples.map((example) => {
        const [command = "", description] = example.split("  # ")
        return { command, description }
      }))
    )

/** A command whose verbs are subcommands. */
export const noun = <const Name extends string, const Verbs extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  description: string,
  verbs: Verbs
) => Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(verbs))
