/** Copies of the data of a PostgreSQL that runs: what is in them, and that the server goes on. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventually } from "../../../../test/support/Eventually.ts"
import { Disk } from "../../src/system/Disk.ts"
import { makeTemplate, PostgresServer } from "../../src/system/PostgresServer.ts"

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-faults-test-"))
  chmodSync(folder, 0o711)
  await makeTemplate(join(folder, "template"))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const idsIn = async (server: PostgresServer): Promise<ReadonlyArray<number>> => {
  const rows = await server.query<{ readonly id: number }>("select id from written order by id")
  assert.isDefined(rows)
  return rows.map(({ id }) => id)
}

describe("a copy of a running server", () => {
  it("has everything that was committed before it, and nothing of what comes after it", async () => {
    const log = join(folder, "postgres.log")
    const first = await PostgresServer.open(Disk.make(join(folder, "first")), join(folder, "template"), log)
    try {
      await first.query("create table written (id int primary key)")
      let next = 0
      const stopping = new AbortController()
      const acknowledged: Array<number> = []
      const writing = (async () => {
        for (; !stopping.signal.aborted; next++) {
          if (await first.query(`insert into written values (${next}) returning id`)) acknowledged.push(next)
        }
      })()
      const until = (count: number) => eventually(`${count} rows`, () => acknowledged.length >= count)
      await until(10)
      const before = [...acknowledged]
      const copy = Disk.make(join(folder, "second"))
      await first.copyTo(copy)
      const begun = next
      await until(acknowledged.length + 10)
      stopping.abort()
      await writing
      assert.deepStrictEqual(await idsIn(first), acknowledged)

      await first.close()
      const second = await PostgresServer.openCopied(copy, log)
      try {
        const copied = await idsIn(second)
        assert.includeMembers([...copied], before)
        assert.isAtMost(copied.at(-1)!, begun)
        assert.isDefined(await second.query("insert into written values (-1)"))
      } finally {
        await second.close()
      }
    } finally {
      await first.close()
    }
  })
})
