/** `dockline edi` and `dockline edi-partner`: sending files, watching a folder, and managing partners. */
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { vault } from "../../../../test/http/operator/Operator.ts"
import { test } from "../../../../test/support/Tests.ts"
import { layerMemory, TestServer, unique } from "../../../../test/support/TestServer.ts"
import * as FakeService from "../../../cli/test/FakeService.ts"
import { columnsOf, commands, customer, dockline, folder } from "../../../cli/test/Operating.ts"
import { runLine } from "../../../cli/test/Running.ts"
import { env } from "../../../cli/test/Showing.ts"
import { aPartner, notice } from "../rest/X12.ts"

const names = (path: string): ReadonlyArray<string> =>
  readdirSync(path).filter((name) => !name.startsWith(".")).toSorted()

/** Stores an interchange for a partner, as the worker for partners would. */
const tell = Effect.fnUntraced(function*(
  partner: string,
  text: string,
  outcome: "REJECTED" | "WAITING" = "WAITING"
) {
  const { portOf } = yield* TestServer
  const edi = portOf(EdiStore)
  const sets = [{
    kind: "944",
    control: "0001",
    group: "RE",
    groupControl: "7",
    outcome,
    number: "PO-1",
    shipmentId: "1",
    faults: []
  }]
  const file = {
    direction: "OUT" as const,
    control: "000000007",
    outcome,
    sets,
    faults: [],
    text,
    answer: ""
  }
  const row = yield* edi.find({ business: "acme", partner })
  const id = yield* edi.transact(
    row!,
    {},
    ({ partner: { cursorId, nextGroup, nextInterchange } }) =>
      Result.succeed({
        plan: { cursorId, nextGroup, nextInterchange, file },
        answer: (file) => String(file?.id)
      })
  )
  return id ?? ""
})

const place = { slug: "acme", name: "Acme" }

const file = {
  id: "9",
  direction: "OUT",
  business: place,
  facility: place,
  partner: "a",
  control: "000000007",
  at: "2026-11-20T17:00:00.000Z",
  outcome: "ACCEPTED"
}

/** Answers that a file was accepted. */
const handler = FakeService.json({ files: [{ ...file, sets: [], faults: [], text: "", answer: "" }] })

/**
 * Watches a folder once, with a service whose outbox has the file 9 and has dropped the files up to 5; returns its output and the files
 * that it sent.
 */
const watchFake = (
  path: string,
  answer: FakeService.Handler,
  business = "acme",
  partner = ""
) =>
  Effect.promise(async () => {
    await using service = await FakeService.serve((request, response) => {
      if (request.method === "POST") return answer(request, response)
      const after = Number(new URL(request.path, "http://any").searchParams.get("after"))
      return (after > 0 && after < 5
        ? FakeService.problem(410, { code: "HISTORY_EXPIRED", droppedId: 5 })
        : after > 9
        ? FakeService.problem(409, { code: "CURSOR_AHEAD", newestId: 9 })
        : FakeService.json({
          items: after < 9 ? [{ ...file, kinds: ["945"], text: "ISA*9" }] : [],
          next: null
        }))(request, response)
    })
    const command = ["edi", "watch", path, "--once", "--business", business]
    const ran = await runLine(partner === "" ? command : [...command, "--partner", partner], {
      env: env(service.url)
    })
    return {
      ...ran,
      sent: service.requests.filter(({ method }) => method === "POST").map(({ body }) => body)
    }
  })

test("the argument of edi show is a file", function*() {
  const { data } = yield* Effect.promise(() => runLine(["edi", "show", "--help"]))
  assert.match(data, /ARGUMENTS\s+file string/)
})

