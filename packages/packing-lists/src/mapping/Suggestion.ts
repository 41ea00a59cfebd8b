/** Suggests a mapping by the names of columns. A person has to confirm a suggestion before it is used to send a file. */
import { separators } from "../file/FileTable.ts"
import type { SeparatorName, Table } from "../file/FileTable.ts"
import { columnsOf, emptyMapping, mappedFields } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"

/** Usual names of columns in packing lists, in addition to the names of the fields, reduced to letters and digits. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  shipmentNumber: [
    "shipment",
    "shipmentno",
    "shipmentid",
    "load",
    "loadnumber",
    "asn",
    "sendung",
    "lieferung"
  ],
  direction: ["inboundoutbound", "richtung"],
  expectedArrivalAt: ["eta", "expectedarrival", "arrival", "ankunft"],
  trailerNumber: [
    "trailer",
    "trailerno",
    "truck",
    "container",
    "containernumber",
    "containerno",
    "anhaenger"
  ],
  carrier: ["carriername", "haulier", "spediteur", "transporteur", "transportista"],
  dockSlug: ["dock", "door", "tor", "rampe"],
  driverName: ["driver", "fahrer"],
  driverLicensePlate: ["licenseplate", "kennzeichen"],
  orderNumber: [
    "order",
    "orderno",
    "ordernr",
    "orderid",
    "deliverynote",
    "auftrag",
    "auftragsnummer",
    "auftragsnr",
    "bestellung",
    "bestellnummer",
    "lieferschein",
    "lieferscheinnummer",
    "commande",
    "numerodecommande",
    "pedido",
    "numerodepedido"
  ],
  purchaseOrder: ["po", "ponumber", "pono", "customerpo"],
  consigneeName: ["consignee", "receiver", "recipient", "empfaenger"],
  bolNumber: ["bol", "billoflading"],
  sealNumber: ["seal", "sealno", "plombe"],
  supplier: ["vendor", "lieferant", "fournisseur", "proveedor"],
  client: ["customer", "kunde"],
  destination: ["shipto", "ziel"],
  lpn: [
    "sscc",
    "ssccnumber",
    "sscc18",
    "nve",
    "pallet",
    "palletid",
    "palletno",
    "palletnumber",
    "licenseplatenumber",
    "palette",
    "palettennummer",
    "palettennr",
    "palet"
  ],
  sku: [
    "item",
    "itemno",
    "itemnumber",
    "itemcode",
    "article",
    "articleno",
    "articlenumber",
    "material",
    "product",
    "productcode",
    "partnumber",
    "artikel",
    "artikelnummer",
    "artikelnr",
    "articulo",
    "referencia",
    "reference"
  ],
  quantity: ["qty", "pieces", "menge", "anzahl", "quantite", "cantidad"],
  quantityUnit: ["unit", "uom", "unitofmeasure", "einheit", "unite", "unidad"],
  description: [
    "itemdescription",
    "name",
    "text",
    "bezeichnung",
    "beschreibung",
    "designation",
    "descripcion"
  ],
  upc: ["ean", "gtin", "barcode"],
  weightPerUnit: ["weight", "unitweight", "gewicht"],
  lot: ["lotnumber", "lotno", "batch", "batchnumber", "charge", "chargennummer", "lote"],
  expirationDate: ["expiry", "expirydate", "expires", "bestbefore", "bbd", "mhd", "caducidad"],
  manufacturingDate: ["productiondate", "manufactured", "herstelldatum"],
  identifier: ["line", "lineno", "linenumber", "position", "pos"]
}

const umlauts: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" }

/** A name reduced to letters and digits, without accents. */
const plain = (name: string): string =>
  name.toLowerCase().replaceAll(/[äöüß]/g, (letter) => umlauts[letter]!).normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")

const fieldsByPlainName: ReadonlyMap<string, string> = new Map(
  mappedFields.flatMap(({ name }) =>
    [plain(name), ...names[name] ?? []].map((each): [string, string] => [each, name])
  )
)

/** Suggests for each column the field that has the column's name as its own or a usual name; each field at most once. */
export const suggest = (table: Table, from: Mapping = emptyMapping): Mapping => {
  const fields = new Set<string>()
  const columns: Array<Mapping["columns"][number]> = []
  for (const { name } of columnsOf(table, from.headerRow)) {
    const field = fieldsByPlainName.get(plain(name))
    if (field === undefined || fields.has(field) || columns.some(({ column }) => column === name)) continue
    fields.add(field)
    columns.push({ column: name, field })
  }
  const separator = Object.entries(separators).find(([, each]) => each === table.separator)
  return {
    ...from,
    columns,
    separator: (separator?.[0] ?? "") as SeparatorName | ""
  }
}
