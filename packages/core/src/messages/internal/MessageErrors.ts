/** Why reading messages is refused. */
import { placeErrors } from "../../places/Authorize.ts"
import { CursorAhead, HistoryExpired } from "../../values/Errors.ts"

export const messageListErrors = [...placeErrors, HistoryExpired, CursorAhead] as const
