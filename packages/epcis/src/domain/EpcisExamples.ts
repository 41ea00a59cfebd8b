/**
 * Examples of the requests of operators.
 */
import { example } from "@dockline/core/access/Operation"

/** The requests of operators. */
export const operatorRequests = {
  setEpcisSettings: {
    urns: example("SSCCs of a company as EPC URNs, and events for endpoints", {
      companyPrefixes: ["0614141"],
      publishes: true
    })
  }
} as const
