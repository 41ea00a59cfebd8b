/**
 * Runs every kind of benchmark for some seconds and at a small size, so that none stops working unnoticed. The measured values mean
 * nothing here.
 */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

// The folder for temporary files of tests may be in memory, where a benchmark refuses to run.
const directory = mkdtempSync("/var/tmp/dockline-kinds-")
afterAll(() => rmSync(directory, { recursive: true }))

interface Kind {
  readonly flags: string
  /** Texts that its result must contain. */
  readonly result: ReadonlyArray<string>
}

const compared = "--seconds 2 --warmup 1 --rounds 1"

const kinds: Readonly<Record<string, Kind>> = {
  intake: {
    flags: `${compared} --connections 4 --orders 4`,
    result: ["10-item OVERWRITE", "10-item MERGE", "Dockline / Fastify + postgres"]
  },
  beside: {
    flags:
      `--checkout ${root} --loads merge,first,pallets,edi --connections 1 --rounds 1 --requests 20 --warmup 20`,
    result: ["merge, 1 connection", "first, 1 connection", "pallets, 1 connection", "edi, 1 connection"]
  },
  graphql: {
    flags: `${compared} --connections 2 --log 2000 --clients 20 --messages 10 --window 4`,
    result: ["(a)", "(b)"]
  },
  webhooks: {
    flags: `${compared} --messages 40000 --paced 20`,
    result: ["Deliveries, Dockline / bare undici loop"]
  },
  // On a busy machine a page may take longer than the aim; the benchmark reports that after its result.
  lists: {
    flags: "--shipments 1000 --events 2000 --tenants 600 --endpoints 5 --rounds 1",
    result: ["slowest pages"]
  },
  overload: {
    flags: "--seconds 1 --warmup 1 --search-seconds 1 --from 20 --connections 64 --followers 2",
    result: ["The search for the peak"]
  }
}

describe.concurrent("a kind of benchmark starts, measures and tells its result", () => {
  for (const [kind, { flags, result }] of Object.entries(kinds)) {
    it(kind, { timeout: 1_200_000 }, async ({ signal }) => {
      const words =
        `--conditions=@dockline/source ${root}lab/bench/src/main.ts ${kind} ${flags} --directory ${directory}`
      const child = execFile(process.execPath, words.split(" "), { signal })
      // The log has the error.
      child.on("error", () => {})
      let [text, log] = ["", ""]
      child.stdout!.on("data", (chunk: string) => text += chunk)
      child.stderr!.on("data", (chunk: string) => log += chunk)
      await once(child, "close")
      for (const part of result) assert.include(text, part, log)
    })
  }
})
