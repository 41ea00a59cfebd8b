/**
 * The command line as a whole: its commands, and one run of it.
 *
 * Guarantee: a run writes nothing but data to standard output, says everything else on standard error, and ends with
 * one of the exit codes of {@link exitCodes}.
 */
import { Cause, Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { business } from "./commands/Business.ts"
import { client, secret } from "./commands/Client.ts"
import { delivery } from "./commands/Delivery.ts"
import { dock, facility } from "./commands/Facility.ts"
import { fieldMap } from "./commands/FieldMap.ts"
import { messages } from "./commands/Messages.ts"
import { webhook } from "./commands/Webhook.ts"
import { exitCodeOf, exitCodes, textOf } from "./Failure.ts"
import * as Operator from "./Operator.ts"
import { Screen } from "./Screen.ts"
import * as Settings from "./Settings.ts"
import { version } from "./Version.ts"

const description = [
  "Operate a Dockline service: businesses, API clients, webhook endpoints and their deliveries.",
  "",
  `The secret of your API client comes from ${Settings.variables.clientSecret}, or is asked for; it is no flag.`,
  "",
  "Exit codes",
  ...exitCodes.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`)
].join("\n  ")

/** The nouns, in the order of the help. */
export const commands = [
  business,
  facility,
  dock,
  fieldMap,
  client,
  secret,
  webhook,
  delivery,
  messages
] as const

const dockline = Command.make("dockline").pipe(
  Command.withDescription(description),
  Command.withExamples([
    { command: "dockline business list", description: `At ${Settings.defaultUrl}` },
    { command: "dockline webhook list --url https://dockline.example --client-id me --json" }
  ]),
  Command.withSubcommands([...commands]),
  Command.provide(Operator.layer),
  Command.withGlobalFlags(Settings.flags)
)

/** The framework's flags that say something of this program; what it logs is nothing, and no command is long. */
const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** Help that was asked for is data; help that was not is said about the command line that led to it. */
const presenter = Layer.effect(
  CliOutput.Presenter,
  Effect.gen(function*() {
    const { say } = yield* Screen
    const formatter = CliOutput.defaultFormatter()
    return {
      present: (event) => {
        switch (event._tag) {
          case "Version":
            return Console.log(`${event.name} ${event.version}`)
          case "Help":
            return event.reason === "Requested"
              ? Console.log(formatter.formatHelpDoc(event.helpDoc))
              : say(formatter.formatHelpDoc(event.helpDoc))
          case "InvalidInvocation":
            return say([
              ...event.errors.map((error) => `dockline: ${formatter.formatCliError(error)}`),
              `See: ${event.commandPath.join(" ")} --help`
            ].join("\n"))
        }
      }
    }
  })
)

const parse = Command.runWith(dockline, { version })

/** Runs one command line, says why if it fails, and gives the exit code. */
export const run = (args: ReadonlyArray<string>) =>
  parse(args).pipe(
    Effect.provide([builtIns, presenter]),
    Effect.as(0),
    Effect.catchCause((cause: Cause.Cause<unknown>) =>
      Effect.gen(function*() {
        const text = textOf(cause)
        if (text !== "") yield* (yield* Screen).say(text)
        return exitCodeOf(cause)
      })
    )
  )
