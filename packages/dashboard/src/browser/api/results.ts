/** The types of what pages ask for, made by `packages/dashboard/test/Results.test.ts`. */

/** The variables of the operation `Shipments`. */
export interface ShipmentsVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
  readonly status?: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED" | null | undefined
  readonly discrepancies?: boolean | null | undefined
  readonly carrier?: string | null | undefined
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly order?: "ID" | "EARLIEST" | "LATEST" | null | undefined
  readonly after?: string | null | undefined
}

/** The result of the operation `Shipments`. */
export interface ShipmentsResult {
  readonly shipments: {
    readonly nodes: ReadonlyArray<{
      readonly id: number
      readonly shipmentNumber: string
      readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
      readonly direction: string
      readonly dockSlug: string
      readonly trailerNumber: string
      readonly carrier: string
      readonly expectedArrivalAt: string
      readonly business: {
        readonly slug: string
        readonly name: string
      }
      readonly facility: {
        readonly slug: string
        readonly name: string
      }
      readonly statusEvents: ReadonlyArray<{
        readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
        readonly completedAt: string
      }>
      readonly progress: {
        readonly expectedPallets: number
        readonly passedPallets: number
        readonly missingPallets: number
        readonly unexpectedPallets: number
      }
      readonly orders: ReadonlyArray<{
        readonly id: string
        readonly orderNumber: string
      }>
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
      readonly endCursor: string | null
    }
  }
}

/** The variables of the operation `Docked`. */
export interface DockedVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
}

/** The result of the operation `Docked`. */
export interface DockedResult {
  readonly shipments: {
    readonly nodes: ReadonlyArray<{
      readonly id: number
      readonly shipmentNumber: string
      readonly direction: string
      readonly dockSlug: string
      readonly trailerNumber: string
      readonly carrier: string
      readonly statusEvents: ReadonlyArray<{
        readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
        readonly completedAt: string
      }>
      readonly progress: {
        readonly expectedPallets: number
        readonly passedPallets: number
        readonly missingPallets: number
        readonly unexpectedPallets: number
      }
    }>
  }
}

/** The variables of the operation `Upcoming`. */
export interface UpcomingVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
}

/** The result of the operation `Upcoming`. */
export interface UpcomingResult {
  readonly shipments: {
    readonly nodes: ReadonlyArray<{
      readonly id: number
      readonly shipmentNumber: string
      readonly direction: string
      readonly dockSlug: string
      readonly carrier: string
      readonly expectedArrivalAt: string
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
    }
  }
}

/** The variables of the operation `Search`. */
export interface SearchVariables {
  readonly business?: string | null | undefined
  readonly text: string
  readonly after?: string | null | undefined
  readonly first?: number | null | undefined
}

/** The result of the operation `Search`. */
export interface SearchResult {
  readonly search: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly kind: "SHIPMENT" | "TRAILER" | "ORDER" | "PALLET" | "ITEM" | "REMOVAL"
      readonly text: string
      readonly facility: {
        readonly slug: string
        readonly name: string
      }
      readonly shipmentId: number
      readonly shipmentNumber: string
      readonly status: string
      readonly missingPallets: number
      readonly unexpectedPallets: number
      readonly orderNumber: string
      readonly palletId: string
      readonly documentId: number
      readonly removedAt: string
      readonly removedBy: string
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
      readonly endCursor: string | null
    }
  }
}

/** The variables of the operation `Shipment`. */
export interface ShipmentVariables {
  readonly id: number
}

