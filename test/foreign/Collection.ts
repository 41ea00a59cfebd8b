/**
 * A collection for Postman with the 22 requests of the public collection of Kargo (api-evangelist/kargo,
 * `postman/kargo-public-graphql.postman_collection.json`), in its order and with its variables. It is written anew, because that repository
 * has no licence for copies: the operations request the same, the numbers are ours, and each request states what its answer must contain.
 *
 * The published "facility shipments" declares two variables without using them, which no GraphQL server may accept; here it does not.
 */
import { recently } from "@dockline/testing/generators/Given"

/** A request of a collection. */
interface Asked {
  readonly name: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  /** The assertions about the answer, as a script of Postman; `data` and `errors` are those of the answer. */
  readonly expect: ReadonlyArray<string>
  /** A file in place of the variable `file`. */
  readonly file?: string
}

const place = { businessSlug: "{{business}}", facilitySlug: "{{facility}}" }
const skuPlace = { business_slug: "{{business}}", facility_slug: "{{facility}}" }

const widget = { quantityUnit: "PALLET", quantity: 10, sku: "WIDGET-A", description: "Widget A" }

const noErrors = "pm.expect(errors).to.eql(undefined)"

const queries: ReadonlyArray<Asked> = [
  {
    name: "Introspection Schema",
    query: `query IntrospectionQuery {
      __schema {
        queryType { name } mutationType { name } subscriptionType { name }
        types { ...FullType }
        directives { name description locations args { ...InputValue } }
      }
    }
    fragment FullType on __Type {
      kind name description
      fields(includeDeprecated: true) {
        name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason
      }
      inputFields { ...InputValue }
      interfaces { ...TypeRef }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...TypeRef }
    }
    fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
    fragment TypeRef on __Type {
      kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
        kind name ofType { kind name }
      } } } } }
    }`,
    expect: [noErrors, "pm.expect(data.__schema.types.length).to.be.above(70)"]
  },
  { name: "ping", query: "query { ping }", expect: [noErrors, "pm.expect(data).to.eql({ ping: true })"] },
  {
    name: "businesses",
    query: `query {
      businesses {
        slug name
        facilities {
          slug name address { addressOne addressTwo city state zip } docks { slug displayName facilityId businessId }
        }
      }
    }`,
    expect: [
      noErrors,
      `pm.expect(data.businesses.map(({ slug }) => slug)).to.eql([pm.variables.get("business")])`,
      `const here = data.businesses[0].facilities.find(({ slug }) => slug === pm.variables.get("facility"))`,
      `pm.expect(here.docks.map(({ slug }) => slug)).to.include(pm.variables.get("dock"))`
    ]
  },
  {
    name: "shipment by ID",
    query: `query GetShipment($id: Int!) {
      shipment(id: $id) {
        id status shippingDirection purchaseOrder carrier carrierService customerShipmentIdentifier arrivedAt loadingStartAt
        loadingEndAt departedAt expectedArrivalAt
        facility { slug name }
        dock { slug displayName }
        statusEvents { status displayName completed completedAt }
        orders { externalId orderNumber direction status carrier }
        cargo { manifest { name partID quantity } items { partID quantity occurredAt direction } }
        documents { id type fileName fileUrl uploadedAt }
      }
    }`,
    variables: { id: "{{{shipment_id}}}" },
    expect: [
      noErrors,
      `pm.expect(data.shipment.id).to.eql(Number(pm.variables.get("shipment_id")))`,
      `pm.expect(data.shipment.status).to.eql("UNLOADED")`,
      `pm.expect(data.shipment.shippingDirection).to.eql("RECEIVING")`,
      `pm.expect(data.shipment.cargo[0].items.length).to.eql(1)`
    ]
  },
  {
    name: "pushMessages",
    query: `query GetPushMessages($input: PushMessageFilter!) {
      pushMessages(input: $input) { id messageType message sentAt facilitySlug businessSlug }
    }`,
    variables: {
      input: { since: "2024-01-01T00:00:00Z", businessSlug: "{{business}}", facilitySlug: null }
    },
    expect: [
      noErrors,
      `pm.expect(data.pushMessages.map(({ messageType }) => messageType)).to.eql(["PALLET_EVENT"])`,
      `pm.expect(JSON.parse(data.pushMessages[0].message).kargoShipmentId).to.eql(pm.variables.get("shipment_id"))`
    ]
  },
  {
    name: "kargoAgent",
    query: "query { kargoAgent { version token } }",
    expect: [noErrors, "pm.expect(data).to.eql({ kargoAgent: null })"]
  },
  {
    name: "facility shipments",
    query: `query FacilityShipments($filter: ShipmentFilter) {
      businesses {
        slug
        facilities {
          slug
          shipments(filter: $filter) {
            id status shippingDirection purchaseOrder carrier arrivedAt departedAt expectedArrivalAt
            dock { slug displayName }
            statusEvents { status displayName completed completedAt }
          }
        }
      }
    }`,
    variables: {
      filter: { since: "2024-01-01T00:00:00Z", before: "2099-12-31T23:59:59Z", shippingDirection: null }
    },
    expect: [noErrors, "pm.expect(data.businesses[0].facilities[0].shipments.length).to.eql(1)"]
  },
  {
    name: "facility orders",
    query: `query FacilityOrders {
      businesses {
        facilities {
          slug
          orders(filter: { startDate: "2024-01-01", endDate: "2099-12-31", direction: INBOUND }) {
            externalId orderNumber direction status purchaseOrder carrier carrierService requestedShipDate
            requestedDeliveryDate shipperName consigneeName bolNumber shipmentId
            items { id identifier sku quantity quantityUnit description }
          }
        }
      }
    }`,
    expect: [noErrors, "pm.expect(data.businesses[0].facilities[0].orders[0].items.length).to.eql(1)"]
  },
  {
    name: "facility SKUs",
    query: `query FacilitySKUs {
      businesses {
        facilities {
          slug
          SKUs {
            business_slug facility_slug sku_id description unit_of_measure alternate_sku_ids sku_metadata created_at updated_at
          }
        }
      }
    }`,
    expect: [noErrors]
  }
]

