/** What is written: tables for people, one JSON document for scripts, lists over all their pages. */
import { assert, describe, it } from "vitest"
import * as FakeService from "./FakeService.ts"
import { runLine } from "./Running.ts"
import type { RunInput } from "./Running.ts"
import { endpoint } from "./Showing.ts"

/** A service that has so many businesses, in pages. */
const businesses = (count: number, fields: object = {}): FakeService.Handler => ({ path }, response) => {
  const query = new URL(path, "http://service").searchParams
  const start = Number(query.get("after") ?? 0)
  const end = Math.min(count, start + Number(query.get("limit")))
  const items = Array.from(
    { length: end - start },
    (_, index) => ({ slug: `b${start + index}`, name: "B", ...fields })
  )
  FakeService.json({ items, next: end < count ? String(end) : null })(
    { method: "", path, authorization: "", accept: "", body: "" },
    response
  )
}

const run = async (handler: FakeService.Handler, args: ReadonlyArray<string>, input: RunInput = {}) => {
  await using service = await FakeService.serve(handler)
  const env = { DOCKLINE_URL: service.url, DOCKLINE_CLIENT_ID: "operator", DOCKLINE_CLIENT_SECRET: "s" }
  const ran = await runLine(args, { ...input, env: { ...env, ...input.env } })
  return {
    ...ran,
    queries: service.requests.map(({ path }) => path.split("?")[1] ?? ""),
    accepts: service.requests.map(({ accept }) => accept)
  }
}

const list = ["business", "list"]

describe("a list", () => {
  it("follows next over all pages", async () => {
    const { data, queries } = await run(businesses(250), list)
    const lines = data.trimEnd().split("\n")
    assert.deepStrictEqual([lines.length, lines[0], lines.at(-1)], [
      251,
      "SLUG  NAME",
      "b249  B"
    ])
    assert.deepStrictEqual(queries, ["limit=100", "limit=100&after=100", "limit=100&after=200"])
  })

  it("stops at --limit, and asks for no more than that", async () => {
    const { data, queries } = await run(businesses(250), [...list, "--limit", "101"])
    assert.strictEqual(data.trimEnd().split("\n").length, 102)
    assert.deepStrictEqual(queries, ["limit=100", "limit=1&after=100"])
  })

  it("goes on after --after", async () => {
    const { data } = await run(businesses(3), [...list, "--after", "2"])
    assert.strictEqual(data, "SLUG  NAME\nb2    B\n")
  })

  it("says that there is nothing, and writes no data", async () => {
    const { code, data, errors } = await run(businesses(0), list)
    assert.deepStrictEqual([code, data, errors], [0, "", "No businesses.\n"])
  })

  it("ends quietly when whoever reads it has enough", async () => {
    const { code, queries, errors } = await run(businesses(1000), list, { closesAfter: 1 })
    assert.deepStrictEqual([code, errors, queries.length], [0, "", 2])
  })

  it("is cut to a terminal, and to nothing else", async () => {
    const name = "n".repeat(200)
    assert.include((await run(businesses(1, { name }), list)).data, name)
    const { data } = await run(businesses(1, { name }), list, { columns: 40 })
    for (const line of data.trimEnd().split("\n")) assert.isAtMost(Array.from(line).length, 40)
  })

  for (const limit of ["0", "-1", "1.5", "many"]) {
    it(`cannot be limited to ${limit}: exit 2`, async () => {
      const { code, queries } = await run(businesses(1), [...list, "--limit", limit])
      assert.deepStrictEqual([code, queries], [2, []])
    })
  }
})

describe("--json", () => {
  it("writes a list as one document, however many pages it has", async () => {
    const { data, errors } = await run(businesses(250), [...list, "--json"])
    const { items, next } = JSON.parse(data)
    assert.deepStrictEqual([items.length, items[249], next, errors], [
      250,
      { slug: "b249", name: "B" },
      null,
      ""
    ])
  })

  it("has in next where a limited list goes on", async () => {
    const { data } = await run(businesses(250), [...list, "--json", "--limit", "150"])
    const { items, next } = JSON.parse(data)
    assert.deepStrictEqual([items.length, next], [150, "150"])
  })

  it("writes what the service answered, fields that this version does not know too", async () => {
    const { data } = await run(businesses(1, { region: "\u001b[31m" }), [...list, "--json"])
    assert.deepStrictEqual(JSON.parse(data).items, [{
      slug: "b0",
      name: "B",
      region: "\u001b[31m"
    }])
    const business = { slug: "acme", name: "Acme", region: "eu" }
    const output = await run(FakeService.json(business), ["business", "show", "acme", "--json"])
    assert.deepStrictEqual(JSON.parse(output.data), business)
  })

  it("writes nothing that a terminal acts on: JSON escapes it", async () => {
    const name = "\u001b[31m\u009b2J\u202e\u007f\n"
    for (const args of [list, ["business", "show", "acme"]]) {
      const { data } = await run(
        args === list ? businesses(1, { name }) : FakeService.json({ slug: "acme", name }),
        [...args, "--json"]
      )
      assert.notMatch(data.replaceAll("\n", ""), /[\p{Cc}\u202e]/u)
      assert.include(JSON.stringify(JSON.parse(data)), JSON.stringify(name))
    }
  })
})

