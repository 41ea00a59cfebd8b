/** Messages as the function `message_append` takes them. */
import type { MessageDraft } from "@dockline/core/Message"

/** A message of a facility, in the trace of its request if it was traced. */
export type DraftRow = ReturnType<typeof draftRow>

/** A message of the facility with this id. */
export const draftRow = (
  { payload, shipmentId, type }: MessageDraft,
  facilityId: number,
  trace: string | undefined
) => [facilityId, type, shipmentId, JSON.stringify(payload), trace] as const

/** Messages of one facility as the JSON that the statement carries. */
export const draftRows = (
  drafts: ReadonlyArray<MessageDraft>,
  facilityId: number,
  trace: string | undefined
): string => JSON.stringify(drafts.map((draft) => draftRow(draft, facilityId, trace)))
