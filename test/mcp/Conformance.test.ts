/**
 * The conformance suite of the Model Context Protocol, with every scenario for servers: those that apply pass, and for each other one, this
 * file gives the reason. Most of the latter look for a tool, a resource or a prompt of their own.
 */
import { Effect, Exit, Scope } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { serve } from "./Service.ts"

const passes = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]

const ownTool = "it calls a tool of its own, and ours are the declared operations"
const noResources = "there are no resources: what is to be read is read by tools"
const noPrompts = "there are no prompts"
const noStreams = "it checks nothing where answers are not streamed"

/** The reasons why the others do not apply. */
const others: Readonly<Record<string, string>> = {
  "logging-set-level": "logs are the operator's",
  "completion-complete": "arguments are not completed",
  "tools-call-simple-text": ownTool,
  "tools-call-image": ownTool,
  "tools-call-audio": ownTool,
  "tools-call-embedded-resource": ownTool,
  "tools-call-mixed-content": ownTool,
  "tools-call-with-logging": ownTool,
  "tools-call-error": ownTool,
  "tools-call-with-progress": ownTool,
  "tools-call-sampling": ownTool,
  "tools-call-elicitation": ownTool,
  "json-schema-2020-12": ownTool,
  "elicitation-sep1034-defaults": ownTool,
  "elicitation-sep1330-enums": ownTool,
  "server-sse-polling": noStreams,
  "server-sse-multiple-streams": noStreams,
  "resources-list": noResources,
  "resources-read-text": noResources,
  "resources-read-binary": noResources,
  "resources-templates-read": noResources,
  "resources-subscribe": noResources,
  "resources-unsubscribe": noResources,
  "prompts-list": noPrompts,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-with-image": noPrompts
}

const scope = Scope.makeUnsafe()
let output: string

beforeAll(async () => {
  const url = await Effect.runPromise(Scope.provide(serve, scope))
  const suite = ["--prefix", ".", "exec", "--", "conformance", "server", "--url", url, "--suite", "all"]
  // The suite fails because of the scenarios that do not apply.
  output = await promisify(execFile)("npm", suite, { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout
  )
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe("the conformance suite", () => {
  it("passes by every scenario that applies, and the others are known", () => {
    const results = Array.from(
      output.matchAll(/^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed/gm),
      ([, name, passed, failed]) => ({ name: name!, isPassed: Number(passed) > 0 && failed === "0" })
    )
    assert.deepStrictEqual(results.map(({ name }) => name).sort(), [...passes, ...Object.keys(others)].sort())
    assert.deepStrictEqual(
      results.filter(({ isPassed }) => isPassed).map(({ name }) => name),
      passes,
      output
    )
  })
})