describe("--csv", () => {
  const text = "slug,name\r\nb0,\"B, the first\"\r\nb1,B\u001b[31m\r\n"
  const table =
    (body: string, headers: Readonly<Record<string, string>> = {}): FakeService.Handler => (_, response) =>
      void response.writeHead(200, { "content-type": "text/csv; charset=utf-8", ...headers }).end(body)
  const command = [...list, "--csv"]

  it("writes the whole list, in one request, as the service writes it", async () => {
    const ran = await run(table(text), command)
    assert.deepStrictEqual([ran.code, ran.data, ran.errors], [0, text, ""])
    assert.deepStrictEqual([ran.queries, ran.accepts], [[""], ["text/csv"]])
  })

  it("writes it as it comes", async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `b${at},Ünï ${at}\r\n`)
    const slowly: FakeService.Handler = (_, response) => {
      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" }).write("slug,name\r\n")
      for (const row of rows) response.write(row)
      response.end()
    }
    assert.strictEqual((await run(slowly, command)).data, `slug,name\r\n${rows.join("")}`)
  })

  it("writes a page with --limit, and says where the list goes on", async () => {
    const link = { link: `<?limit=2&after=b1>; rel="next"` }
    const ran = await run(table(text, link), [...command, "--limit", "2", "--after", "a9"])
    assert.deepStrictEqual([ran.data, ran.errors], [text, "More entries follow: --after b1\n"])
    assert.deepStrictEqual(ran.queries, ["limit=2&after=a9"])
  })

  it("writes a whole page, which is the largest --limit", async () => {
    const ran = await run(table(text), [...command, "--limit", "100"])
    assert.deepStrictEqual([ran.code, ran.data, ran.queries], [0, text, ["limit=100"]])
  })

  for (
    const [args, words] of [[["--limit", "101"], "up to 100"], [
      ["--json"],
      "Give either --json or --csv"
    ]] as const
  ) {
    it(`is refused with ${args[0]}${args[1] === undefined ? "" : " above a page"}: exit 2`, async () => {
      const { code, queries, errors } = await run(table(text), [...command, ...args])
      assert.deepStrictEqual([code, queries], [2, []])
      assert.include(errors, words)
    })
  }

  it("writes nothing that a terminal acts on to a terminal", async () => {
    const { data } = await run(table(text), command, { columns: 80 })
    assert.strictEqual(data, text.replace("\u001b", "\\u001b"))
  })

  it("fails when the list breaks off, or does not go on", async () => {
    const startAnswer = (response: Parameters<FakeService.Handler>[1]) =>
      response.writeHead(200, { "content-type": "text/csv; charset=utf-8" }).write(text)
    const interruption = await run((_, response) => {
      startAnswer(response)
      setTimeout(() => response.destroy(), 50)
    }, command)
    assert.deepStrictEqual([interruption.code, interruption.data], [3, text])
    assert.include(interruption.errors, "The list broke off: what was written is incomplete")
    const stuck = await run((_, response) => void startAnswer(response), [...command, "--timeout", "0.2"])
    assert.deepStrictEqual([stuck.code, stuck.data], [3, text])
    assert.include(stuck.errors, "No more of the list has arrived for 200ms")
  })

  it("fails when the service writes no CSV, or refuses", async () => {
    const ran = await run(businesses(1), command)
    assert.deepStrictEqual([ran.code, ran.data], [3, ""])
    assert.include(ran.errors, "does not write this list as CSV")
    const refusal = await run(FakeService.problem(403, { detail: "not yours" }), command)
    assert.deepStrictEqual([refusal.code, refusal.data], [1, ""])
    assert.include(refusal.errors, "not yours")
  })
})

describe("a question", () => {
  const paths: Array<string> = []
  const handler: FakeService.Handler = (request, response) => {
    if (request.method === "GET") return FakeService.json(endpoint())(request, response)
    paths.push(request.method)
    response.writeHead(204).end()
  }
  const remove = async (input: RunInput, ...more: ReadonlyArray<string>) => {
    paths.length = 0
    const { code, data, errors } = await run(handler, ["webhook", "delete", "1", ...more], input)
    assert.strictEqual(data, "")
    return { code, errors, deleted: [...paths] }
  }

  it("is asked at a terminal before something is deleted, and names it", async () => {
    const { code, deleted, errors } = await remove({ keystrokes: "y" })
    assert.deepStrictEqual([code, deleted], [0, ["DELETE"]], errors)
    assert.include(errors, "Delete webhook endpoint 1 (acme, https://acme.example)")
    assert.include(errors, "Deleted webhook endpoint 1.")
  })

  for (const [key, name] of [["n", "n"], ["\r", "Enter alone"]] as const) {
    it(`is answered with no by ${name}: exit 130, and nothing is deleted`, async () => {
      const { code, deleted, errors } = await remove({ keystrokes: key })
      assert.deepStrictEqual([code, deleted], [130, []])
      assert.include(errors, "Nothing was changed.")
    })
  }

  it("is left with Ctrl-C: exit 130, and nothing is deleted", async () => {
    const { code, deleted } = await remove({ keystrokes: "" })
    assert.deepStrictEqual([code, deleted], [130, []])
  })

  it("cannot be asked without a terminal: exit 2, and nothing is deleted", async () => {
    const { code, deleted, errors } = await remove({})
    assert.deepStrictEqual([code, deleted], [2, []])
    assert.include(errors, "give --yes")
  })

  it("is not asked with --yes", async () => {
    const { code, deleted, errors } = await remove({}, "--yes")
    assert.deepStrictEqual([code, deleted, errors], [0, ["DELETE"], "Deleted webhook endpoint 1.\n"])
  })
})
