/** `--help` of every command, and what a command line that is none is told. */
import { assert, describe, it } from "vitest"
import { commands } from "../src/CommandLine.ts"
import * as FakeService from "./FakeService.ts"
import { runLine, words } from "./Running.ts"

const verbs = commands.flatMap((noun) =>
  noun.subcommands.flatMap((group) => group.commands.map((verb) => ({ path: [noun.name, verb.name], verb })))
)

/** Files and folders that examples name. */
const files = new Set([
  "list.csv",
  "list.xlsx",
  "mailbox",
  "map.json",
  "mapping.json",
  "new-password.txt",
  "notice.edi",
  "order.json",
  "order.xml"
])

/** What a shell puts in the place of what examples ask it for. A time that is written out would be refused when it is old (D21.2). */
const shellOf = (command: string): string => {
  assert.notMatch(command, /--at 20/)
  return command.replaceAll("\"$(date -u +%FT%TZ)\"", new Date().toISOString())
}

describe("--help", () => {
  for (const { path, verb } of verbs) {
    it(`of ${path.join(" ")} says what it does, with an example that parses`, async () => {
      assert.isNotEmpty(verb.description)
      assert.isNotEmpty(verb.examples)
      await using service = await FakeService.serve(FakeService.nothingThere)
      for (const { command } of verb.examples) {
        const [program, ...args] = words(shellOf(command))
        assert.deepStrictEqual([program, ...args.slice(0, 2)], ["dockline", ...path])
        if (args.some((word) => files.has(word))) continue
        const { code, errors } = await runLine(args, {
          env: { DOCKLINE_URL: service.url, DOCKLINE_CLIENT_ID: "me", DOCKLINE_CLIENT_SECRET: "s" },
          keystrokes: "password\r"
        })
        assert.strictEqual(code, 1, command)
        // The service was asked, or the receiver in the example, so the line was understood.
        assert.match(
          errors,
          /dockline: (?:This service does not have .*|The receiver did not pass.*)\n/
        )
      }
    })
  }
})

describe("an argument", () => {
  for (
    const [noun, thing] of [["business", "business"], ["shipment", "shipment"]] as const
  ) {
    it(`of ${noun} show is a ${thing}`, async () => {
      const { data } = await runLine([noun, "show", "--help"])
      assert.match(data, new RegExp(`ARGUMENTS\\s+${thing} string`))
    })
  }
})

describe("an operator's write", () => {
  for (const args of [["business", "create", "acme", "Acme"], ["client", "enable", "wms"]]) {
    it(`${args.slice(0, 2).join(" ")} takes no idempotency key`, async () => {
      const { code, errors } = await runLine([...args, "--idempotency-key", "once"])
      assert.strictEqual(code, 2)
      assert.include(errors, "--idempotency-key")
    })
  }
})

describe("words of capabilities that the command line does not know", () => {
  it("are shown as they come", async () => {
    const entry = {
      id: "1",
      at: "2026-11-29T00:00:00.000+00:00",
      clientId: "desk",
      details: {},
      address: "",
      business: "acme"
    }
    await using service = await FakeService.serve(
      FakeService.json({ items: [{ ...entry, action: "PHOTOS_DROPPED", subject: "photos/1" }], next: null })
    )
    const { code, data, errors } = await runLine(["audit", "list"], {
      env: { DOCKLINE_URL: service.url, DOCKLINE_CLIENT_ID: "me", DOCKLINE_CLIENT_SECRET: "s" }
    })
    assert.strictEqual(code, 0, errors)
    assert.include(data, "PHOTOS_DROPPED")
  })
})

describe("a command of one word", () => {
  for (
    const { description, examples, name } of commands.filter(({ subcommands }) => subcommands.length === 0)
  ) {
    it(`${name} says what it does, with an example`, () => {
      assert.isNotEmpty(description)
      assert.match(examples[0]!.command, new RegExp(`^dockline ${name}(?: |$)`))
    })
  }
})

describe("a command line that is none: exit 2, on standard error", () => {
  for (
    const [args, words] of [
      [[], "SUBCOMMANDS"],
      [["webhook"], "rotate-secret"],
      [["bogus"], "Unknown subcommand \"bogus\""],
      [["business", "remove", "acme"], "Unknown subcommand \"remove\""],
      [["business", "show"], "Missing required argument"],
      [["business", "show", "acme", "globex"], "globex"],
      [["business", "show", ""], "must not be empty"],
      [["business", "show", ".."], "must not be empty"],
      [["business", "create", "acme"], "--name"],
      [["business", "list", "--limits", "1"], "--limit"],
      [["client", "grant", "c"], "Name its permissions"],
      [
        ["client", "create", "--name", "x", "--grant", "acme"],
        "flag --grant: \"acme\". Expected: business=permission,… or"
      ],
      [["webhook", "update", "1"], "Say what to change"],
      [["webhook", "create", "acme", "--base-url", "https://a.example"], "--auth"],
      [["webhook", "create", "acme", "--base-url", "https://a.example", "--auth", "oauth"], "none"],
      [["delivery", "replay-range", "1", "--from-id", "1", "--to", "2026-01-01T00:00:00Z"], "Give the range"],
      [
        ["delivery", "replay-range", "1", "--from", "yesterday"],
        "must be a date and time as in RFC 3339, such as 2026-"
      ],
      [["audit", "list", "--from", "yesterday"], "must be a date and time as in RFC 3339, such as 2026-"],
      [["delivery", "list", "1", "--status", "LOST"], "PENDING"],
      [["shipment", "watch"], "shipment"],
      [["shipment", "watch", ...Array.from({ length: 21 }, (_, id) => String(id))], "20"],
      [["shipment", "watch", "1", "--interval", "0"], "must be a number of seconds from 0.1 to 3600"],
      [["shipment", "list", "--status", "LOST"], "ARRIVED"],
      [["message", "tail", "acme", "--after", "-1"], "must be the id of a message, or 0"],
      [["message", "tail", "acme", "--limit", "0"], "must be a whole number above 0"],
      [["document", "send", "order.txt"], "--type json or --type xml"],
      [["document", "send", "none.json"], "none.json cannot be read"],
      [["document", "send", "order.json", "--type", "edi"], "xml"]
    ] as ReadonlyArray<readonly [ReadonlyArray<string>, string]>
  ) {
    it(args.join(" ") || "(nothing)", async () => {
      const { code, data, errors } = await runLine(args, { env: {} })
      assert.deepStrictEqual([code, data], [2, ""], errors)
      assert.include(errors, words)
    })
  }
})
