/** Lists in CSV: what RFC 4180 reads back, no formulas, and the pace of a client over real sockets. */
import { StorageUnavailable } from "@dockline/core/Errors"
import type { Page } from "@dockline/core/Page"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { get } from "node:http"
import type { IncomingMessage } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { settled } from "../../../../test/support/Eventually.ts"
import * as Answer from "../../src/answer/Answer.ts"
import * as Csv from "../../src/answer/Csv.ts"
import type { Table } from "../../src/answer/Csv.ts"
import { tables } from "../../src/answer/Tables.ts"
import { CurrentPrincipal } from "../../src/api/Authorization.ts"
import * as HttpSetup from "../HttpSetup.ts"

/** Reads CSV by the grammar of RFC 4180. */
const parse = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const records: Array<Array<string>> = []
  let record: Array<string> = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const found = field.exec(text)
    assert.isNotNull(found, `a field at ${at} of ${JSON.stringify(text)}`)
    const [, escaped, plain = "", end] = found!
    record.push(escaped === undefined ? plain : escaped.replaceAll("\"\"", "\""))
    if (end === "\r\n") {
      records.push(record)
      record = []
    }
  }
  assert.deepStrictEqual(record, [])
  return records
}

const texts: Table<Readonly<Record<"a" | "b", string>>> = [["a", ({ a }) => a], ["b", ({ b }) => b]]

describe("a table", () => {
  it("has a header, and a line for each entry", () => {
    assert.strictEqual(Csv.write(texts, []), "a,b\r\n")
    assert.strictEqual(
      Csv.write(texts, [{ a: "x, y", b: "\"z\"\r\n" }, { a: "", b: " " }]),
      "a,b\r\n\"x, y\",\"\"\"z\"\"\r\n\"\r\n, \r\n"
    )
  })

  it("shows numbers and flags as they are, places by slug, lists with semicolons, and null as nothing", () => {
    const cells = [1.5, true, null, { slug: "east" }, ["SO-1", "SO-2"], []]
    assert.strictEqual(
      Csv.write(cells.map((cell, at) => [`c${at}`, () => cell] as const), [{}]).split("\r\n")[1],
      "1.5,true,,east,SO-1; SO-2,"
    )
  })

  it.each(["=1+1", "+1", "-1", "@SUM(A1)"])("has no formula of %j", (formula) => {
    const [, record] = parse(Csv.write(texts, [{ a: formula, b: `a${formula}` }]))
    assert.deepStrictEqual(record, [`'${formula}`, `a${formula}`])
  })

  it("has no formula in a part of a text that a spreadsheet takes for a cell: after a semicolon, a tab or a line", () => {
    const text = "5;=HYPERLINK(A1)\n@SUM(A1)\r\n+1\t-1; -2\n\n=3"
    const [, record] = parse(Csv.write(texts, [{ a: "＝1", b: text }]))
    assert.deepStrictEqual(record, ["'＝1", "5;'=HYPERLINK(A1)\n'@SUM(A1)\r\n'+1\t'-1; -2\n\n'=3"])
  })

  it("has no formula where a quotation mark comes first: after a semicolon, two of them are an empty beginning", () => {
    const [, line = ""] = Csv.write(texts, [{ a: "1", b: "a;\"=HYPERLINK(A1);b" }]).split("\r\n")
    const [, cell = ""] = line.split(";")
    assert.strictEqual(cell.replaceAll("\"\"", ""), "'=HYPERLINK(A1)")
  })

  it("gives all texts back, an apostrophe before formulas apart", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n\",;' a0é") }),
      fc.string({ unit: "grapheme" })
    )
    fc.assert(fc.property(fc.array(fc.record({ a: text, b: text })), (rows) => {
      const [header, ...records] = parse(Csv.write(texts, rows))
      assert.deepStrictEqual(header, ["a", "b"])
      assert.deepStrictEqual(
        records,
        rows.map(({ a, b }) =>
          [a, b].map((value) => value.replaceAll(/^(?=[\t\r\n])|(?<=^|[;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g, "'"))
        )
      )
      for (const value of records.flat()) {
        assert.notMatch(value, /^[=+\-@＝＋－＠]/)
        assert.notMatch(value, /[;\t\r\n]"*[=+\-@＝＋－＠]/)
      }
    }))
  })

  it.each(Object.entries(tables))("%s names each column once", (_, table) => {
    const columns = table.map(([column]) => column)
    assert.strictEqual(new Set(columns).size, columns.length)
  })
})

interface Row {
  readonly id: number
  readonly text: string
}

const rows: Table<Row> = [["id", ({ id }) => id], ["text", ({ text }) => text]]

/** A list of so many entries, in pages of 100. */
class List {
  readonly total: number
  readonly text: string
  pages = 0
  /** Fails the reading of a page, by its number. */
  fails: (page: number) => boolean = () => false

  constructor(total: number, text = "text") {
    this.total = total
    this.text = text
  }

