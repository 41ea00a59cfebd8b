/**
 * EDI partners on PostgreSQL: one statement for each method.
 */
import { everything } from "@dockline/core/access/Access"
import { BusinessNotFound, FacilityNotFound } from "@dockline/core/values/Errors"
import { textFault } from "@dockline/core/values/Field"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cutPage } from "@dockline/core/values/Page"
import { businessId, operations, readsOf } from "@dockline/sql-storage/rows/BusinessRows"
import { Effect } from "effect"
import type { Result } from "effect"
import { EdiPartnerExists } from "../domain/EdiErrors.ts"
import { partnerLimit } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange, EdiParty } from "../domain/EdiPartner.ts"
import type { EdiAddressee, EdiStore, PartnerName } from "../domain/EdiStore.ts"

/** The most partners of several businesses that one envelope may name before it is refused. */
const betweenLimit = 10

/** Whether no partner can have an id or a qualifier: PostgreSQL cannot even be asked for some texts of files. */
const isNobody = (party: EdiParty): boolean =>
  textFault(party.qualifier) !== undefined || textFault(party.id) !== undefined

export const partners = Effect.gen(function*() {
  const { call, read, write } = yield* operations
  const writing = (business: string) => write({ business: businessId(business) })
  const reading = (business: string) => read({ business: businessId(business) })

  const conflict = ({ business, partner }: PartnerName) => new EdiPartnerExists({ business, partner })

  return {
    create: Effect.fnUntraced(function*({ now, ...draft }) {
      const { business, facility, slug } = draft
      const result = yield* call<
        { readonly unknown: "business" | "facility" } | { readonly taken: true } | { readonly full: true } | {
          readonly partner: EdiPartner
        }
      >`dockline.edi_partner_create(
        ${businessId(business)}, ${JSON.stringify(draft)}, ${partnerLimit}, ${now})`
      if ("partner" in result) return result.partner
      if ("taken" in result) return yield* conflict({ business, partner: slug })
      if ("full" in result) {
        return yield* new TooManyEntries({ what: "EDI partners of a business", limit: partnerLimit })
      }
      return yield* result.unknown === "business"
        ? new BusinessNotFound({ business })
        : new FacilityNotFound({ business, facility })
    }, (effect, { business }) => writing(business)(effect)),

    find: ({ business, partner }) =>
      reading(business)(
        call<EdiPartner | null>`dockline.edi_partner_shown(${businessId(business)}, ${partner})`
      ),

    list: (business, { after, limit }) =>
      reading(business)(Effect.map(
        call<ReadonlyArray<EdiPartner>>`dockline.edi_partner_page(${businessId(business)}, ${after},
          ${limit + 1})`,
        (page) => cutPage(page, limit, ({ slug }) => ({ id: slug }))
      )),

    update: Effect.fnUntraced(function*<E>(
      name: PartnerName,
      change: (partner: EdiPartner) => Result.Result<EdiPartnerChange, E>
    ) {
      const business = businessId(name.business)
      for (;;) {
        const before = yield* call<
          EdiPartner | null
        >`dockline.edi_partner_shown(${business}, ${name.partner})`
        if (before === null) return null
        const after = yield* Effect.fromResult(change(before))
        const result = yield* call<
          { readonly missing: true } | { readonly other: true } | { readonly taken: true } | {
            readonly partner: EdiPartner
          }
        >`dockline.edi_partner_update(
          ${business}, ${name.partner}, ${JSON.stringify(before)}, ${JSON.stringify(after)})`
        if ("other" in result) continue
        if ("partner" in result) return result.partner
        return "taken" in result ? yield* conflict(name) : null
      }
    }, (effect, { business }) => writing(business)(effect)),

    remove: ({ business, partner }) =>
      writing(business)(call<boolean>`dockline.edi_partner_remove(${businessId(business)}, ${partner})`),

    between: (scope, { control, receiver, sender }) =>
      isNobody(sender) || isNobody(receiver)
        ? Effect.succeed([])
        : read(readsOf(scope))(call<ReadonlyArray<EdiAddressee>>`dockline.edi_between(
          ${scope === everything ? null : scope}, ${sender.qualifier}, ${sender.id}, ${receiver.qualifier},
          ${receiver.id}, ${control}, ${betweenLimit})`)
  } satisfies Pick<EdiStore["Service"], "between" | "create" | "find" | "list" | "remove" | "update">
})
