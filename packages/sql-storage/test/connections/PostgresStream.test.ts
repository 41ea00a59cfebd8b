/** Notices among the messages of PostgreSQL, however its stream is cut into chunks. */
import { assert, describe, it } from "vitest"
import { noticesIn } from "../../src/connections/PostgresStream.ts"

const message = (type: string, body: string): Buffer => {
  const bytes = Buffer.from(`${type}....${body}`)
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}

const notice = (text: string) => message("N", `SWARNING\0C01000\0M${text}\0RSyncRepWaitForLSN\0\0`)

describe("notices", () => {
  const stream = Buffer.concat([
    message("2", ""),
    message("D", "\0\x01\0\0\0\x03N\0\0"),
    notice("one"),
    message("C", "COMMIT\0"),
    message("Z", "I"),
    notice("two"),
    message("Z", "I")
  ])

  it("are found, of whatever length the chunks are", () => {
    for (let size = 1; size <= stream.length; size++) {
      const texts: Array<string | undefined> = []
      const read = noticesIn(({ fields }) => texts.push(`${fields.routine}: ${fields.message}`))
      for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size))
      assert.deepStrictEqual(texts, ["SyncRepWaitForLSN: one", "SyncRepWaitForLSN: two"], `${size} bytes`)
    }
  })
})