/** The result of the operation `Shipment`. */
export interface ShipmentResult {
  readonly shipment: {
    readonly id: number
    readonly shipmentNumber: string
    readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
    readonly direction: string
    readonly dockSlug: string
    readonly trailerNumber: string
    readonly carrier: string
    readonly expectedArrivalAt: string
    readonly scheduledAt: string
    readonly business: {
      readonly slug: string
      readonly name: string
    }
    readonly facility: {
      readonly slug: string
      readonly name: string
    }
    readonly progress: {
      readonly expectedPallets: number
      readonly passedPallets: number
      readonly missingPallets: number
      readonly unexpectedPallets: number
    }
    readonly additionalFields: ReadonlyArray<{
      readonly name: string
      readonly value: string
    }>
    readonly statusEvents: ReadonlyArray<{
      readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
      readonly displayName: string
      readonly completed: boolean
      readonly completedAt: string
    }>
    readonly orders: ReadonlyArray<{
      readonly id: string
      readonly orderNumber: string
      readonly status: "CREATED" | "COMPLETED" | "CANCELLED"
      readonly expectedQuantity: number
      readonly sealNumber: string
      readonly supplier: string
      readonly client: string
      readonly destination: string
      readonly carrier: string
    }>
    readonly pallets: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly lpn: string
        readonly state: "LOADED" | "UNLOADED"
        readonly expected: boolean
        readonly dockSlug: string
        readonly lastSeenAt: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
    readonly exceptions: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly palletId: string
        readonly lpn: string
        readonly kind: "DAMAGED" | "SHORT" | "OVER" | "OTHER"
        readonly priority: "LOW" | "HIGH"
        readonly description: string
        readonly status: "OPEN" | "RESOLVED"
        readonly reportedAt: string
        readonly reportedBy: string
        readonly resolvedAt: string
        readonly resolvedBy: string
        readonly note: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  } | null
}

/** The variables of the operation `Belongings`. */
export interface BelongingsVariables {
  readonly id: number
  readonly business: string
  readonly facility: string
  readonly shipmentNumber: string
  readonly seen: boolean
  readonly withItems: boolean
}

