/** Tests of the harness itself: correct guides pass, and each faulty guide fails for its own reason. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import * as Block from "./Block.ts"
import * as Diagram from "./Diagram.ts"
import * as Expectation from "./Expectation.ts"
import * as Project from "./Project.ts"
import { run } from "./Run.ts"

const fence = "```"

/** A page of blocks: each with the text after its fence, and its lines. */
const page = (...blocks: ReadonlyArray<readonly [info: string, ...lines: ReadonlyArray<string>]>): string =>
  blocks.map(([info, ...lines]) => [`${fence}${info}`, ...lines, fence].join("\n")).join("\n\nThen:\n\n")

const same = (text: string): string => text

/** Runs a page as a guide; returns its fault, or nothing. */
const faultOf = async (markdown: string): Promise<string | undefined> => {
  const projects = Project.make([Block.read("page.md", markdown)], () => same)
  try {
    const guide = Block.read("page.md", markdown)
    await run(guide, {
      folder: projects.folderOf(guide),
      printed: new Map(),
      servers: new Map(),
      services: { port: 1, databaseUrl: "postgres://nobody@127.0.0.1:1/none" },
      substitute: same
    })
    return undefined
  } catch (error) {
    assert.instanceOf(error, Block.Fault)
    return error.message
  } finally {
    projects.remove()
  }
}

const passes = async (markdown: string): Promise<void> => assert.isUndefined(await faultOf(markdown))

const fails = async (markdown: string, reason: RegExp): Promise<void> =>
  assert.match(await faultOf(markdown) ?? "no fault", reason)

describe("reading a guide", () => {
  const refused = (markdown: string, reason: RegExp) =>
    assert.throws(() => Block.read("page.md", markdown), reason)

  it("refuses a kind that no test knows, and none at all", () => {
    refused(page(["ruby", "print(1)"]), /page.md:1: no test knows blocks of the kind "ruby"/)
    refused(page(["", "text"]), /no test knows/)
  })

  it("refuses what it would otherwise not see: other fences, open ones, options it does not know", () => {
    refused(`- a list\n  ${fence}sh\n  ls\n  ${fence}`, /page.md:2: a fence is three backticks/)
    refused("~~~sh\nls\n~~~", /a fence is three backticks/)
    refused("````sh\nls\n````", /a fence is three backticks/)
    refused(`${fence}sh\nls`, /page.md:1: the block is not closed/)
    refused(page(["sh skip", "ls"]), /"skip" means nothing/)
  })

  it("refuses blocks that show nothing, files shown twice or outside of the project", () => {
    refused(page(["text", "…"]), /the block shows nothing/)
    refused(page(["ts", "// a.ts"], ["ts", "// a.ts"]), /page.md:7: a.ts is shown twice/)
    refused(page(["ts", "// ../a.ts"]), /outside of the project/)
  })
})

describe("comparing", () => {
  const differs = (difference: Expectation.Difference) => assert.isDefined(difference)
  const agrees = (difference: Expectation.Difference) => assert.isUndefined(difference)

  it("takes text to the letter, but for times, … and white space at the ends", () => {
    agrees(Expectation.text("a (b)\nc", "\na (b)  \nc\n"))
    differs(Expectation.text("a.c", "abc"))
    differs(Expectation.text("a", "a\nb"))
    differs(Expectation.text("a\nb", "a"))
    differs(Expectation.text("b", "ab"))
    agrees(Expectation.text("a … c", "a b b c"))
    differs(Expectation.text("a … c", "a b\nb c"))
    agrees(Expectation.text("a\n…\nc", "a\nb\nb\nc"))
    agrees(Expectation.text("at 2026-01-01T00:00:00.000Z", "at 2026-11-20T17:00:01Z"))
    differs(Expectation.text("at 2026-01-01T00:00:00.000Z", "at noon"))
    agrees(Expectation.text("green", "\u001b[32mgreen\u001b[0m"))
  })

  it("takes JSON to the letter, but for times and …", () => {
    agrees(Expectation.json("{\"a\": [1, \"x\"]}", "{\"a\":[1,\"x\"]}"))
    differs(Expectation.json("{\"a\": 1}", "{\"a\":1,\"b\":2}"))
    differs(Expectation.json("{\"a\": 1, \"b\": 2}", "{\"a\":1}"))
    differs(Expectation.json("{\"a\": 1}", "{\"a\":\"1\"}"))
    differs(Expectation.json("[1]", "[1,2]"))
    agrees(Expectation.json("{\"a\": 1, \"…\": \"…\"}", "{\"a\":1,\"b\":2}"))
    differs(Expectation.json("{\"a\": 1, \"…\": \"…\"}", "{\"b\":2}"))
    agrees(Expectation.json("[1, \"…\"]", "[1,2,3]"))
    differs(Expectation.json("[1, \"…\"]", "[2]"))
    agrees(Expectation.json("{\"id\": \"…\", \"key\": \"k_…\"}", "{\"id\":7,\"key\":\"k_1\"}"))
    differs(Expectation.json("{\"key\": \"k_…\"}", "{\"key\":\"x_1\"}"))
    agrees(Expectation.json("\"2026-01-01T00:00:00Z\"", "\"2026-11-20T17:00:00.000Z\""))
    agrees(Expectation.json("{\"id\": \"…\"}", "{\"id\":null}"))
    differs(Expectation.json("{\"id\": \"…\"}", "{}"))
    differs(Expectation.json("{\"id\": \"…\", \"…\": \"…\"}", "{\"other\":1}"))
    differs(Expectation.json("{}", "no JSON"))
    differs(Expectation.json("no JSON", "{}"))
  })

  it("takes XML to the letter, but for white space between elements", () => {
    agrees(Expectation.xml("<a>\n  <b>1</b>\n  …\n</a>", "<a><b>1</b><c>2</c></a>"))
    differs(Expectation.xml("<a><b>1</b></a>", "<a><b>2</b></a>"))
  })
})

