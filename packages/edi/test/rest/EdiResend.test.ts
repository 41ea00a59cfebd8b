/** D23.6 over REST: an operator requests rejected sets again; each request sends them once, with new control numbers. */
import type { EdiFileView, EdiOutgoingView } from "@dockline/edi/domain/EdiFile"
import * as EdiServices from "@dockline/edi/EdiServices"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { bodyOf, get, operate } from "../../../../test/http/operator/Operator.ts"
import { serving } from "../../../../test/http/Serving.ts"
import { eventually } from "../../../../test/support/Eventually.ts"
import { layerMemory, layerPostgres, TestServer, unique } from "../../../../test/support/TestServer.ts"
import type { PageView } from "../../../../test/support/TestServer.ts"
import { aPartner, departed, notice } from "./X12.ts"

const options = { routes: Layer.orDie(EdiServices.advices) }

const outboxOf = (partner: string) =>
  Effect.flatMap(TestServer, (server) =>
    Effect.map(
      server.get(`/v1/edi/outbox?business=acme&partner=${partner}`),
      (reply) => bodyOf<PageView<EdiOutgoingView>>(reply, 200).items
    ))

/** The outbox of a partner, once it has this many interchanges. */
const outboxWith = Effect.fnUntraced(function*(partner: string, count: number) {
  const services = yield* Effect.context<TestServer>()
  const look = () => Effect.runPromise(Effect.provideContext(outboxOf(partner), services))
  yield* Effect.promise(() =>
    eventually(`${count} interchanges`, async () => (await look()).length === count)
  )
  return yield* outboxOf(partner)
})

/** Rejects an interchange as a whole. */
const reject = Effect.fnUntraced(function*(partner: string, control: string) {
  const ta1 = `TA1*${control}*261120*1705*R*024~`
  const text = notice(partner, "S", "L").replace(/GS\*[^]*GE\*1\*1~/, ta1).replace("IEA*1", "IEA*0")
  const server = yield* TestServer
  const reply = yield* server.request("POST", "/v1/edi", {
    headers: { "content-type": "application/edi-x12" },
    body: text
  })
  assert.strictEqual(reply.status, 204, reply.text)
})

const resend = (id: string, business = "acme") =>
  operate("POST", `businesses/${business}/edi-files/${id}/resend`)

const codeOf = ({ body, status }: { readonly body: unknown; readonly status: number }) => [
  status,
  (body as { readonly code: string }).code
]

for (
  const [name, server] of [["memory", layerMemory(options)], ["PostgreSQL", layerPostgres(options)]] as const
) {
  serving<TestServer, never>(`what a partner rejected, on ${name}`, server, (test) => {
    test("is told anew by an operator's word, which is on record", function*(server) {
      const { id: partner, slug } = yield* aPartner()
      yield* departed(partner)
      const [file] = yield* outboxWith(slug, 1)
      assert.deepStrictEqual(codeOf(yield* resend(file!.id)), [409, "EDI_FILE_NOT_REJECTED"])
      yield* reject(partner, file!.control)
      assert.strictEqual((yield* resend(file!.id)).status, 202)
      const again = (yield* outboxWith(slug, 2))[1]!
      assert.isAbove(Number(again.control), Number(file!.control))
      const bare = ({ text }: EdiOutgoingView) =>
        text.split("~\n").filter((line) => !/^(ISA|GS|GE|IEA)\*/.test(line))
      assert.deepStrictEqual([bare(again), again.kinds], [bare(file!), file!.kinds])
      const record = bodyOf<EdiFileView>(yield* server.get(`/v1/edi/files/${file!.id}`), 200)
      assert.strictEqual(record.outcome, "REJECTED")
      const subject = `businesses/acme/edi-files/${file!.id}`
      const audit = bodyOf<PageView<unknown>>(yield* get(`audit?subject=${subject}`), 200)
      assert.lengthOf(audit.items, 1)
      assert.deepInclude(audit.items[0], {
        action: "EDI_FILE_RESENT",
        business: "acme",
        details: { partner: slug, control: file!.control }
      })
      // A file that waits again is not rejected; the next departure comes after it.
      assert.deepStrictEqual(codeOf(yield* resend(again.id)), [409, "EDI_FILE_NOT_REJECTED"])
      yield* departed(partner)
      assert.strictEqual((yield* outboxWith(slug, 3))[2]!.kinds.join(), file!.kinds.join())
    })

    test(
      "is nothing that came, of another business, or of a partner that is gone or told nothing",
      function*(server) {
        const { id: partner, slug } = yield* aPartner()
        yield* departed(partner)
        const [file] = yield* outboxWith(slug, 1)
        yield* reject(partner, file!.control)
        const came = bodyOf<PageView<{ readonly id: string }>>(
          yield* server.get(`/v1/edi/files?business=acme&partner=${slug}&direction=IN`),
          200
        )
        const refusals = [409, "EDI_FILE_NOT_REJECTED"]
        assert.deepStrictEqual(codeOf(yield* resend(came.items[0]!.id)), refusals)
        assert.deepStrictEqual(codeOf(yield* resend(file!.id, "globex")), [404, "EDI_FILE_NOT_FOUND"])
        assert.deepStrictEqual(codeOf(yield* resend("0")), [404, "EDI_FILE_NOT_FOUND"])
        const path = `businesses/acme/edi-partners/${slug}`
        yield* operate("PATCH", path, { tells: [] })
        const silent = yield* resend(file!.id)
        assert.deepStrictEqual(codeOf(silent), refusals)
        assert.include(silent.text, "as its partner is told nothing")
        yield* operate("DELETE", path)
        assert.deepStrictEqual(codeOf(yield* resend(file!.id)), [404, "EDI_PARTNER_NOT_FOUND"])
        yield* aPartner({ slug, theirs: { qualifier: "ZZ", id: unique("P").toUpperCase() } })
        const anew = yield* resend(file!.id)
        assert.deepStrictEqual(codeOf(anew), refusals)
        assert.include(anew.text, "was created again")
        // Interchanges of the earlier partner are not those of the new one.
        assert.lengthOf(yield* outboxOf(slug), 0)
      }
    )
  })
}
