/**
 * One real PostgreSQL for a whole test run: our own embedded one, on a free port, in a temporary folder. It is started
 * before the first test file and stopped after the last; test files make databases of their own in it.
 */
import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
// By path: the conditions that lead a package name to its source do not reach this file.
import * as EmbeddedPostgres from "../../packages/sql-storage/src/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server's own database. */
    readonly postgresUrl: string
  }
}

/** Nothing of this server outlives the run, so that nothing is lost when it does not wait for the disk. */
const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = mkdtempSync(join(tmpdir(), "dockline-test-"))
  const scope = Scope.makeUnsafe()
  const postgres = await Effect.runPromise(
    Scope.provide(EmbeddedPostgres.make({ directory, settings }), scope)
  )
  project.provide("postgresUrl", Redacted.value(postgres.url))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}
