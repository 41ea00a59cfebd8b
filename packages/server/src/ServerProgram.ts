/**
 * Runs `dockline-server` as this process: reads the environment, composes the layers, and nothing else.
 *
 * In this repository `npm start` runs it. SIGTERM and Ctrl-C stop it: no new connections, requests in flight are finished,
 * then the embedded database goes down.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import * as Check from "./check/Check.ts"
import * as ServerDatabase from "./lifecycle/ServerDatabase.ts"
import * as StartFailure from "./lifecycle/StartFailure.ts"
import * as Server from "./Server.ts"
import { help } from "./settings/Help.ts"
import * as Misspelt from "./settings/Misspelt.ts"
import { settings } from "./settings/Settings.ts"
import * as LogFormat from "./telemetry/LogFormat.ts"
import { version } from "./Version.ts"

const read = Effect.andThen(Misspelt.refuse, settings)

const serve = Effect.flatMap(read, (given) => Layer.launch(Server.layer(given)))

const migrate = Effect.flatMap(
  read,
  (given) => Effect.provide(ServerDatabase.migrate(given), LogFormat.layer(given.logFormat))
)

const check = Effect.map(Check.run, ({ problems }) => {
  if (problems > 0) process.exitCode = 1
})

const run = (program: Effect.Effect<unknown, unknown>): void =>
  NodeRuntime.runMain(Effect.tapCause(program, StartFailure.explain), {
    disableErrorReporting: true,
    // A server that was told to stop and did has succeeded.
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 1)
  })

/** What the program can be called with; each takes nothing further. */
const commands: Readonly<Record<string, () => void>> = {
  serve: () => run(serve),
  check: () => run(check),
  migrate: () => run(migrate),
  "--help": () => console.log(help),
  "--version": () => console.log(version)
}

const [argument = "serve", further] = process.argv.slice(2)
const command = Object.hasOwn(commands, argument) && further === undefined ? commands[argument] : undefined
if (command === undefined) {
  console.error(
    `dockline-server: ${
      Object.hasOwn(commands, argument) ? further : argument
    } is unknown; --help shows what there is`
  )
  process.exitCode = 1
} else command()