/** The result of the operation `Belongings`. */
export interface BelongingsResult {
  readonly documents: {
    readonly nodes: ReadonlyArray<{
      readonly id: number
      readonly receivedAt: string
      readonly clientId: string
      readonly shipmentNumber: string
      readonly orderNumbers: ReadonlyArray<string>
      readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED" | "REFUSED"
      readonly code: string
      readonly counts: {
        readonly created: number
        readonly updated: number
        readonly removed: number
        readonly replaced: number
      }
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
      readonly endCursor: string | null
    }
  }
  readonly shipment: {
    readonly discrepancies: {
      readonly nodes: ReadonlyArray<{
        readonly kind: "SHORT" | "OVER" | "WRONG_SHIPMENT" | "WRONG_DOCK"
        readonly lpn: string
        readonly palletId: string
        readonly dockSlug: string
        readonly expectedOnId: number
        readonly expectedOnNumber: string
        readonly provisional: boolean
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
    readonly items?: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly lpn: string
        readonly sku: string
        readonly description: string
        readonly quantity: number
        readonly quantityUnit: string
        readonly lot: string
        readonly expirationDate: string
        readonly purchaseOrder: string
        readonly isDangerousGood: boolean
        readonly orderId: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
    readonly unseen?: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly lpn: string
        readonly sku: string
        readonly description: string
        readonly quantity: number
        readonly quantityUnit: string
        readonly lot: string
        readonly expirationDate: string
        readonly purchaseOrder: string
        readonly isDangerousGood: boolean
        readonly orderId: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  } | null
}

/** The variables of the operation `Items`. */
export interface ItemsVariables {
  readonly id: number
  readonly orderId?: string | null | undefined
  readonly find?: string | null | undefined
  readonly unseen?: boolean | null | undefined
  readonly after?: string | null | undefined
}

/** The result of the operation `Items`. */
export interface ItemsResult {
  readonly shipment: {
    readonly items: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly lpn: string
        readonly sku: string
        readonly description: string
        readonly quantity: number
        readonly quantityUnit: string
        readonly lot: string
        readonly expirationDate: string
        readonly purchaseOrder: string
        readonly isDangerousGood: boolean
        readonly orderId: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  } | null
}

/** The variables of the operation `ItemsOfShipment`. */
export interface ItemsOfShipmentVariables {
  readonly id: number
}

/** The result of the operation `ItemsOfShipment`. */
export interface ItemsOfShipmentResult {
  readonly shipment: {
    readonly orders: ReadonlyArray<{
      readonly id: string
      readonly items: ReadonlyArray<{
        readonly id: string
        readonly lpn: string
        readonly sku: string
        readonly description: string
        readonly quantity: number
        readonly quantityUnit: string
        readonly lot: string
        readonly expirationDate: string
        readonly purchaseOrder: string
        readonly isDangerousGood: boolean
      }>
    }>
  } | null
}

/** The variables of the operation `Messages`. */
export interface MessagesVariables {
  readonly input: {
    readonly businessSlug: string
    readonly facilitySlug?: string | null | undefined
    readonly messageTypes?: ReadonlyArray<"PALLET_EVENT" | "SHIPMENT_COMPLETE"> | null | undefined
    readonly since: string
    readonly afterId?: number | null | undefined
    readonly limit?: number | null | undefined
  }
}

/** The result of the operation `Messages`. */
export interface MessagesResult {
  readonly pushMessages: ReadonlyArray<{
    readonly id: number
    readonly facilitySlug: string
    readonly messageType: "PALLET_EVENT" | "SHIPMENT_COMPLETE"
    readonly message: Readonly<Record<string, unknown>>
    readonly sentAt: string
  }>
}

/** The variables of the operation `Brief`. */
export interface BriefVariables {
  readonly id: number
}

/** The result of the operation `Brief`. */
export interface BriefResult {
  readonly shipment: {
    readonly id: number
    readonly shipmentNumber: string
    readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
    readonly direction: string
    readonly carrier: string
    readonly statusEvents: ReadonlyArray<{
      readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
      readonly completedAt: string
    }>
    readonly progress: {
      readonly missingPallets: number
      readonly unexpectedPallets: number
    }
  } | null
}

/** The variables of the operation `DiscrepanciesOfShipment`. */
export interface DiscrepanciesOfShipmentVariables {
  readonly id: number
  readonly seen?: boolean | null | undefined
  readonly after?: string | null | undefined
}

/** The result of the operation `DiscrepanciesOfShipment`. */
export interface DiscrepanciesOfShipmentResult {
  readonly shipment: {
    readonly discrepancies: {
      readonly nodes: ReadonlyArray<{
        readonly kind: "SHORT" | "OVER" | "WRONG_SHIPMENT" | "WRONG_DOCK"
        readonly lpn: string
        readonly palletId: string
        readonly dockSlug: string
        readonly expectedOnId: number
        readonly expectedOnNumber: string
        readonly provisional: boolean
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  } | null
}

/** The variables of the operation `Documents`. */
export interface DocumentsVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
  readonly shipmentNumber?: string | null | undefined
  readonly orderNumber?: string | null | undefined
  readonly correlationId?: string | null | undefined
  readonly outcome?: "CREATED" | "UPDATED" | "UNCHANGED" | "REFUSED" | null | undefined
  readonly removed?: boolean | null | undefined
  readonly lpn?: string | null | undefined
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly after?: string | null | undefined
  readonly first?: number | null | undefined
}

/** The result of the operation `Documents`. */
export interface DocumentsResult {
  readonly documents: {
    readonly nodes: ReadonlyArray<{
      readonly id: number
      readonly receivedAt: string
      readonly clientId: string
      readonly shipmentNumber: string
      readonly orderNumbers: ReadonlyArray<string>
      readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED" | "REFUSED"
      readonly code: string
      readonly counts: {
        readonly created: number
        readonly updated: number
        readonly removed: number
        readonly replaced: number
      }
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
      readonly endCursor: string | null
    }
  }
}

/** The variables of the operation `Document`. */
export interface DocumentVariables {
  readonly id: number
}

/** The result of the operation `Document`. */
export interface DocumentResult {
  readonly document: {
    readonly id: number
    readonly receivedAt: string
    readonly clientId: string
    readonly shipmentNumber: string
    readonly orderNumbers: ReadonlyArray<string>
    readonly outcome: "CREATED" | "UPDATED" | "UNCHANGED" | "REFUSED"
    readonly code: string
    readonly counts: {
      readonly created: number
      readonly updated: number
      readonly removed: number
      readonly replaced: number
    }
    readonly correlationId: string
    readonly shipmentId: number
    readonly strategies: ReadonlyArray<string>
    readonly business: {
      readonly slug: string
      readonly name: string
    }
    readonly facility: {
      readonly slug: string
      readonly name: string
    }
    readonly changes: ReadonlyArray<{
      readonly change: "CREATED" | "UPDATED" | "REMOVED"
      readonly type: "SHIPMENT" | "ORDER" | "ORDER_ITEM"
      readonly id: string
      readonly reference: string
    }>
  } | null
}

/** The variables of the operation `PalletsOfShipment`. */
export interface PalletsOfShipmentVariables {
  readonly id: number
  readonly after?: string | null | undefined
}

/** The result of the operation `PalletsOfShipment`. */
export interface PalletsOfShipmentResult {
  readonly shipment: {
    readonly pallets: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly lpn: string
        readonly state: "LOADED" | "UNLOADED"
        readonly expected: boolean
        readonly dockSlug: string
        readonly lastSeenAt: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  } | null
}

/** The variables of the operation `ExceptionsOfShipment`. */
export interface ExceptionsOfShipmentVariables {
  readonly id: number
  readonly after?: string | null | undefined
}

/** The result of the operation `ExceptionsOfShipment`. */
export interface ExceptionsOfShipmentResult {
  readonly shipment: {
    readonly exceptions: {
      readonly nodes: ReadonlyArray<{
        readonly id: string
        readonly palletId: string
        readonly lpn: string
        readonly kind: "DAMAGED" | "SHORT" | "OVER" | "OTHER"
        readonly priority: "LOW" | "HIGH"
        readonly description: string
        readonly status: "OPEN" | "RESOLVED"
        readonly reportedAt: string
        readonly reportedBy: string
        readonly resolvedAt: string
        readonly resolvedBy: string
        readonly note: string
      }>
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly endCursor: string | null
      }
    }
  } | null
}

/** The variables of the operation `Exceptions`. */
export interface ExceptionsVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
  readonly status?: "OPEN" | "RESOLVED" | null | undefined
  readonly priority?: "LOW" | "HIGH" | null | undefined
  readonly after?: string | null | undefined
}

/** The result of the operation `Exceptions`. */
export interface ExceptionsResult {
  readonly exceptions: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly palletId: string
      readonly lpn: string
      readonly kind: "DAMAGED" | "SHORT" | "OVER" | "OTHER"
      readonly priority: "LOW" | "HIGH"
      readonly description: string
      readonly status: "OPEN" | "RESOLVED"
      readonly reportedAt: string
      readonly reportedBy: string
      readonly resolvedAt: string
      readonly resolvedBy: string
      readonly note: string
      readonly shipmentId: number
      readonly shipmentNumber: string
      readonly business: {
        readonly slug: string
        readonly name: string
      }
      readonly facility: {
        readonly slug: string
        readonly name: string
      }
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
      readonly endCursor: string | null
    }
  }
}