commands(layerMemory({ vault }), (command) => {
  command("send shows what became of each set, and fails where one was rejected", function*() {
    const path = yield* folder
    const { id, slug } = yield* aPartner()
    const [number, lpn] = [unique("ASN"), unique("L")]
    const file = join(path, "notice.edi")
    writeFileSync(file, notice(id, number, lpn))
    const run = yield* dockline(["edi", "send", file], customer)
    assert.deepStrictEqual([run.code, run.errors], [0, ""])
    assert.match(columnsOf(run.data), /^CONTROL +PARTNER +SET +NUMBER +OUTCOME +SHIPMENT ID$/)
    assert.match(run.data, new RegExp(`${slug} +856 +${number} +ACCEPTED`))
    const wrong = join(path, "wrong.edi")
    writeFileSync(wrong, notice(id, unique("ASN"), unique("L")).replace("SN1**5", "SN1**five"))
    const rejection = yield* dockline(["edi", "send", file, wrong], customer)
    assert.strictEqual(rejection.code, 1)
    assert.include(
      rejection.errors,
      `${wrong}: set 856 0001: Segment 12 (SN1, 10 of its set), element 2: a number is expected.`
    )
    assert.include(rejection.errors, "dockline: Some sets were rejected")
    writeFileSync(wrong, "no X12")
    const refusal = yield* dockline(["edi", "send", wrong], customer)
    assert.deepStrictEqual([refusal.code, refusal.data], [1, ""])
    assert.include(refusal.errors, "an interchange begins with ISA")
    const { files: [record] } = JSON.parse((yield* dockline(["edi", "send", file, "--json"], customer)).data)
    assert.include(record.answer, "AK5*A")
    const result = yield* dockline(["edi", "show", record.id], customer)
    assert.strictEqual(result.code, 0, result.errors)
    assert.include(result.data, `856 ${number} ACCEPTED`)
  })

  command("watch sends each file once, and writes what comes back and what is to be sent", function*() {
    const path = yield* folder
    const { id, slug } = yield* aPartner()
    const text = notice(id, unique("ASN"), unique("L"))
    writeFileSync(join(path, "a.edi"), text)
    writeFileSync(join(path, "b.edi"), "no X12")
    writeFileSync(
      join(path, "c.edi"),
      notice(id, unique("ASN"), unique("L")).replace("SN1**5", "SN1**five")
    )
    writeFileSync(join(path, ".d.part"), "is being written")
    const first = yield* tell(slug, "ISA*first")
    const watch = () =>
      dockline(["edi", "watch", path, "--business", "acme", "--partner", slug, "--once"], customer)
    const { code, errors } = yield* watch()
    assert.strictEqual(code, 0, errors)
    assert.deepStrictEqual(names(path), ["in", "refused", "sent"])
    assert.deepStrictEqual(names(join(path, "sent")), ["a.edi"])
    assert.strictEqual(readFileSync(join(path, "sent/a.edi"), "utf8"), text)
    assert.deepStrictEqual(names(join(path, "refused")), ["b.edi", "b.edi.txt", "c.edi", "c.edi.txt"])
    assert.include(readFileSync(join(path, "refused/b.edi.txt"), "utf8"), "begins with ISA")
    assert.include(readFileSync(join(path, "refused/c.edi.txt"), "utf8"), "a number is expected")
    const came = names(join(path, "in"))
    assert.strictEqual(came.filter((name) => name.endsWith("-997.edi")).length, 2)
    assert.include(came, `${first}-${slug}-944.edi`)
    assert.strictEqual(readFileSync(join(path, `in/${first}-${slug}-944.edi`), "utf8"), "ISA*first")
    // Fetched interchanges are not fetched again, and a repeated file gets the same answer.
    rmSync(join(path, `in/${first}-${slug}-944.edi`))
    const next = yield* tell(slug, "ISA*second")
    writeFileSync(join(path, "a.edi"), text)
    yield* watch()
    assert.deepStrictEqual(names(join(path, "sent")), ["a.2.edi", "a.edi"])
    assert.isFalse(existsSync(join(path, `in/${first}-${slug}-944.edi`)))
    assert.strictEqual(readFileSync(join(path, `in/${next}-${slug}-944.edi`), "utf8"), "ISA*second")
    assert.strictEqual(names(join(path, "in")).filter((name) => name.endsWith("-997.edi")).length, 2)
    const nowhere = yield* dockline(["edi", "watch", join(path, "nowhere")], customer)
    assert.strictEqual(nowhere.code, 2)
    const forbidden = yield* dockline(["edi", "watch", path, "--business", "globex", "--once"], customer)
    assert.strictEqual(forbidden.code, 1)
    assert.include(forbidden.errors, "403 Forbidden")
  })

  command(
    "watch leaves what it cannot read or may not send, says so, and goes on with the rest",
    function*() {
      const path = yield* folder
      for (const [name, text] of [["b.edi", "forbidden"], ["c.edi", ""], ["d.edi", ""]] as const) {
        writeFileSync(join(path, name), text)
      }
      symlinkSync(join(path, "nothing"), join(path, "a.edi"))
      const { code, errors, sent } = yield* watchFake(path, (request, response) => {
        const { body } = request
        // The third is removed while the first is sent.
        rmSync(join(path, "c.edi"), { force: true })
        return (body === "forbidden" ? FakeService.problem(403, { detail: "May not" }) : handler)(
          request,
          response
        )
      })
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(sent, ["forbidden", ""])
      const lines = errors.trimEnd().split("\n")
      assert.match(lines[0]!, /^Left a\.edi: .*stat/)
      assert.deepStrictEqual(lines.slice(1, 3), ["Wrote in/9-a-945.edi", "Left b.edi: May not (403)"])
      assert.match(lines[3]!, /^Left c\.edi: .*readFile/)
      assert.deepStrictEqual(lines.slice(4), [
        "Sent d.edi: ACCEPTED",
        `dockline: Not every file was sent: 2 left in ${path}`
      ])
      assert.deepStrictEqual(names(path), ["a.edi", "b.edi", "in", "refused", "sent"])
    }
  )

  command("watch does not move a file that grows while it is sent, and sends it again", function*() {
    const path = yield* folder
    for (const name of ["a.edi", "b.edi"]) writeFileSync(join(path, name), `${name[0]}1`)
    const bad = FakeService.problem(400, { detail: "Not whole" })
    const { code, errors, sent } = yield* watchFake(path, (request, response) => {
      const { body } = request
      if (body.length === 2) appendFileSync(join(path, `${body[0]}.edi`), "2")
      return (body === "b1" ? bad : handler)(request, response)
    })
    assert.deepStrictEqual([code, sent], [0, ["a1", "b1", "a12", "b12"]], errors)
    assert.deepStrictEqual(names(join(path, "sent")), ["a.edi", "b.edi"])
    assert.strictEqual(readFileSync(join(path, "sent/b.edi"), "utf8"), "b12")
    assert.deepStrictEqual(names(join(path, "refused")), [])
  })

  command("watch goes on after what was dropped by age or lost, and notes each outbox apart", function*() {
    const path = yield* folder
    const { code, errors } = yield* watchFake(path, handler)
    assert.strictEqual(code, 0, errors)
    const textIn = (name: string) => readFileSync(join(path, "in", name), "utf8")
    assert.strictEqual(textIn(".outbox.acme"), "9")
    writeFileSync(join(path, "in/.outbox.acme"), "1")
    rmSync(join(path, "in/9-a-945.edi"))
    const again = yield* watchFake(path, handler)
    assert.strictEqual(again.code, 0, again.errors)
    assert.match(again.errors, /^Interchanges up to id 5 were dropped by age .*\nWrote in\/9-a-945\.edi\n$/)
    assert.strictEqual(textIn(".outbox.acme"), "9")
    writeFileSync(join(path, "in/.outbox.acme"), "12")
    const run = yield* watchFake(path, handler)
    assert.strictEqual(run.code, 0, run.errors)
    assert.match(run.errors, /^The service has no interchange after id 9, though id 12 was fetched: .*\n$/)
    assert.strictEqual(textIn(".outbox.acme"), "9")
    yield* watchFake(path, handler, "acme-b")
    yield* watchFake(path, handler, "acme", "b")
    assert.deepStrictEqual(
      readdirSync(join(path, "in")).filter((name) => name.startsWith(".")).toSorted(),
      [".outbox.acme", ".outbox.acme-b", ".outbox.acme.b"]
    )
  })

  command("resend has what a partner rejected sent again, and says why nothing else is", function*() {
    const { slug } = yield* aPartner()
    const waiting = yield* tell(slug, "ISA*")
    const refusal = yield* dockline(["edi", "resend", "acme", waiting])
    assert.strictEqual(refusal.code, 1)
    assert.include(
      refusal.errors,
      `file ${waiting} is not sent again, as its partner has rejected none of its sets`
    )
    const id = yield* tell(slug, "ISA*", "REJECTED")
    const resent = yield* dockline(["edi", "resend", "acme", id])
    assert.deepStrictEqual([resent.code, resent.errors], [
      0,
      `What was rejected of file ${id} is sent again.\n`
    ])
    const edi = (yield* TestServer).portOf(EdiStore)
    assert.deepStrictEqual((yield* edi.find({ business: "acme", partner: slug }))!.due, [Number(id)])
  })

  command("partners are made, changed and deleted", function*() {
    const slug = unique("depositor")
    const id = unique("D").toUpperCase()
    const create = ["edi-partner", "create", "acme", slug, "--facility", "east", "--name", "Depositor"]
    const result = yield* dockline([
      ...create,
      "--theirs",
      `01/${id}/DEPOSITOR`,
      "--ours",
      "ZZ/WAREHOUSE",
      "--takes",
      "940",
      "--tells",
      "945",
      "--usage",
      "T",
      "--next-control",
      "4712",
      "--json"
    ])
    assert.strictEqual(result.code, 0, result.errors)
    const partner = JSON.parse(result.data)
    assert.deepStrictEqual(partner.theirs, { qualifier: "01", id, group: "DEPOSITOR" })
    assert.deepStrictEqual([partner.takes, partner.tells, partner.nextInterchange], [
      ["940"],
      ["945"],
      4712
    ])
    const update = yield* dockline(["edi-partner", "update", "acme", slug, "--usage", "P", "--json"])
    assert.deepStrictEqual(JSON.parse(update.data), { ...partner, usage: "P" })
    const wrong = yield* dockline(["edi-partner", "update", "acme", slug, "--theirs", "DEPOSITOR"])
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.errors, "--theirs: must be written as QUALIFIER/ID")
    const removal = yield* dockline(["edi-partner", "delete", "acme", slug, "--yes"])
    assert.deepStrictEqual([removal.code, removal.errors], [0, `Deleted EDI partner ${slug}.\n`])
    assert.strictEqual((yield* dockline(["edi-partner", "show", "acme", slug])).code, 1)
  })
})
