/**
 * Creates, changes, shows and removes EDI partners for operators (D18.3), and resends files with sets that partners rejected
 * (D23.6).
 *
 * Guarantee: an operator sees and changes only the partners of the businesses it operates. Only files that the present partner rejected are
 * sent again. A file that is requested several times before it is sent again is sent once.
 */
import { everything } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import { auditing, subjectOf } from "@dockline/core/access/AuditLog"
import type { AuditAction, AuditDraft, AuditLog } from "@dockline/core/access/AuditLog"
import type { OperatorHandlersOf } from "@dockline/core/capability/Capability"
import { expected } from "@dockline/core/input/Precondition"
import { operatedFacility } from "@dockline/core/operator/Businesses"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory } from "@dockline/core/places/Place"
import { clip } from "@dockline/core/values/Clip"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { idOf, mapPage, namePage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { slugPattern } from "@dockline/core/values/Vocabulary"
import { Context, Effect, Layer, Result } from "effect"
import { EdiFileNotFound, EdiFileNotRejected, EdiPartnerNotFound } from "./EdiErrors.ts"
import type { EdiFile, EdiSet } from "./EdiFile.ts"
import { adviceKinds, dueLimit } from "./EdiPartner.ts"
import type { EdiPartner } from "./EdiPartner.ts"
import { ediPartnerState, ediPartnerView } from "./EdiPartnerOperations.ts"
import type { ediPartnerOperations } from "./EdiPartnerOperations.ts"
import { EdiStore } from "./EdiStore.ts"
import type { EdiState, EdiStep } from "./EdiStore.ts"

const auditDraft = (
  action: AuditAction,
  { business, slug }: Pick<EdiPartner, "business" | "slug">,
  details: AuditDraft["details"] = {}
): AuditDraft => ({
  action,
  business,
  subject: subjectOf("businesses", business, "edi-partners", slug),
  details
})

const missing = (business: string, partner: string): EdiPartnerNotFound =>
  new EdiPartnerNotFound({ business, partner: clip(partner) })

export class EdiPartners
  extends Context.Service<EdiPartners, OperatorHandlersOf<typeof ediPartnerOperations>>()(
    "@dockline/core/EdiPartners"
  )
{
  static readonly layer: Layer.Layer<EdiPartners, never, EdiStore | Directory | AuditLog> = Layer.effect(
    EdiPartners,
    Effect.gen(function*() {
      const store = yield* EdiStore
      const directory = yield* Directory
      const audit = yield* auditing

      const find = Effect.fnUntraced(function*(business: string, partner: string, principal: Principal) {
        yield* Authorize.operatorOf(directory, principal, business)
        // No partner has a malformed slug.
        const partnerRow = slugPattern.test(partner) ? yield* store.find({ business, partner }) : null
        return partnerRow ?? (yield* missing(business, partner))
      })

      /** A file of a business that the operator operates. */
      const findFile = Effect.fnUntraced(function*(business: string, id: string, principal: Principal) {
        yield* Authorize.operatorOf(directory, principal, business)
        const number = idOf(id)
        const scopes = [{ business, facilities: everything }] as const
        const file = number === undefined ? null : yield* store.file(number, scopes)
        if (file?.location.business.slug === business) return file
        return yield* new EdiFileNotFound({ id: clip(id) })
      })

      return EdiPartners.of({
        listEdiPartners: Effect.fn("EdiPartners.list")(function*({ slug, ...query }, principal) {
          yield* Authorize.operatorOf(directory, principal, slug)
          return mapPage(yield* store.list(slug, namePage(query)), ediPartnerView)
        }),

        getEdiPartner: Effect.fn("EdiPartners.get")(function*({ partner, slug }, principal) {
          return ediPartnerView(yield* find(slug, partner, principal))
        }),

        createEdiPartner: Effect.fn("EdiPartners.create")(
          function*({ body: { nextControl, ...settings }, slug: business }, principal) {
            yield* operatedFacility(directory, principal, business, settings.facility)
            const now = yield* Timestamp.now
            const draft = {
              ...settings,
              business,
              nextInterchange: nextControl,
              nextGroup: nextControl,
              now
            }
            const created = yield* audit(
              principal,
              store.create(draft),
              (row) =>
                auditDraft("EDI_PARTNER_CREATED", row, {
                  facility: row.facility,
                  ...ediPartnerState(row),
                  nextControl
                })
            )
            return ediPartnerView(created)
          }
        ),

        updateEdiPartner: Effect.fn("EdiPartners.update")(
          function*({ body, partner, slug: business }, principal) {
            const before = yield* find(business, partner, principal)
            const unchanged = yield* expected(ediPartnerState(before))
            const updated = store.update({ business, partner }, (present) => {
              const state = ediPartnerState(present)
              return Result.map(unchanged(state), () => ({ ...state, ...body }))
            })
            const after = yield* audit(
              principal,
              Effect.filterOrFail(updated, (row) => row !== null, () => missing(business, partner)),
              (after) => auditDraft("EDI_PARTNER_CHANGED", after, body)
            )
            return ediPartnerView(after)
          }
        ),

        deleteEdiPartner: Effect.fn("EdiPartners.remove")(
          function*({ partner, slug: business }, principal) {
            const before = yield* find(business, partner, principal)
            yield* audit(
              principal,
              Effect.filterOrFail(
                store.remove({ business, partner }),
                (isRemoved) => isRemoved,
                () => missing(business, partner)
              ),
              () =>
                auditDraft("EDI_PARTNER_REMOVED", before, {
                  ...ediPartnerState(before),
                  nextInterchange: before.nextInterchange
                })
            )
          }
        ),

        resendEdiFile: Effect.fn("EdiPartners.resend")(function*({ fileId, slug: business }, principal) {
          const file = yield* findFile(business, fileId, principal)
          const { control, id, partner } = file
          const target = yield* find(business, partner, principal)
          yield* audit(
            principal,
            Effect.filterOrFail(
              store.transact(target, { interchanges: [control] }, resending(file)),
              (isDue) => isDue !== null,
              () => missing(business, partner)
            ),
            () => ({
              action: "EDI_FILE_RESENT",
              business,
              subject: subjectOf("businesses", business, "edi-files", id),
              details: { partner, control }
            })
          )
        })
      })
    })
  )
}

/** Decides whether a file can be sent again; the plan adds the file to the partner's due files. */
export const resending = (file: Pick<EdiFile, "direction" | "id" | "sets">) =>
(
  { partner, sentFiles }: EdiState
): Result.Result<EdiStep<true>, EdiFileNotRejected | TooManyEntries> => {
  const { cursorId, due, nextGroup, nextInterchange, tells } = partner
  const refusal = (reason: string) => Result.fail(new EdiFileNotRejected({ id: String(file.id), reason }))
  if (file.direction !== "OUT") return refusal("it came from its partner")
  if (!sentFiles.some(({ id }) => id === file.id)) {
    return refusal("it was not sent, or its partner was created again or has changed its usage since")
  }
  if (!file.sets.some(isRejected)) return refusal("its partner has rejected none of its sets")
  if (tells.length === 0) return refusal("its partner is told nothing")
  const isDue = due.includes(file.id)
  if (!isDue && due.length >= dueLimit) {
    return Result.fail(
      new TooManyEntries({ what: "files to be sent to an EDI partner again", limit: dueLimit })
    )
  }
  return Result.succeed({
    plan: isDue
      ? null
      : { cursorId, due: [...due, file.id], nextGroup, nextInterchange, file: null },
    answer: () => true
  })
}

/** Whether the set is an advice about a shipment, and the partner rejected it. */
const isRejected = ({ kind, outcome }: EdiSet): boolean =>
  outcome === "REJECTED" && adviceKinds.some((adviceKind) => adviceKind === kind)
