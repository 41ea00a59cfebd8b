/** The first document through openapi-typescript and openapi-fetch. */
import createClient from "openapi-fetch"
import type { paths } from "./dockline.ts"

const { AUDIENCE = "", CLIENT_ID = "", CLIENT_SECRET = "", DOCKLINE_URL = "" } = process.env

// Answers also come in XML, and lists in CSV, for clients that accept these.
const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: DOCKLINE_URL })

const token = await client.POST("/oauth/token", {
  body: {
    grant_type: "client_credentials",
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    audience: AUDIENCE
  }
})
const headers = { authorization: `Bearer ${token.data?.access_token}` }

const submit = (quantity: number) =>
  client.POST("/v1/documents", {
    headers,
    params: {},
    body: {
      business: "acme",
      facility: "east",
      direction: "INBOUND",
      orderNumber: "PO-TYPESCRIPT",
      orderItemUpdateStrategy: "OVERWRITE",
      items: [{ lpn: "TS-1", sku: "SKU-1", quantity, quantityUnit: "CASE" }]
    }
  })

const taken = await submit(3)
const shipment = await client.GET("/v1/shipments/{id}", {
  headers,
  params: { path: { id: taken.data?.shipment.id ?? 0 } }
})
const orders = await client.GET("/v1/orders", {
  headers,
  params: { query: { orderNumber: "PO-TYPESCRIPT" } }
})
const refused = await submit(-1)

console.log(shipment.data?.status, orders.data?.items.length, refused.response.status, refused.error?.code)
