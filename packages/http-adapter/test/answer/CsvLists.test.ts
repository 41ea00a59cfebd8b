/** Lists in CSV: the pace of a client over real sockets, the turns of their pages, and where they end. */
import type { Table } from "@dockline/core/access/Operation"
import { unlimitedMemory } from "@dockline/core/access/RequestLimits"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import type { Page } from "@dockline/core/values/Page"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { get } from "node:http"
import type { IncomingMessage } from "node:http"
import { settled } from "../../../../test/support/Eventually.ts"
import * as Answer from "../../src/answer/Answer.ts"
import * as Csv from "../../src/answer/Csv.ts"
import { FurtherPages } from "../../src/api/Parts.ts"
import * as EndpointRoutes from "../../src/handlers/EndpointRoutes.ts"
import * as HttpSetup from "../HttpSetup.ts"

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

/** How pages are read: the requests that they count as, and the most of them that were read at once. */
class Reading {
  count = 0
  most = 0
  #now = 0
  /** The refusals that come first. */
  refusals = 0

  readonly pages = EndpointRoutes.furtherPages(
    {
      count: () =>
        Effect.suspend(() => {
          if (this.refusals-- > 0) {
            return Effect.fail(new RateLimited({ limit: 5, windowSeconds: 60, retryAfterSeconds: 1 }))
          }
          this.count++
          return Effect.undefined
        })
    },
    (_clientId, page) =>
      Effect.suspend(() => {
        this.most = Math.max(this.most, ++this.#now)
        // Others would be read meanwhile.
        return Effect.andThen(Effect.sleep(1), page)
      }).pipe(Effect.ensuring(Effect.sync(() => this.#now--))),
    () => ({ memory: unlimitedMemory, release: () => undefined })
  )
}

const serve = (
  list: List,
  query: { readonly limit?: number; readonly after?: number } = {},
  pages = EndpointRoutes.furtherPages(
    { count: () => Effect.undefined },
    (_principal, page) => page,
    () => ({ memory: unlimitedMemory, release: () => undefined })
  )
) =>
  HttpSetup.serve(() =>
    Csv.respond({ table: rows, query, read: list.read, at: (next) => ({ after: Number(next) }) }, {}).pipe(
      Effect.provideService(FurtherPages, pages({ clientId: "client", grants: [] })),
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

describe("a list", () => {
  it.live(
    "of 100,000 entries comes at the client's pace",
    () =>
      Effect.gen(function*() {
        const list = new List(Csv.rowLimit, "x".repeat(1000))
        const { url } = yield* serve(list)
        const response = yield* open(url)
        assert.strictEqual(response.headers["content-type"], "text/csv; charset=utf-8; header=present")
        // Nobody reads: what the connection buffers is all that is read of the list.
        yield* Effect.promise(() => settled("the number of pages that are read", () => list.pages))
        assert.isBelow(list.pages, 200)
        const { ended, lines, tail } = yield* drain(response)
        assert.deepStrictEqual([ended, lines, list.pages], [true, Csv.rowLimit + 1, Csv.rowLimit / 100])
        assert.match(tail, /\r\n100000,x+\r\n$/)
      }),
    60_000
  )

  it.live.each([Csv.rowLimit + 1, Csv.rowLimit + 4000])(
    "of %i entries breaks off after 100,000 of them, so that nobody takes it for the whole",
    (total) =>
      Effect.gen(function*() {
        const { url } = yield* serve(new List(total))
        const { ended, lines, tail } = yield* Effect.flatMap(open(url), drain)
        assert.deepStrictEqual([ended, lines], [false, Csv.rowLimit + 1])
        assert.match(tail, /\r\n100000,text\r\n$/)
      }),
    60_000
  )

  // @threat load.17
  it.live("counts each page after the first as a request, and waits where the client may send no more", () =>
    Effect.gen(function*() {
      const reading = new Reading()
      reading.refusals = 2
      const list = new List(1000)
      const startedAt = performance.now()
      const { url } = yield* serve(list, {}, reading.pages)
      const { ended, lines } = yield* Effect.flatMap(open(url), drain)
      assert.deepStrictEqual([ended, lines, list.pages, reading.count], [true, 1001, 10, 9])
      assert.isAtLeast(performance.now() - startedAt, 2000)
    }))

  // @threat load.17
  it.live("is read two pages at a time with all other lists of its client", () =>
    Effect.gen(function*() {
      const reading = new Reading()
      const { url } = yield* serve(new List(1000), {}, reading.pages)
      const all = yield* Effect.all(
        Array.from({ length: 20 }, () => Effect.flatMap(open(url), drain)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(all.every(({ ended, lines }) => ended && lines === 1001))
      assert.strictEqual(reading.most, 2)
    }))

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
