/**
 * EDI partners on PostgreSQL: one statement for each method.
 */
import { everything } from "@dockline/core/access/Access"
import { BusinessNotFound, FacilityNotFound } from "@dockline/core/values/Errors"
import { textFault } from "@dockline/core/values/Field"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { cutPage } from "@dockline/core/values/Page"
import { businessId, operations, readsOf } from "@dockline/sql-storage/rows/BusinessRows"
import { Effect, Schema } from "effect"
import type { Result } from "effect"
import { EdiPartnerExists } from "../domain/EdiErrors.ts"
import { partnerLimit } from "../domain/EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange, EdiParty } from "../domain/EdiPartner.ts"
import type { EdiStore, PartnerName } from "../domain/EdiStore.ts"
import { Addressees, CreateResult, PartnerBody, UpdateResult } from "./EdiRows.ts"

/** The most partners, of several businesses, that an envelope may match before it is refused. */
const betweenLimit = 10

/** Whether no partner can have this id or qualifier: PostgreSQL cannot store some texts of files. */
const isNobody = (party: EdiParty): boolean =>
  textFault(party.qualifier) !== undefined || textFault(party.id) !== undefined

/** Makes the methods of partners. */
export const make = Effect.gen(function*() {
  const { call, read, write } = yield* operations

  return {
    create: Effect.fnUntraced(function*({ now, ...draft }) {
      const { business, facility, slug } = draft
      const result = yield* call(CreateResult)`dockline.edi_partner_create(
        ${businessId(business)}, ${JSON.stringify(draft)}, ${partnerLimit}, ${now})`
      if ("partner" in result) return result.partner
      if ("taken" in result) return yield* new EdiPartnerExists({ business, partner: slug })
      if ("full" in result) {
        return yield* new TooManyEntries({ what: "EDI partners of a business", limit: partnerLimit })
      }
      return yield* result.unknown === "business"
        ? new BusinessNotFound({ business })
        : new FacilityNotFound({ business, facility })
    }, (effect, { business }) => write({ business: businessId(business) })(effect)),

    find: ({ business, partner }) =>
      read({ business: businessId(business) })(
        call(Schema.NullOr(PartnerBody))`dockline.edi_partner_shown(${businessId(business)}, ${partner})`
      ),

    list: (business, { after, limit }) =>
      read({ business: businessId(business) })(Effect.map(
        call(Schema.Array(PartnerBody))`dockline.edi_partner_page(${businessId(business)}, ${after},
          ${limit + 1})`,
        (page) => cutPage(page, limit, ({ slug }) => ({ id: slug }))
      )),

    update: Effect.fnUntraced(function*<E>(
      name: PartnerName,
      change: (partner: EdiPartner) => Result.Result<EdiPartnerChange, E>
    ) {
      const business = businessId(name.business)
      for (;;) {
        const before = yield* call(
          Schema.NullOr(PartnerBody)
        )`dockline.edi_partner_shown(${business}, ${name.partner})`
        if (before === null) return null
        const after = yield* Effect.fromResult(change(before))
        const result = yield* call(UpdateResult)`dockline.edi_partner_update(
          ${business}, ${name.partner}, ${JSON.stringify(before)}, ${JSON.stringify(after)})`
        if ("other" in result) continue
        if ("partner" in result) return result.partner
        return "taken" in result ? yield* new EdiPartnerExists(name) : null
      }
    }, (effect, { business }) => write({ business: businessId(business) })(effect)),

    remove: ({ business, partner }) =>
      write({ business: businessId(business) })(
        call(Schema.Boolean)`dockline.edi_partner_remove(${businessId(business)}, ${partner})`
      ),

    between: (scope, { control, receiver, sender }) =>
      isNobody(sender) || isNobody(receiver)
        ? Effect.succeed([])
        : read(readsOf(scope))(call(Addressees)`dockline.edi_between(
          ${scope === everything ? null : scope}, ${sender.qualifier}, ${sender.id}, ${receiver.qualifier},
          ${receiver.id}, ${control}, ${betweenLimit})`)
  } satisfies Pick<EdiStore["Service"], "between" | "create" | "find" | "list" | "remove" | "update">
})