const mutations: ReadonlyArray<Asked> = [
  {
    name: "createShipmentAndOrder",
    query: `mutation CreateShipmentAndOrder($input: CreateShipmentAndOrderInput!) {
      createShipmentAndOrder(input: $input) { shipment { id status shippingDirection expectedArrivalAt } }
    }`,
    variables: {
      input: {
        shipment: {
          ...place,
          shipmentNumber: "TRUCK-1",
          expectedArrivalAt: "2026-06-15T10:00:00Z",
          direction: "RECEIVING",
          carrier: "Fast Freight",
          carrierService: "LTL",
          trailerNumber: "TR-1",
          dockSlug: "{{dock}}",
          status: "SCHEDULED",
          statusOccurredAt: recently("08:00:00Z")
        },
        orders: [{
          direction: "INBOUND",
          orderType: "PO",
          purchaseOrder: "PO-1",
          orderNumber: "ORDER-1",
          requestedDeliveryDate: "2026-06-15",
          carrier: "Fast Freight",
          carrierService: "LTL",
          items: [widget]
        }]
      }
    },
    expect: [
      noErrors,
      `const { shipment } = data.createShipmentAndOrder`,
      `pm.expect(shipment.status).to.eql("SCHEDULED")`,
      `pm.expect(shipment.shippingDirection).to.eql("RECEIVING")`,
      `pm.expect(shipment.expectedArrivalAt).to.eql("2026-06-15T10:00:00.000Z")`
    ]
  },
  {
    name: "updateShipment",
    query:
      `mutation UpdateShipment($input: UpdateShipmentInput!) { updateShipment(input: $input) { success id } }`,
    variables: {
      input: {
        ...place,
        shipmentNumber: "TRUCK-1",
        status: "AT_FACILITY",
        statusOccurredAt: recently("09:30:00Z"),
        carrier: "Fast Freight",
        carrierService: "LTL",
        trailerNumber: "TR-1",
        dockSlug: "{{dock}}",
        driverName: "Ada Driver",
        driverLicensePlate: "ABC1234"
      }
    },
    expect: [noErrors, "pm.expect(data.updateShipment.success).to.eql(true)"]
  },
  {
    name: "createOrder",
    query: `mutation CreateOrder($input: OrderInput!) { createOrder(input: $input) { success id } }`,
    variables: {
      input: {
        ...place,
        orderNumber: "ORDER-2",
        direction: "INBOUND",
        orderType: "PO",
        purchaseOrder: "PO-2",
        requestedShipDate: "2026-06-14",
        requestedDeliveryDate: "2026-06-15",
        carrier: "Fast Freight",
        carrierService: "LTL",
        bolNumber: "BOL-1",
        items: [{ ...widget, lot: "LOT-1" }]
      }
    },
    expect: [
      noErrors,
      "pm.expect(data.createOrder.success).to.eql(true)",
      `pm.collectionVariables.set("order_id", data.createOrder.id)`
    ]
  },
  {
    name: "createOrUpdateOrder",
    query: `mutation CreateOrUpdateOrder($input: OrderInput!) {
      createOrUpdateOrder(input: $input) { success id type }
    }`,
    variables: {
      input: {
        ...place,
        orderNumber: "ORDER-2",
        direction: "INBOUND",
        purchaseOrder: "PO-2",
        carrier: "Fast Freight",
        items: [widget]
      }
    },
    expect: [
      noErrors,
      `pm.expect(data.createOrUpdateOrder).to.eql({ success: true, id: pm.variables.get("order_id"), type: "UPDATE" })`
    ]
  },
  {
    name: "addItemsToOrder",
    query:
      `mutation AddItemsToOrder($input: AddItemsToOrderInput!) { addItemsToOrder(input: $input) { success } }`,
    variables: {
      input: {
        id: "{{order_id}}",
        items: [
          { quantityUnit: "PALLET", quantity: 5, sku: "WIDGET-B", description: "Widget B", lpn: "PALLET-1" }
        ]
      }
    },
    expect: [noErrors, "pm.expect(data.addItemsToOrder.success).to.eql(true)"]
  },
  {
    name: "deleteItemsFromOrder",
    query: `mutation DeleteItemsFromOrder($input: DeleteItemsFromOrderInput!) {
      deleteItemsFromOrder(input: $input) { success deletedIdentifiers orderDeleted }
    }`,
    variables: { input: { id: "{{order_id}}", identifiers: ["PALLET-1", "nobody knows it"] } },
    expect: [
      noErrors,
      `pm.expect(data.deleteItemsFromOrder)
        .to.eql({ success: true, deletedIdentifiers: ["PALLET-1"], orderDeleted: false })`
    ]
  },
  {
    name: "upsertSKUs",
    query: `mutation UpsertSKUs($input: UpsertSKUInput!) {
      upsertSKUs(input: $input) { numRecordsAdded numRecordsUpdated }
    }`,
    variables: {
      input: {
        ...skuPlace,
        SKUs: [{
          sku_id: "WIDGET-A",
          description: "Widget A",
          unit_of_measure: "PALLET",
          alternate_sku_ids: ["ALT-1"],
          sku_metadata: `{"color": "blue"}`
        }]
      }
    },
    expect: [noErrors, "pm.expect(data.upsertSKUs).to.eql({ numRecordsAdded: 1, numRecordsUpdated: 0 })"]
  },
  {
    name: "deleteSKUs",
    query: `mutation DeleteSKUs($input: DeleteSKUInput!) { deleteSKUs(input: $input) { numRecordsDeleted } }`,
    variables: { input: { ...skuPlace, SKUIDs: ["WIDGET-A", "nobody knows it"] } },
    expect: [noErrors, "pm.expect(data.deleteSKUs).to.eql({ numRecordsDeleted: 1 })"]
  },
  {
    name: "createException",
    query:
      `mutation CreateException($input: CreateExceptionInput!) { createException(input: $input) { exceptionId } }`,
    variables: {
      input: {
        shipmentId: "{{{shipment_id}}}",
        palletId: null,
        priority: "HIGH",
        customerExceptionDescription: "A pallet is damaged."
      }
    },
    expect: [noErrors, "pm.expect(data.createException.exceptionId).to.match(/^[0-9]+$/)"]
  },
  {
    name: "processPayload",
    query: `mutation ProcessPayload($input: ProcessPayloadInput!) {
      processPayload(input: $input) { success message loggingId }
    }`,
    variables: { input: { ...place, payload: { key: "value" } } },
    // An invalid document is a result of the mutation, not an error of the request.
    expect: [
      noErrors,
      "pm.expect(data.processPayload.success).to.eql(false)",
      `pm.expect(data.processPayload.message).to.include("key")`,
      `pm.expect(data.processPayload.loggingId).not.to.eql("")`
    ]
  },
  {
    name: "parseImage (multipart upload)",
    query: `mutation ($file: Upload!) {
      parseImage(input: {
        businessSlug: "{{business}}", facilitySlug: "{{facility}}", file: $file, metadata: [{ key: "label_id", value: "L-1" }]
      }) { readResults { name value confidence locations { x y } } requestId templateIds metadata { key value } }
    }`,
    file: "label.png",
    expect: [
      noErrors,
      "pm.expect(data.parseImage.readResults).to.eql([])",
      `pm.expect(data.parseImage.metadata).to.eql([{ key: "label_id", value: "L-1" }])`
    ]
  }
]

