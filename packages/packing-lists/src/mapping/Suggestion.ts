/** Suggests a mapping by the names of columns. A person has to confirm a suggestion before it is used to send a file. */
import { separators } from "../file/FileTable.ts"
import type { SeparatorName, Table } from "../file/FileTable.ts"
import { columnsOf, emptyMapping, mappedFields } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"

/** Usual names of columns in packing lists, the most specific first, reduced to letters and digits, besides the names of the fields. */
const usualNames: Readonly<Record<string, ReadonlyArray<string>>> = {
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
  name.normalize("NFKC").toLowerCase().replaceAll(/[äöüß]/g, (letter) => umlauts[letter]!).normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")

/** For each field its own name, and then for each its usual names, the most specific first. */
const namesInOrder: ReadonlyArray<readonly [field: string, names: ReadonlyArray<string>]> = [
  ...mappedFields.map(({ name }) => [name, [plain(name)]] as const),
  ...mappedFields.map(({ name }) => [name, usualNames[name] ?? []] as const)
]

/**
 * Suggests for each column the field that has the column's name as its own or a usual name; each field at most once. A column with a
 * field's own name comes before columns with a usual one, and an earlier usual name before a later one, wherever the columns are.
 */
export const suggest = (table: Table, from: Mapping = emptyMapping): Mapping => {
  const columnNames = [...new Set(columnsOf(table, from.headerRow).map(({ name }) => name))]
  // The first column of a name has it.
  const columnByName = new Map(columnNames.toReversed().map((column) => [plain(column), column]))
  const fieldByColumn = new Map<string, string>()
  const fields = new Set<string>()
  for (const [field, names] of namesInOrder) {
    const column = names.map((name) => columnByName.get(name)).find((column) =>
      column !== undefined && !fieldByColumn.has(column)
    )
    if (column === undefined || fields.has(field)) continue
    fields.add(field)
    fieldByColumn.set(column, field)
  }
  const columns = columnNames.flatMap((column) => {
    const field = fieldByColumn.get(column)
    return field === undefined ? [] : [{ column, field }]
  })
  const separator = Object.entries(separators).find(([, each]) => each === table.separator)
  return {
    ...from,
    columns,
    separator: (separator?.[0] ?? "") as SeparatorName | ""
  }
}
