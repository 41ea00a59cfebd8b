#!/usr/bin/env node
/**
 * The program `dockline-server`: reads the environment, composes the layers, and nothing else.
 *
 * In this repository `npm start` runs it. SIGTERM and Ctrl-C stop it: no new connections, requests in flight are finished,
 * then the embedded database goes down.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import * as StartFailure from "./lifecycle/StartFailure.ts"
import * as Server from "./Server.ts"
import { help } from "./settings/Help.ts"
import { settings } from "./settings/Settings.ts"
import { version } from "./Version.ts"

const serve = Effect.flatMap(settings, (given) => Layer.launch(Server.layer(given)))

const run = (program: Effect.Effect<unknown, unknown>): void =>
  NodeRuntime.runMain(Effect.tapCause(program, StartFailure.explain), {
    disableErrorReporting: true,
    // A server that was told to stop and did has succeeded.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })

const [argument] = process.argv.slice(2)
switch (argument) {
  case undefined:
    run(serve)
    break
  case "--help":
    console.log(help)
    break
  case "--version":
    console.log(version)
    break
  default:
    console.error(`dockline-server: ${argument} is unknown; --help shows what there is`)
    process.exitCode = 1
}
