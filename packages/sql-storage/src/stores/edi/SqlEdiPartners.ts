/**
 * EDI partners on PostgreSQL: one statement for each method.
 */
import { everything } from "@dockline/core/Access"
import { partnerLimit } from "@dockline/core/EdiPartner"
import type { EdiPartner, EdiParty } from "@dockline/core/EdiPartner"
import type { EdiAddressee, EdiStore, PartnerName } from "@dockline/core/EdiStore"
import { BusinessNotFound, FacilityNotFound } from "@dockline/core/Errors"
import { textFault } from "@dockline/core/internal/values/Field"
import { EdiPartnerExists, TooManyEntries } from "@dockline/core/OperatorErrors"
import { cutPage } from "@dockline/core/Page"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../../connections/Deadline.ts"
import { loans, repeatable } from "../../connections/Loan.ts"
import { oneRow } from "../../connections/OneRow.ts"
import { businessId } from "../../rows/BusinessId.ts"
import { readsOf } from "../../rows/ListArguments.ts"

/** The most partners of several businesses that one envelope may name before it is refused. */
const betweenLimit = 10

/** Whether no partner can have an id or a qualifier: PostgreSQL cannot even be asked for some texts of files. */
const isNobody = (party: EdiParty): boolean =>
  textFault(party.qualifier) !== undefined || textFault(party.id) !== undefined

/** The methods of the store on partners. */
export const partners = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const loan = yield* loans
  const writing = (business: string) => loan({ lane: "requests", business: businessId(business) })
  const reading = (business: string) => loan({ lane: "reads", business: businessId(business) })

  const taken = ({ business, partner }: PartnerName) => new EdiPartnerExists({ business, partner })

  const service: Pick<
    EdiStore["Service"],
    "between" | "create" | "find" | "list" | "remove" | "update"
  > = {
    create: Effect.fnUntraced(function*({ now, ...draft }) {
      const { business, facility, slug } = draft
      const { result } = yield* oneRow(sql<{
        readonly result:
          | { readonly unknown: "business" | "facility" }
          | { readonly taken: true }
          | { readonly full: true }
          | { readonly partner: EdiPartner }
      }>`select dockline.edi_partner_create(${businessId(business)}::bigint, ${
        JSON.stringify(draft)
      }::text::json,
        ${partnerLimit}::int, ${now}::timestamptz) as result`)
      if ("partner" in result) return result.partner
      if ("taken" in result) return yield* taken({ business, partner: slug })
      if ("full" in result) {
        return yield* new TooManyEntries({ what: "EDI partners of a business", limit: partnerLimit })
      }
      return yield* result.unknown === "business"
        ? new BusinessNotFound({ business })
        : new FacilityNotFound({ business, facility })
    }, (effect, { business }) => operation(writing(business)(repeatable(sql)(effect)))),

    find: ({ business, partner }) =>
      operation(
        reading(business)(Effect.map(
          oneRow(sql<{ readonly body: EdiPartner | null }>`select dockline.edi_partner_shown(
          ${businessId(business)}::bigint, ${partner}) as body`),
          ({ body }) => body
        ))
      ),

    list: (business, { after, limit }) =>
      operation(
        reading(business)(Effect.map(
          oneRow(sql<{ readonly page: ReadonlyArray<EdiPartner> }>`select dockline.edi_partner_page(
          ${businessId(business)}::bigint, ${after}, ${limit + 1}::int) as page`),
          ({ page }) => cutPage(page, limit, ({ slug }) => ({ id: slug }))
        ))
      ),

    update: Effect.fnUntraced(function*(name, change) {
      const { result } = yield* oneRow(sql<{
        readonly result:
          | { readonly missing: true }
          | { readonly taken: true }
          | { readonly partner: EdiPartner }
      }>`select dockline.edi_partner_update(${businessId(name.business)}::bigint, ${name.partner},
        ${JSON.stringify(change)}::text::json) as result`)
      if ("partner" in result) return result.partner
      return "taken" in result ? yield* taken(name) : null
    }, (effect, { business }) => operation(writing(business)(repeatable(sql)(effect)))),

    remove: ({ business, partner }) =>
      operation(
        writing(business)(
          repeatable(sql)(Effect.map(
            oneRow(sql<{ readonly removed: boolean }>`select dockline.edi_partner_remove(
          ${businessId(business)}::bigint, ${partner}) as removed`),
            ({ removed }) => removed
          ))
        )
      ),

    between: (scope, { control, receiver, sender }) =>
      isNobody(sender) || isNobody(receiver) ?
        Effect.succeed([]) :
        operation(
          loan(readsOf(scope))(Effect.map(
            oneRow(sql<{ readonly found: ReadonlyArray<EdiAddressee> }>`select dockline.edi_between(
          ${scope === everything ? null : scope}::text[], ${sender.qualifier}, ${sender.id},
          ${receiver.qualifier}, ${receiver.id}, ${control}, ${betweenLimit}::int) as found`),
            ({ found }) => found
          ))
        )
  }
  return service
})