const subscriptions: ReadonlyArray<Asked> = [
  {
    name: "pushMessage subscription (reference)",
    query: `subscription ($filter: PushMessageSubscriptionFilter!) {
      pushMessage(filter: $filter) { id messageType message sentAt facilitySlug businessSlug }
    }`,
    variables: { filter: place },
    // It is only there to be read: a subscription needs a WebSocket, and the answer says so.
    expect: [`pm.expect(errors[0].message).to.include("WebSocket")`]
  }
]

/** Variables stand in texts; `{{{name}}}` is a number. */
const written = (value: unknown): string => JSON.stringify(value).replaceAll(/"\{(\{\{\w+\}\})\}"/g, "$1")

const bodyOf = ({ file, query, variables }: Asked) =>
  file === undefined
    ? { mode: "raw", raw: written({ query, ...(variables === undefined ? {} : { variables }) }) }
    : {
      mode: "formdata",
      formdata: [
        { key: "operations", type: "text", value: written({ query, variables: { file: null } }) },
        { key: "map", type: "text", value: written({ 0: ["variables.file"] }) },
        { key: "0", type: "file", src: file }
      ]
    }

const script = (lines: ReadonlyArray<string>) => [
  { listen: "test", script: { type: "text/javascript", exec: lines } }
]

const requestOf = (asked: Asked) => ({
  name: asked.name,
  request: {
    method: "POST",
    url: "{{base_url}}",
    header: asked.file === undefined ? [{ key: "Content-Type", value: "application/json" }] : [],
    body: bodyOf(asked)
  },
  event: script([
    `pm.test(${JSON.stringify(asked.name)}, () => {`,
    "const { data, errors } = pm.response.json()",
    ...asked.expect,
    "})"
  ])
})

/** The collection. Its variables come from the environment in which it runs. */
export const collection = {
  info: {
    name: "Requests of Kargo's clients",
    schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
  },
  auth: { type: "bearer", bearer: [{ key: "token", value: "{{access_token}}", type: "string" }] },
  item: [
    {
      name: "Get Access Token",
      request: {
        auth: { type: "noauth" },
        method: "POST",
        url: "{{token_url}}",
        header: [{ key: "Content-Type", value: "application/json" }],
        body: {
          mode: "raw",
          raw: written({
            client_id: "{{client_id}}",
            client_secret: "{{client_secret}}",
            audience: "{{audience}}",
            grant_type: "client_credentials"
          })
        }
      },
      event: script([
        `pm.test("Get Access Token", () => pm.response.to.have.status(200))`,
        `pm.collectionVariables.set("access_token", pm.response.json().access_token)`
      ])
    },
    { name: "Queries", item: queries.map(requestOf) },
    { name: "Mutations", item: mutations.map(requestOf) },
    { name: "Subscriptions", item: subscriptions.map(requestOf) }
  ]
}

/** The number of its requests. */
export const requestCount = 1 + queries.length + mutations.length + subscriptions.length
