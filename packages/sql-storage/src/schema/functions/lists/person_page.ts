/** The people of a page, as `client_page` returns clients. */
import { pageOf } from "./client_page.ts"

export default pageOf("person")
