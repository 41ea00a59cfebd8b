/** What the linter of Redocly says about a document, by its recommended rules. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const redocly = join(
  dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")),
  "bin/cli.js"
)

export const problemsOf = async (document: object): Promise<ReadonlyArray<object>> => {
  const directory = await mkdtemp(join(tmpdir(), "dockline-redocly-"))
  try {
    const file = join(directory, "document.json")
    await writeFile(file, JSON.stringify(document))
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [redocly, "lint", "--extends", "recommended", "--format", "json", file],
      {
        cwd: directory,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
      }
    ).catch((error: { readonly stdout: string }) => error)
    return (JSON.parse(stdout) as { readonly problems: ReadonlyArray<object> }).problems
  } finally {
    await rm(directory, { recursive: true })
  }
}
