/**
 * Runs `dockline-server` as this process: chooses the command that the arguments name, reads the settings from the environment, and runs
 * the command.
 *
 * In this repository `npm start` runs it. SIGTERM and Ctrl-C stop the server: after `STOP_DELAY_SECONDS` it accepts no new connections,
 * finishes the requests in flight, and then stops the embedded database.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import { parseArgs } from "node:util"
import * as Check from "./check/Check.ts"
import * as ServerDatabase from "./lifecycle/ServerDatabase.ts"
import * as StartGarbage from "./lifecycle/StartGarbage.ts"
import * as StartMessages from "./lifecycle/StartMessages.ts"
import { version } from "./lifecycle/StartMessages.ts"
import * as Server from "./Server.ts"
import { help, refuseMisspelt, settings } from "./settings/Settings.ts"
import type { Settings } from "./settings/Settings.ts"
import * as Logs from "./telemetry/Logs.ts"

const read = Effect.andThen(refuseMisspelt, settings)

const serve = Effect.flatMap(
  read,
  (settings) => Layer.launch(Layer.tap(Server.layer(settings), () => StartGarbage.collect))
)

/** Makes a program from a command on the database, with the log format of the settings. */
const databaseProgram = <E>(command: (settings: Settings) => Effect.Effect<void, E>) =>
  Effect.flatMap(read, (settings) => Effect.provide(command(settings), Logs.layer(settings.logFormat)))

const check = Effect.map(Check.run, ({ problems }) => {
  if (problems > 0) process.exitCode = 1
})

const run = (program: Effect.Effect<unknown, unknown>): void =>
  NodeRuntime.runMain(Effect.tapCause(program, StartMessages.explain), {
    disableErrorReporting: true,
    // A server that is stopped by a signal has succeeded.
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 1)
  })

/** The command that the arguments name; `undefined` if the help does not list their form. */
const commandOf = (args: ReadonlyArray<string>): (() => void) | undefined => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      distribute: { type: "boolean" },
      "dry-run": { type: "boolean" },
      help: { type: "boolean" },
      shards: { type: "string" },
      to: { type: "string" },
      version: { type: "boolean" }
    }
  })
  const options = Object.keys(values)
  const allows = (...names: ReadonlyArray<string>) => options.every((name) => names.includes(name))
  const [command = "serve", ...rest] = positionals
  const isAlone = rest.length === 0 && options.length === 0
  const isSingleFlag = positionals.length === 0 && options.length === 1
  if (values.help === true && isSingleFlag) return () => console.log(help)
  if (values.version === true && isSingleFlag) return () => console.log(version)
  if (command === "serve" && isAlone) return () => run(serve)
  if (command === "check" && isAlone) return () => run(check)
  if (command === "migrate" && isAlone) return () => run(databaseProgram(ServerDatabase.migrate))
  const dryRun = values["dry-run"] === true
  if (
    command === "migrate" && rest.length === 0 && values.distribute === true &&
    allows("distribute", "dry-run", "shards")
  ) {
    const shards = values.shards === undefined ? undefined : Number(values.shards)
    return () => run(databaseProgram((settings) => ServerDatabase.distribute(settings, dryRun, shards)))
  }
  const [action, business, further] = rest
  const { to } = values
  if (
    command === "business" && action === "move" && business !== undefined && further === undefined &&
    to !== undefined &&
    allows("to", "dry-run")
  ) {
    return () => run(databaseProgram((settings) => ServerDatabase.move(settings, business, to, dryRun)))
  }
  return undefined
}

const args = process.argv.slice(2)
const command = Result.getOrUndefined(Result.try(() => commandOf(args)))
if (command === undefined) {
  console.error(`dockline-server: ${args.join(" ")} is unknown; --help shows what there is`)
  process.exitCode = 1
} else command()