  readonly read = (
    { after = 0, limit = 100 }: { readonly after?: number; readonly limit?: number | undefined }
  ): Effect.Effect<Page<Row>, StorageUnavailable> =>
    Effect.suspend(() => {
      this.pages++
      if (this.fails(this.pages)) return Effect.fail(new StorageUnavailable({ cause: "test" }))
      const end = Math.min(after + Math.min(limit, 100), this.total)
      return Effect.succeed({
        items: Array.from(
          { length: end - after },
          (_, at) => ({ id: after + at + 1, text: this.text })
        ),
        next: end < this.total ? String(end) : null
      })
    })
}

const principal = { clientId: "client", grants: [] }

const serve = (list: List, query: { readonly limit?: number; readonly after?: number } = {}) =>
  HttpSetup.serve(() =>
    Csv.respond({ table: rows, query, read: list.read, at: (next) => ({ after: Number(next) }) }, {}).pipe(
      Effect.provideService(CurrentPrincipal, principal),
      Effect.catch(Answer.respond)
    )
  )

const open = (url: string) =>
  Effect.callback<IncomingMessage>((resume) => {
    get(url, (response) => resume(Effect.succeed(response)))
  })

/** Reads the rest; whether it came to its end. */
const drain = (response: IncomingMessage) =>
  Effect.promise(async () => {
    let lines = 0
    let tail = ""
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        tail = (tail + chunk.toString("latin1")).slice(-2000)
        for (const byte of chunk) if (byte === 10) lines++
      }
      return { lines, tail, ended: true }
    } catch {
      return { lines, tail, ended: false }
    }
  })

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** The bytes that are held when garbage is collected. */
const held = (): number => {
  collect()
  const { external, heapUsed } = process.memoryUsage()
  return external + heapUsed
}

describe("a list", () => {
  it.live(
    "of 100,000 entries comes at the client's pace, in the memory of few pages",
    () =>
      Effect.gen(function*() {
        const list = new List(Csv.rowLimit, "x".repeat(1000))
        const { url } = yield* serve(list)
        const response = yield* open(url)
        assert.strictEqual(response.headers["content-type"], "text/csv; charset=utf-8; header=present")
        // Nobody reads: what the connection buffers is all that is read of the list.
        yield* Effect.promise(() => settled("the number of pages that are read", () => list.pages))
        assert.isBelow(list.pages, 200)
        const samples: Array<number> = []
        let taken = 0
        response.on("data", (chunk: Buffer) => {
          taken += chunk.length
          if (taken < 10_000_000) return
          taken = 0
          samples.push(held())
        })
        response.pause()
        const { ended, lines, tail } = yield* drain(response)
        assert.deepStrictEqual([ended, lines, list.pages], [true, Csv.rowLimit + 1, Csv.rowLimit / 100])
        assert.match(tail, /\r\n100000,x+\r\n$/)
        // What is held after 100 MB is what was held after 10 MB, and what the client has not looked at yet.
        assert.isBelow(Math.max(...samples) - samples[0]!, 40_000_000, samples.join(" "))
      }),
    60_000
  )

  it.live("of more entries breaks off, so that nobody takes it for the whole", () =>
    Effect.gen(function*() {
      const { url } = yield* serve(new List(Csv.rowLimit + 1))
      const { ended, lines } = yield* Effect.flatMap(open(url), drain)
      assert.isFalse(ended)
      assert.isAtMost(lines, Csv.rowLimit + 1)
    }), 60_000)

  it.live("goes on where a page could not be read at first", () =>
    Effect.gen(function*() {
      const list = new List(500)
      list.fails = (page) => page === 3
      const { url } = yield* serve(list)
      const { ended, lines } = yield* Effect.flatMap(open(url), drain)
      assert.deepStrictEqual([ended, lines, list.pages], [true, 501, 6])
    }))

  it.live("that nobody waits for any more is not read any further", () =>
    Effect.gen(function*() {
      const list = new List(Csv.rowLimit, "x".repeat(1000))
      const { url } = yield* serve(list)
      const response = yield* open(url)
      response.destroy()
      yield* Effect.promise(() => settled("the number of pages that are read", () => list.pages))
      assert.isBelow(list.pages, 500)
    }))

  it.live("whose first page cannot be read is a problem", () =>
    Effect.gen(function*() {
      const list = new List(500)
      list.fails = () => true
      const { url } = yield* serve(list)
      const response = yield* open(url)
      assert.deepStrictEqual(
        [response.statusCode, response.headers["content-type"]],
        [503, "application/problem+json"]
      )
      yield* drain(response)
    }))

  it.live("with a limit is one page, and a link to the next", () =>
    Effect.gen(function*() {
      const list = new List(25)
      const { url } = yield* serve(list, { limit: 10 })
      const response = yield* open(`${url}?limit=10&business=a%26b`)
      assert.strictEqual(response.headers["link"], "<?limit=10&business=a%26b&after=10>; rel=\"next\"")
      assert.deepInclude(yield* drain(response), { lines: 11, ended: true })
    }))
})