/** The variables of the operation `OpenExceptions`. */
export interface OpenExceptionsVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
}

/** The result of the operation `OpenExceptions`. */
export interface OpenExceptionsResult {
  readonly high: {
    readonly nodes: ReadonlyArray<{
      readonly shipmentId: number
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
    }
  }
  readonly low: {
    readonly nodes: ReadonlyArray<{
      readonly shipmentId: number
    }>
    readonly pageInfo: {
      readonly hasNextPage: boolean
    }
  }
}

/** The variables of the operation `ReportException`. */
export interface ReportExceptionVariables {
  readonly input: {
    readonly shipmentId: number
    readonly palletId?: string | null | undefined
    readonly lpn?: string | null | undefined
    readonly kind: "DAMAGED" | "SHORT" | "OVER" | "OTHER"
    readonly priority: "LOW" | "HIGH"
    readonly description: string
  }
}

/** The result of the operation `ReportException`. */
export interface ReportExceptionResult {
  readonly reportException: {
    readonly id: string
    readonly palletId: string
    readonly lpn: string
    readonly kind: "DAMAGED" | "SHORT" | "OVER" | "OTHER"
    readonly priority: "LOW" | "HIGH"
    readonly description: string
    readonly status: "OPEN" | "RESOLVED"
    readonly reportedAt: string
    readonly reportedBy: string
    readonly resolvedAt: string
    readonly resolvedBy: string
    readonly note: string
  }
}

