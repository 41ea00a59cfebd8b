/** The people within p_businesses, as `clients_shown` returns clients. */
import { shownOf } from "./clients_shown.ts"

export default shownOf("person", "people_shown")
