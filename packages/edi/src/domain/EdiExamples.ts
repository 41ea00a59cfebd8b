/**
 * Examples of the requests of operators about EDI partners.
 */
import { example } from "@dockline/core/access/Operation"

/** The requests of operators. */
export const operatorRequests = {
  createEdiPartner: {
    supplier: example("A supplier whose ship notices are taken", {
      slug: "supplier",
      facility: "east",
      name: "Supplier Inc.",
      theirs: { qualifier: "ZZ", id: "SUPPLIER" },
      ours: { qualifier: "ZZ", id: "WAREHOUSE" }
    }),
    depositor: example("A depositor that has got files from another system, in tests", {
      slug: "depositor",
      facility: "east",
      name: "Depositor Ltd.",
      theirs: { qualifier: "01", id: "123456789", group: "DEPOSITOR" },
      ours: { qualifier: "ZZ", id: "WAREHOUSE" },
      release: "005010",
      usage: "T",
      takes: ["940"],
      tells: ["945"],
      tellsOf: "ALL",
      nextControl: 4712
    })
  },
  updateEdiPartner: {
    production: example("From tests to production", { usage: "P" }),
    told: example("Other sets", { tells: ["945"] })
  }
} as const
