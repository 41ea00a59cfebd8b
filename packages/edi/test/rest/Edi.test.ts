/** D18.3 over REST: files of partners are accepted byte for byte, and operators manage the partners. */
import type { EdiAnswer, EdiFileEntryView, EdiFileView } from "@dockline/edi/domain/EdiFile"
import type { EdiPartnerView } from "@dockline/edi/domain/EdiPartnerOperations"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { bodyOf, faultsOf, get, makeClient, operate } from "../../../../test/http/operator/Operator.ts"
import { serving } from "../../../../test/http/Serving.ts"
import { layerMemory, layerPostgres, TestServer, unique } from "../../../../test/support/TestServer.ts"
import type { PageView, RequestOptions } from "../../../../test/support/TestServer.ts"
import { aPartner, notice, partners } from "./X12.ts"

const sendFile = (
  text: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  as: RequestOptions = {},
  query = ""
) =>
  Effect.flatMap(TestServer, ({ request }) =>
    request("POST", `/v1/edi${query}`, {
      ...as,
      headers: { "content-type": "application/edi-x12", ...headers, ...as.headers },
      body: text
    }))

const json = { accept: "application/json" }

for (const [name, server] of [["memory", layerMemory()], ["PostgreSQL", layerPostgres()]] as const) {
  serving<TestServer, never>(`files of partners over REST, on ${name}`, server, (test) => {
    test("are answered by their acknowledgments, and the same again by the same", function*() {
      const { id, slug } = yield* aPartner()
      const number = unique("ASN")
      const text = notice(id, number, unique("L"))
      const reply = yield* sendFile(text)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.strictEqual(reply.headers["content-type"], "application/edi-x12; charset=utf-8")
      assert.include(reply.text, `GS*FA*WAREHOUSE*${id}*`)
      assert.include(reply.text, "AK5*A~\nAK9*A*1*1*1~")
      assert.strictEqual((yield* sendFile(text)).text, reply.text)
      const { files: [file] }: EdiAnswer = bodyOf(yield* sendFile(text, json), 200)
      assert.deepInclude(file, {
        partner: slug,
        outcome: "ACCEPTED",
        text: text.trimEnd(),
        answer: reply.text
      })
      const server = yield* TestServer
      const page = bodyOf<PageView<EdiFileEntryView>>(
        yield* server.get(`/v1/edi/files?business=acme&partner=${slug}`),
        200
      )
      assert.deepStrictEqual(page.items.map(({ kinds, setCount }) => [kinds, setCount]), [[["856"], 1]])
      assert.deepStrictEqual(bodyOf<EdiFileView>(yield* server.get(`/v1/edi/files/${file!.id}`), 200), file)
      const shipments = bodyOf<PageView<{ readonly id: string }>>(
        yield* server.get(`/v1/shipments?business=acme&shipmentNumber=${number}`),
        200
      )
      assert.strictEqual(shipments.items.length, 1)
      const about = `/v1/edi/files?shipmentId=${shipments.items[0]!.id}`
      assert.deepStrictEqual(
        bodyOf<PageView<EdiFileEntryView>>(yield* server.get(about), 200).items,
        page.items
      )
      const refusal = yield* server.get(`${about}&partner=${slug}&outcome=ACCEPTED&direction=`)
      assert.deepStrictEqual(
        bodyOf<{ readonly errors: unknown }>(refusal, 400).errors,
        ["partner", "outcome"].map((path) => ({ path, detail: "must be left out with shipmentId" }))
      )
      const { nextGroup, nextInterchange } = bodyOf<EdiPartnerView>(yield* get(`${partners}/${slug}`), 200)
      assert.deepStrictEqual([nextInterchange, nextGroup], [2, 2])
    })

    test("name the business whose partners alone they may be of", function*() {
      const { id } = yield* aPartner()
      const text = notice(id, unique("ASN"), unique("L"))
      const refusal = yield* sendFile(text, {}, {}, "?business=globex")
      assert.strictEqual(refusal.status, 400)
      assert.strictEqual((yield* sendFile(text, {}, {}, "?busines=acme")).status, 400)
      assert.strictEqual((yield* sendFile(text, {}, {}, "?business=acme")).status, 200)
    })

    test("that acknowledge are answered by nothing", function*() {
      const { id } = yield* aPartner()
      const text = notice(id, "S", "L").replace("GS*SH", "GS*FA").replace(
        /ST\*856[^]*SE\*11\*0001/,
        "ST*997*0001~\nAK1*RE*1~\nAK9*A*1*1*1~\nSE*4*0001"
      )
      const reply = yield* sendFile(text)
      assert.deepStrictEqual([reply.status, reply.text], [204, ""])
    })

    // @threat tenants.10
    test("are refused as a whole with segment and remedy, by their form, and of clients that may not send", function*() {
      const { id } = yield* aPartner()
      const text = notice(id, unique("ASN"), unique("L"))
      const code = ({ body }: { readonly body: unknown }) => (body as { readonly code: string }).code
      const refusal = yield* sendFile(text.replace(/IEA\*1\*\d+/, "IEA*1*000000001"))
      assert.deepStrictEqual([refusal.status, code(refusal)], [400, "EDI_REFUSED"])
      assert.match(
        (refusal.body as { readonly detail: string }).detail,
        /^Segment 15 \(IEA\), element 2: .*\. Send .*[^.]$/
      )
      const cases = [
        [yield* sendFile(text, { "content-type": "text/plain" }), 415, "UNSUPPORTED_MEDIA_TYPE"],
        [
          yield* sendFile(text, { "content-type": "application/edi-x12; charset=koi8-r" }),
          415,
          "UNSUPPORTED_MEDIA_TYPE"
        ],
        [yield* sendFile(Buffer.from(text.replace("SKU-1", "SKÜ"), "latin1")), 400, "EDI_REFUSED"],
        [yield* sendFile(text, {}, { client: "globex-client" }), 400, "EDI_REFUSED"],
        [yield* sendFile(text, {}, { client: "tower" }), 403, "FORBIDDEN"],
        [yield* sendFile(""), 400, "EDI_REFUSED"]
      ] as const
      for (const [reply, status, expected] of cases) {
        assert.deepStrictEqual([reply.status, code(reply)], [status, expected], reply.text)
      }
      const { as } = yield* makeClient({
        business: "acme",
        facilities: ["west"],
        permissions: ["documents:write"]
      })
      assert.strictEqual(code(yield* sendFile(text, {}, as)), "FORBIDDEN")
      // The refused interchange had no effect: when sent again, it is accepted.
      const latin1 = Buffer.from(text.replace("SKU-1", "SKÜ"), "latin1")
      const reply = yield* sendFile(latin1, { "content-type": "Application/EDI-X12;charset=ISO-8859-1" })
      assert.strictEqual(reply.status, 200, reply.text)
    })
  })

  serving<TestServer, never>(`EDI partners of operators, on ${name}`, server, (test) => {
    test("are made with defaults, changed, listed, removed, and each change is on record", function*() {
      const slug = unique("partner")
      const id = unique("Q").toUpperCase()
      const created = {
        slug,
        business: "acme",
        facility: "east",
        name: "Supplier",
        theirs: { qualifier: "ZZ", id, group: id },
        ours: { qualifier: "ZZ", id: "WAREHOUSE", group: "WH" },
        release: "004010",
        usage: "P",
        takes: ["856", "940"],
        tells: ["856", "945", "944"],
        tellsOf: "OWN",
        units: [],
        newPurposes: [],
        nextInterchange: 4712,
        nextGroup: 4712
      }
      const reply = yield* operate("POST", partners, {
        slug,
        facility: "east",
        name: "Supplier",
        theirs: { qualifier: "ZZ", id },
        ours: created.ours,
        nextControl: 4712
      })
      const { createdAt, ...view } = bodyOf<EdiPartnerView>(reply, 201)
      assert.match(createdAt, /^\d{4}-.*Z$/)
      assert.deepEqual<unknown>(view, created)
      assert.strictEqual(reply.headers["location"], `/v1/operator/${partners}/${slug}`)
      const change = yield* operate("PATCH", `${partners}/${slug}`, { usage: "T", tells: [] })
      assert.deepStrictEqual(bodyOf(change, 200), { ...view, usage: "T", tells: [], createdAt })
      const list = bodyOf<PageView<{ readonly slug: string }>>(yield* get(partners), 200)
      assert.include(list.items.map(({ slug }) => slug), slug)
      assert.strictEqual((yield* operate("DELETE", `${partners}/${slug}`)).status, 204)
      assert.strictEqual((yield* get(`${partners}/${slug}`)).status, 404)
      const subject = `${partners}/${slug}`
      const audit = bodyOf<PageView<{ readonly action: string }>>(
        yield* get(`audit?subject=${subject}`),
        200
      )
      assert.deepStrictEqual(audit.items.map(({ action }) => action), [
        "EDI_PARTNER_REMOVED",
        "EDI_PARTNER_CHANGED",
        "EDI_PARTNER_CREATED"
      ])
    })

    test("are refused with each fault", function*() {
      const body = {
        slug: "Bad Slug",
        facility: "east",
        name: "",
        theirs: { qualifier: "zzz", id: "A*B" },
        ours: { qualifier: "ZZ", id: "1" },
        takes: ["997"],
        nextControl: 0
      }
      const refusal = yield* operate("POST", partners, body)
      assert.strictEqual(refusal.status, 422, refusal.text)
      assert.sameMembers(Object.keys(faultsOf(refusal)), [
        "slug",
        "name",
        "theirs.qualifier",
        "theirs.id",
        "ours.group",
        "takes[0]",
        "nextControl"
      ])
      const { slug } = yield* aPartner()
      const again = yield* operate("POST", partners, {
        slug,
        facility: "east",
        name: "Again",
        theirs: { qualifier: "ZZ", id: unique("R") },
        ours: { qualifier: "ZZ", id: "WAREHOUSE" }
      })
      assert.strictEqual(again.status, 409)
      assert.strictEqual((yield* operate("POST", "businesses/nobody/edi-partners", body)).status, 422)
    })
  })
}
