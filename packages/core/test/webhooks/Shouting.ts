/** A payload profile for tests: names in capitals. */
import type { PayloadProfile } from "../../src/places/MessageField.ts"

export const shouting: PayloadProfile = {
  name: "shouting",
  fieldNames: ["SERVICESHIPMENTID"],
  write: (_type, json) => json.toUpperCase()
}