/** The variables of the operation `ResolveException`. */
export interface ResolveExceptionVariables {
  readonly input: {
    readonly shipmentId: number
    readonly exceptionId: string
    readonly note: string
  }
}

/** The result of the operation `ResolveException`. */
export interface ResolveExceptionResult {
  readonly resolveException: {
    readonly id: string
    readonly palletId: string
    readonly lpn: string
    readonly kind: "DAMAGED" | "SHORT" | "OVER" | "OTHER"
    readonly priority: "LOW" | "HIGH"
    readonly description: string
    readonly status: "OPEN" | "RESOLVED"
    readonly reportedAt: string
    readonly reportedBy: string
    readonly resolvedAt: string
    readonly resolvedBy: string
    readonly note: string
  }
}

/** The variables of the operation `Numbered`. */
export interface NumberedVariables {
  readonly business?: string | null | undefined
  readonly facility?: string | null | undefined
  readonly shipmentNumber?: string | null | undefined
}

/** The result of the operation `Numbered`. */
export interface NumberedResult {
  readonly shipments: {
    readonly nodes: ReadonlyArray<{
      readonly id: number
    }>
  }
}

/** The variables of the operation `ArriveShipment`. */
export interface ArriveShipmentVariables {
  readonly input: {
    readonly shipmentId: number
    readonly occurredAt?: string | null | undefined
    readonly dockSlug?: string | null | undefined
  }
}

/** The result of the operation `ArriveShipment`. */
export interface ArriveShipmentResult {
  readonly arriveShipment: {
    readonly id: number
  }
}

/** The variables of the operation `DepartShipment`. */
export interface DepartShipmentVariables {
  readonly input: {
    readonly shipmentId: number
    readonly occurredAt?: string | null | undefined
  }
}

/** The result of the operation `DepartShipment`. */
export interface DepartShipmentResult {
  readonly departShipment: {
    readonly id: number
  }
}

/** The variables of the operation `LinkShipments`. */
export interface LinkShipmentsVariables {
  readonly input: {
    readonly shipmentId: number
    readonly linkedShipmentId: number
  }
}

/** The result of the operation `LinkShipments`. */
export interface LinkShipmentsResult {
  readonly linkShipments: {
    readonly id: number
  }
}

/** The variables of the operation `CancelShipment`. */
export interface CancelShipmentVariables {
  readonly input: {
    readonly shipmentId: number
  }
}

/** The result of the operation `CancelShipment`. */
export interface CancelShipmentResult {
  readonly cancelShipment: {
    readonly id: number
  }
}

/** The variables of the operation `Pallet`. */
export interface PalletVariables {
  readonly shipmentId: number
  readonly id: string
}

/** The result of the operation `Pallet`. */
export interface PalletResult {
  readonly pallet: {
    readonly id: string
    readonly lpn: string
    readonly state: "LOADED" | "UNLOADED"
    readonly expected: boolean
    readonly orders: ReadonlyArray<string>
    readonly dockSlug: string
    readonly firstSeenAt: string
    readonly lastSeenAt: string
    readonly shipmentId: number
    readonly shipmentNumber: string
    readonly business: {
      readonly slug: string
      readonly name: string
    }
    readonly facility: {
      readonly slug: string
      readonly name: string
    }
    readonly labels: ReadonlyArray<{
      readonly name: string
      readonly value: string
    }>
    readonly events: ReadonlyArray<{
      readonly direction: "LOADING" | "UNLOADING"
      readonly occurredAt: string
      readonly dockSlug: string
      readonly messageId: number
    }>
  } | null
}
