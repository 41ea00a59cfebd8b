/**
 * Runs one command line as this process: with its arguments, its streams, its exit code.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Layer } from "effect"
import { run } from "./CommandLine.ts"
import { layerProcess } from "./Screen.ts"

run(process.argv.slice(2)).pipe(
  Effect.provide(Layer.merge(NodeServices.layer, layerProcess)),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : 130)
  })
)
