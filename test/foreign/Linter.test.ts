/** The documents about the interface, checked by the linter of Redocly with its recommended rules. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { withParts } from "@dockline/http-adapter/api/Parts"
import { asyncApiOf } from "@dockline/http-adapter/openapi/AsyncApiDocument"
import { forReaders, openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import { assert, describe, it } from "@effect/vitest"
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

const baseUrl = "https://logistics.example/dockline"

describe("a linter finds nothing to say", () => {
  for (
    const [name, document] of [
      [
        "OpenAPI",
        forReaders(
          openApiOf(DocumentInput.defaultRules, true, withParts(capabilities, restParts)),
          baseUrl,
          Date.now()
        )
      ],
      ["AsyncAPI", asyncApiOf(baseUrl, capabilities)]
    ] as const
  ) {
    it(`about ${name}`, async () => {
      const directory = await mkdtemp(join(tmpdir(), "dockline-linter-"))
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
        const { problems } = JSON.parse(stdout) as { readonly problems: ReadonlyArray<object> }
        assert.deepStrictEqual(problems, [])
      } finally {
        await rm(directory, { recursive: true })
      }
    })
  }
})
