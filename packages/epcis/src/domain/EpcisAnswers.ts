/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const bizTransactionList1 = [
  { type: "po", bizTransaction: "https://dashboard.example.com/orders/acme/PO-1" },
  { type: "desadv", bizTransaction: "https://dashboard.example.com/shipments/1" }
] as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  queryEpcisEvents: {
    "@context": ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"],
    type: "EPCISQueryDocument",
    schemaVersion: "2.0",
    creationDate: "2026-11-20T18:10:00.000Z",
    epcisBody: {
      queryResults: {
        queryName: "SimpleEventQuery",
        resultsBody: {
          eventList: [{
            type: "ObjectEvent",
            eventID: "urn:uuid:0725e3da-fc0e-5646-8b8c-c3c0604ae6a8",
            recordTime: "2026-11-20T16:42:01.000Z",
            eventTime: "2026-11-20T16:42:00.000Z",
            eventTimeZoneOffset: "+00:00",
            epcList: ["https://dashboard.example.com/shipments/1"],
            action: "OBSERVE",
            bizStep: "arriving",
            disposition: "in_progress",
            readPoint: { id: "https://dashboard.example.com/facilities/acme/east/docks/D1" },
            bizLocation: { id: "https://dashboard.example.com/facilities/acme/east" },
            bizTransactionList: bizTransactionList1
          }, {
            type: "ObjectEvent",
            eventID: "urn:uuid:2a29807f-4f30-542d-8849-91f567a45b34",
            recordTime: "2026-11-20T17:02:11.482Z",
            eventTime: "2026-11-20T17:02:10.000Z",
            eventTimeZoneOffset: "+00:00",
            epcList: ["urn:epc:id:sscc:0614141.1123456789"],
            action: "OBSERVE",
            bizStep: "loading",
            disposition: "in_progress",
            readPoint: { id: "https://dashboard.example.com/facilities/acme/east/docks/D1" },
            bizLocation: { id: "https://dashboard.example.com/facilities/acme/east" },
            bizTransactionList: bizTransactionList1
          }, {
            type: "ObjectEvent",
            eventID: "urn:uuid:4acb8262-18f7-5bae-985a-ea429b97e064",
            recordTime: "2026-11-20T18:05:02.000Z",
            eventTime: "2026-11-20T18:05:00.000Z",
            eventTimeZoneOffset: "+00:00",
            epcList: ["https://dashboard.example.com/shipments/1"],
            action: "OBSERVE",
            bizStep: "departing",
            disposition: "in_transit",
            readPoint: { id: "https://dashboard.example.com/facilities/acme/east/docks/D1" },
            bizLocation: { id: "https://dashboard.example.com/facilities/acme/east" },
            bizTransactionList: bizTransactionList1
          }, {
            type: "AssociationEvent",
            eventID: "urn:uuid:0f8110e3-c986-5143-9287-0f0a2df93eec",
            recordTime: "2026-11-20T18:05:02.000Z",
            parentID: "https://dashboard.example.com/trailers/acme/TR-4711",
            eventTime: "2026-11-20T18:05:00.000Z",
            eventTimeZoneOffset: "+00:00",
            childEPCs: ["urn:epc:id:sscc:0614141.1123456789"],
            action: "ADD",
            bizStep: "departing",
            disposition: "in_transit",
            readPoint: { id: "https://dashboard.example.com/facilities/acme/east/docks/D1" },
            bizLocation: { id: "https://dashboard.example.com/facilities/acme/east" },
            bizTransactionList: bizTransactionList1
          }]
        }
      }
    }
  }
} as const

/** The answers to the examples of the operations of operators, by the names of both. */
export const operatorAnswers = {
  getEpcisSettings: { companyPrefixes: ["0614141"], publishes: true },
  setEpcisSettings: { companyPrefixes: ["0614141"], publishes: true }
} as const