describe("commands", () => {
  it("fail on a refused request, unless it is shown what comes", async () => {
    const server = createServer((_, response) => response.writeHead(403).end("no"))
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = server.address() as AddressInfo
    const ask = ["sh", `curl -sS http://127.0.0.1:${port}/`] as const
    await fails(page(ask), /it ends with 22/)
    await passes(page(ask, ["text", "no"]))
    server.close()
  })

  it("in a terminal must not have ended badly by the end of the guide", () =>
    fails(
      page(["sh terminal=one", "echo up", "while ! [ -e go ]; do sleep 0.05; done", "touch gone", "exit 3"], [
        "text",
        "up"
      ], ["sh", "touch go", "while ! [ -e gone ]; do sleep 0.05; done", "sleep 0.2"]),
      /terminal "one" has ended with 3/
    ))

  it("fail with any command that fails", () =>
    fails(page(["sh", "false", "echo done"]), /page.md:1: it ends with 1/))

  it("fail on other output than is shown", () =>
    fails(page(["sh", "echo one"], ["text", "two"]), /page.md:7: it shows\ntwo\nbut this comes\none/))
})

describe("programs", () => {
  it("are run, and print what they say they print", async () => {
    await passes(page(["ts", "const a: number = 1", "console.log(a + 1) // prints 2"]))
    await fails(page(["ts", "console.log(1) // prints 2"]), /page.md:1: it shows\n2\nbut this comes\n1/)
    await fails(page(["ts", "console.log(1)"]), /but this comes\n1/)
    await fails(page(["ts", "throw new Error('no')"]), /it ends with 1/)
  })

  it("are not run by being mentioned, imported as a type, or importing each other", async () => {
    const failing = ["ts", "// src/part.ts", "throw new Error('ran')", "export type A = 1"] as const
    await fails(
      page(failing, ["sh", "cat src/part.ts", "echo node src/part.tsx"], ["text", "…", "…x"]),
      /ran/
    )
    const typed = [
      "ts",
      "// src/main.ts",
      "import type { A } from \"./part.ts\"",
      "export const a: A = 1"
    ] as const
    await fails(page(failing, typed), /page.md:1: it ends with 1/)
    const one = ["ts", "// one.ts", "import \"./two.ts\""] as const
    await fails(page(one, ["ts", "// two.ts", "import \"./one.ts\""]), /page.md:1: nothing runs it/)
  })

  it("have right types", async () => {
    const guides = [
      Block.read("good.md", page(["ts", "export const a: number = 1"])),
      Block.read("bad.md", page(["ts", "// src/bad.ts", "export const a: number = \"one\""])),
      Block.read("missing.md", page(["ts", "export * from \"@dockline/core/Nothing\""]))
    ]
    const projects = Project.make(guides, () => same)
    try {
      const errors = await Project.typeErrors(projects)
      assert.deepStrictEqual(errors.map((line) => /^([\w/-]+)\S*: error (TS\d+)/.exec(line)?.slice(1)), [
        ["bad-md/src/bad", "TS2322"],
        ["missing-md/block-1", "TS2307"]
      ])
    } finally {
      projects.remove()
    }
  })
})

describe("what is shown", () => {
  it("fails when nothing was run before it", async () => {
    await fails(page(["json", "{}"]), /page.md:1: nothing before it was run/)
    await fails(page(["text", "x"]), /nothing before it was run/)
    await fails(page(["sh", "echo 1"], ["text", "1"], ["text", "1"]), /page.md:13: nothing before it was run/)
  })

  it("as a diagram must be one", async () => {
    await passes(page(["mermaid", "flowchart LR", "a --> b"]))
    await fails(page(["mermaid", "anything"]), /it is no flow chart/)
    assert.isUndefined(Diagram.fault("flowchart TD\n  a[(\"x<br>y\")] -->|\"z\"| b[\"c\"] --> d\n"))
    assert.match(Diagram.fault("flowchart LR\n  a[\"x\"]") ?? "", /no arrow/)
    for (const line of ["a --> ", "a[\"x\" --> b", "a -> b", "a[x] --> b", "a --> b c"]) {
      assert.match(Diagram.fault(`flowchart LR\n  x --> y\n  ${line}`) ?? "", /no line of a flow chart/, line)
    }
  })
})
