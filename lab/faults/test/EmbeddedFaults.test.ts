/**
 * The bundled server on its embedded database, while clients work: killed, doubled, without space. After each, whatever
 * was acknowledged is there exactly once, ids go on, and follower and webhooks have every message (D12.1, D12.3). Longer:
 * `npm run test:faults -- embedded`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Disaster } from "../src/embedded/Disasters.ts"
import * as Program from "../src/embedded/Program.ts"
import { Run } from "../src/embedded/Run.ts"

const seed = 1

let folder: string
let run: Run

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-program-"))
  run = await Run.open(await Program.make(folder), seed, 1)
})

afterAll(async () => {
  const { faults, story } = await run.close()
  rmSync(folder, { recursive: true, force: true })
  assert.deepStrictEqual(faults, [], story.join("\n"))
})

const cases: ReadonlyArray<readonly [rule: string, disaster: Disaster]> = [
  ["kill -9 of the server, whose PostgreSQL lives on, loses nothing", "kill the server"],
  ["kill -9 of PostgreSQL beneath the server loses nothing, and needs no restart", "kill PostgreSQL"],
  ["kill -9 of one process of PostgreSQL loses nothing, and needs no restart", "kill one backend"],
  ["kill -9 of both at once loses nothing", "kill both"],
  ["kill -9 of the server that recovers loses nothing", "kill during recovery"],
  [
    "D12.1 a second server is refused by folder and process, and the first does not notice it",
    "second server"
  ],
  ["D12.1 of two servers that start as the first is killed, at most one gets the folder", "take over"],
  ["D12.3 on a full disk writing is 503 with Retry-After, and goes on when there is space again", "full disk"]
]

describe("an embedded database that was killed in its first start", () => {
  it.for(cases)("%s", async ([, disaster], { skip }) => {
    skip(!run.possible.includes(disaster), "only root may make a disk to fill")
    assert.deepStrictEqual(await run.befall(disaster), [], run.story)
  })
})
