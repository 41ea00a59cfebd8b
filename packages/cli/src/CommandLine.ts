/**
 * The whole command line: its commands, and one run of them, which ends with one of the {@link exitCodes}.
 */
import { Cause, Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { capabilities } from "./capabilities/CapabilityCommands.ts"
import { commandsOf, verbsOf } from "./CapabilityPart.ts"
import { client, person, secret, token } from "./commands/ClientCommands.ts"
import { document } from "./commands/DocumentCommands.ts"
import { messageWith } from "./commands/MessageCommands.ts"
import { audit, business, dock, facility, fieldMap } from "./commands/PlaceCommands.ts"
import { listenWith } from "./commands/ReceiverCommands.ts"
import { order, pallet, search, shipmentWith } from "./commands/ShipmentCommands.ts"
import { delivery, webhookWith } from "./commands/WebhookCommands.ts"
import { exitCodeOf, exitCodes, textOf } from "./Failure.ts"
import { messageWordsOf } from "./follow/Following.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import { Screen } from "./Screen.ts"
import * as ServiceCalls from "./ServiceCalls.ts"
import { version } from "./ServiceCalls.ts"

const description = [
  "Follow shipments and pallets, and operate a Dockline service: businesses, clients, people, webhooks.",
  "",
  `The secret of your API client comes from ${GlobalFlags.variables.clientSecret}, or is asked for; there is no flag for it.`,
  "",
  "Exit codes",
  ...exitCodes.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`)
].join("\n  ")

const messageWords = messageWordsOf(capabilities)

export const commands = [
  search,
  ...commandsOf(capabilities),
  shipmentWith(verbsOf(capabilities)),
  order,
  pallet,
  document,
  messageWith(messageWords),
  business,
  facility,
  dock,
  fieldMap,
  client,
  secret,
  person,
  webhookWith(messageWords),
  delivery,
  listenWith(messageWords),
  audit,
  token
] as const

const dockline = Command.make("dockline").pipe(
  Command.withDescription(description),
  Command.withExamples([
    { command: "dockline shipment list", description: `At ${GlobalFlags.defaultUrl}` },
    { command: "dockline webhook list --url https://dockline.example --client-id me --json" }
  ]),
  Command.withSubcommands([...commands]),
  Command.provide(ServiceCalls.layer),
  Command.withGlobalFlags(GlobalFlags.flags)
)

/** The framework's flags, without the one for log levels: this program writes no log. */
const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** Requested help is data; help after a wrong command line is a message. */
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

/** Runs one command line, reports its failure, and returns the exit code. */
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
