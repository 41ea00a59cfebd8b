/** D26.4: e-mails over SMTP, on a real socket. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { SMTPServerOptions } from "smtp-server"
import { forHost } from "../../../../test/support/Certificate.ts"
import { Mail, smtp, smtpUrlFault } from "../../src/send/Mail.ts"
import type { MailDraft } from "../../src/send/Mail.ts"
import * as MailServer from "./MailServer.ts"

const draft: MailDraft = {
  id: "5f0c8e0e-7d0b-4e6f-9a56-0a4b8f6d2c11",
  to: ["shift@example.com"],
  subject: "[acme/east] Urgent problem: shipment Größe 🚚",
  text: "Urgent problem\nPallet 12 ä 🚚\nhttps://dashboard.example.com/shipments/12\n"
}

const send = (url: string, fields: Partial<MailDraft> = {}) =>
  Mail.use((mail) => mail.send({ ...draft, ...fields })).pipe(
    Effect.provide(smtp({ url: Redacted.make(url), from: "Dockline <alerts@example.com>" }))
  )

it.live("an e-mail has its id, its subject and its text, and is no answer to anything", () =>
  Effect.scoped(Effect.gen(function*() {
    const { mailsFor, port } = yield* MailServer.make()
    const to = ["shift@example.com", "lead@example.com"]
    assert.deepStrictEqual(yield* send(`smtp://127.0.0.1:${port}`, { to }), [])
    const [mail, ...others] = mailsFor("lead@example.com")
    assert.lengthOf(others, 0)
    assert.deepStrictEqual(mail!.to, to)
    assert.strictEqual(mail!.headers.get("message-id"), `<${draft.id}@example.com>`)
    assert.strictEqual(mail!.headers.get("from"), "Dockline <alerts@example.com>")
    assert.strictEqual(mail!.headers.get("auto-submitted"), "auto-generated")
    assert.match(mail!.headers.get("subject") ?? "", /^=\?UTF-8\?/)
    assert.strictEqual(mail!.text.trimEnd(), draft.text.trimEnd())
  })))

it.live("a text in a subject begins no header", () =>
  Effect.scoped(Effect.gen(function*() {
    const { mailsFor, port } = yield* MailServer.make()
    yield* send(`smtp://127.0.0.1:${port}`, { subject: "A\r\nBcc: victim@example.com\r\n\r\nB" })
    const [mail] = mailsFor("shift@example.com")
    assert.isFalse(mail!.headers.has("bcc"))
    assert.deepStrictEqual(mailsFor("victim@example.com"), [])
  })))

it.live("an address that is refused is told; where all are, the failure is final if the server says so", () =>
  Effect.scoped(Effect.gen(function*() {
    const answer: MailServer.Answer = (address) => {
      if (address.startsWith("gone")) return { code: 550, text: "no such user" }
      return address.startsWith("full") ? { code: 452, text: "mailbox full" } : undefined
    }
    const { mailsFor, port } = yield* MailServer.make({ answer })
    const url = `smtp://127.0.0.1:${port}`
    const nobody = "gone@example.com"
    assert.deepStrictEqual(yield* send(url, { to: ["shift@example.com", nobody] }), [nobody])
    assert.lengthOf(mailsFor("shift@example.com"), 1)
    const final = yield* Effect.flip(send(url, { to: [nobody] }))
    assert.isTrue(final.isFinal)
    assert.include(final.reason, "no such user")
    const passing = yield* Effect.flip(send(url, { to: ["full@example.com"] }))
    assert.isFalse(passing.isFinal)
  })))

it.live("a wrong password, a server that is away and a certificate of nobody may be mended; no reason has the password", () =>
  Effect.scoped(Effect.gen(function*() {
    const password = "p:ss/wörd"
    const { cert, key } = forHost("localhost")
    const onAuth: NonNullable<SMTPServerOptions["onAuth"]> = ({ password: word, username }, _, done) =>
      username === "u" && word === password
        ? done(null, { user: "u" })
        : done(new Error(`not ${word}`))
    const { mailsFor, port } = yield* MailServer.make({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth
    })
    yield* send(`smtp://u:${encodeURIComponent(password)}@127.0.0.1:${port}`)
    assert.lengthOf(mailsFor("shift@example.com"), 1)
    const secure = yield* MailServer.make({ secure: true, cert, key })
    const failures = [
      yield* Effect.flip(send(`smtp://u:other-word@127.0.0.1:${port}`)),
      yield* Effect.flip(send("smtp://u:other-word@127.0.0.1:1")),
      yield* Effect.flip(send(`smtps://u:other-word@localhost:${secure.port}`))
    ]
    for (const { isFinal, reason } of failures) {
      assert.isFalse(isFinal)
      assert.notInclude(reason, "other-word")
    }
    assert.match(failures[2]!.reason, /certificate|self.signed/i)
  })))

it("the address of a mail server is smtp or smtps", () => {
  for (const url of ["smtps://u:p@mail.example.com", "smtp://localhost:25", "smtp://[::1]:587"]) {
    assert.isUndefined(smtpUrlFault(url), url)
  }
  for (
    const url of [
      "",
      "mail.example.com",
      "https://mail.example.com",
      "smtp://",
      "smtps://u:100%@mail.example.com"
    ]
  ) {
    assert.isDefined(smtpUrlFault(url), url)
  }
})
