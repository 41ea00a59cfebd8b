/** D26.4: messages for people, in which the texts of notices cannot write markup. */
import { of } from "@dockline/core/values/Timestamp"
import { assert, it } from "vitest"
import type { Notice } from "../../src/domain/AlertRule.ts"
import { mailText, slackBody, subjectOf, teamsBody } from "../../src/send/Sender.ts"

const rule = { business: "acme", facility: "east", slug: "night-shift", timeZone: "Europe/Berlin" }

const notice: Notice = {
  at: of("2026-11-20T17:00:00.000Z"),
  title: "Urgent problem: shipment <S|1>",
  text: "DAMAGED, pallet L1: a & b *c* [d](https://evil.example)",
  url: "https://dashboard.example.com/shipments/12"
}

const one = { rule, notices: [notice], surplus: 0 }
const many = { rule, notices: [notice, { ...notice, title: "Other", url: "" }], surplus: 3 }

it("a subject names the place and the thing, or how many there are", () => {
  assert.strictEqual(subjectOf(one), "[acme/east] Urgent problem: shipment <S|1>")
  assert.strictEqual(subjectOf(many), "[acme/east] 5 alerts")
})

it("an e-mail has each thing with its time by the clocks of the facility and its page", () => {
  assert.strictEqual(
    mailText(many),
    `Urgent problem: shipment <S|1>
DAMAGED, pallet L1: a & b *c* [d](https://evil.example)
2026-11-20 18:00 Europe/Berlin
https://dashboard.example.com/shipments/12

Other
DAMAGED, pallet L1: a & b *c* [d](https://evil.example)
2026-11-20 18:00 Europe/Berlin

3 more happened while too many waited; see the dashboard.

--
Alert rule night-shift of acme/east
`
  )
})

it("Slack gets links, and no markup of texts", () => {
  const { text } = JSON.parse(slackBody(many)) as { readonly text: string }
  assert.include(text, "<https://dashboard.example.com/shipments/12|Urgent problem: shipment &lt;S/1&gt;>")
  assert.include(text, "a &amp; b *c*")
  assert.notInclude(text, "<S")
  assert.include(text, "3 more happened")
})

it("Teams gets an adaptive card, and no Markdown of texts", () => {
  const { attachments: [card] } = JSON.parse(teamsBody(one)) as {
    readonly attachments: ReadonlyArray<{
      readonly contentType: string
      readonly content: {
        readonly body: ReadonlyArray<
          { readonly items?: ReadonlyArray<{ readonly text: string }>; readonly selectAction?: object }
        >
      }
    }>
  }
  assert.strictEqual(card!.contentType, "application/vnd.microsoft.card.adaptive")
  const [, container] = card!.content.body
  assert.include(container!.items![1]!.text, "\\[d\\]\\(https://evil.example\\)")
  assert.include(container!.selectAction, { type: "Action.OpenUrl", url: notice.url })
})
