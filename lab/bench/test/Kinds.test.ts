/** Every kind of benchmark, for some seconds and at a small size, so that none stops working unseen. What it measures says nothing here. */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"

const compared = ["--seconds", "2", "--warmup", "1", "--rounds", "1"]

/** Each kind with its flags, and what its result has when all is done. */
const kinds: Readonly<
  Record<string, readonly [flags: ReadonlyArray<string>, result: ReadonlyArray<string>]>
> = {
  intake: [
    [...compared, "--connections", "4", "--orders", "4"],
    ["10-item OVERWRITE", "10-item MERGE", "Dockline / Fastify + postgres"]
  ],
  beside: [
    ["--checkout", fileURLToPath(new URL("../../..", import.meta.url)), "--rounds", "2", "--requests", "32"],
    ["merge, 1 connection", "pallets, 32 connections", "edi, 32 connections"]
  ],
  graphql: [
    [
      ...compared,
      "--connections",
      "2",
      "--log",
      "2000",
      "--clients",
      "20",
      "--messages",
      "10",
      "--window",
      "4"
    ],
    ["(a)", "(b)"]
  ],
  webhooks: [
    [...compared, "--messages", "30000", "--paced", "20"],
    ["Deliveries, Dockline / bare undici loop"]
  ],
  // Pages may take longer than the aim on a machine that does other things too: the result comes before that is said.
  lists: [
    ["--shipments", "1000", "--events", "2000", "--tenants", "600", "--endpoints", "5", "--rounds", "1"],
    ["slowest pages"]
  ],
  overload: [
    [
      ...["--seconds", "1", "--warmup", "1", "--search-seconds", "1", "--from", "20", "--connections", "64"],
      ...["--followers", "2"]
    ],
    ["The search for the peak"]
  ]
}

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

// The folder of temporary files of tests may be in memory, where a benchmark does not run.
const directory = mkdtempSync("/var/tmp/dockline-kinds-")
afterAll(() => rmSync(directory, { recursive: true }))

describe.concurrent("a kind of benchmark starts, measures and tells its result", () => {
  for (const [kind, [flags, result]] of Object.entries(kinds)) {
    it(kind, { timeout: 1_200_000 }, async () => {
      const child = execFile(process.execPath, [
        "--conditions=@dockline/source",
        main,
        kind,
        ...["--directory", directory, ...flags]
      ])
      let [text, log] = ["", ""]
      child.stdout!.on("data", (chunk: string) => text += chunk)
      child.stderr!.on("data", (chunk: string) => log += chunk)
      await once(child, "close")
      assert.notStrictEqual(text, "", log)
      for (const part of result) assert.include(text, part, log)
    })
  }
})
