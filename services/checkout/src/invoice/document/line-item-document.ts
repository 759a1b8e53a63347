import { fromTaxDocument } from '../../tax/finalization-document';
import type { LineItem, LineItemDetails, LineItemTier } from '../invoice';
import type { Count, Nullable } from './stored-fields';

/** Documents stored before usage was billed lack the credits. */
type DetailsDocument = Omit<LineItemDetails, 'creditsUsed' | 'proration'> &
  Partial<Pick<LineItemDetails, 'creditsUsed'>> & {
    readonly proration?: { readonly [K in 'numerator' | 'denominator']: Count } & {
      readonly of: string;
    };
  };

/** A line in an invoice's document. */
export type LineItemDocument = Omit<Nullable<LineItem>, 'metadata' | 'details'> & {
  readonly details: DetailsDocument | null;
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
};

// Defaults of fields that older documents lack.
const sinceUsage = { discountAmount: 0n, meterId: null };
const sinceChanges = { kind: null, itemId: null, itemProductId: null };

/** Reads a line of a stored invoice. */
export function fromLineItemDocument(stored: LineItemDocument): LineItem {
  const line: LineItemDocument = { ...sinceUsage, ...sinceChanges, ...stored };
  return {
    id: line.id,
    description: line.description,
    quantity: line.quantity,
    unitAmount: line.unitAmount ?? undefined,
    amount: line.amount,
    discountAmount: line.discountAmount,
    priceId: line.priceId ?? undefined,
    meterId: line.meterId ?? undefined,
    kind: line.kind ?? undefined,
    itemId: line.itemId ?? undefined,
    itemProductId: line.itemProductId ?? undefined,
    periodStart: line.periodStart ?? undefined,
    periodEnd: line.periodEnd ?? undefined,
    details: fromDetailsDocument(line.details),
    metadata: JSON.parse(line.metadata) as Record<string, unknown>,
    taxCategory: line.taxCategory ?? undefined,
    tax: fromTaxDocument(line.tax),
  };
}

function fromDetailsDocument(details: DetailsDocument | null): LineItemDetails | undefined {
  if (details === null) return undefined;
  const {
    exactAmount,
    billedQuantity,
    includedUnits,
    tiers,
    creditsUsed = [],
    proration,
  } = details;
  return {
    exactAmount,
    billedQuantity,
    includedUnits,
    tiers: tiers.map(fromTierDocument),
    creditsUsed: creditsUsed.map(({ grantId, quantity }) => ({ grantId, quantity })),
    ...(proration !== undefined && {
      proration: {
        numerator: BigInt(proration.numerator),
        denominator: BigInt(proration.denominator),
        of: proration.of,
      },
    }),
  };
}

function fromTierDocument({ upTo, ...tier }: LineItemTier): LineItemTier {
  return { ...tier, upTo: upTo ?? undefined };
}
