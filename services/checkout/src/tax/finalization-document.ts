import type { Finalization, InvoiceSeller, TaxOfLine } from './finalization';

/** A whole number as it is read from the database. */
type Count = number | bigint;

type LogoDocument = Omit<NonNullable<InvoiceSeller['logo']>, 'width' | 'height' | 'size'> &
  Readonly<Record<'width' | 'height' | 'size', Count>>;

type SellerDocument = Omit<InvoiceSeller, 'version' | 'logo'> & {
  readonly version: Count;
  readonly logo: LogoDocument | null;
};

interface PartiesDocument {
  readonly seller: SellerDocument;
  readonly buyer: NonNullable<Finalization['parties']>['buyer'] | null;
}

/** Facts of a finalization in an invoice's document. */
export type FinalizationDocument = Omit<
  Finalization,
  'at' | 'netDays' | 'locale' | 'parties' | 'taxes'
> & {
  readonly locale?: string | null;
  readonly at: Date | null;
  readonly netDays: Count;
  readonly parties: PartiesDocument | null;
  readonly taxes: Finalization['taxes'] | null;
};

export function toFinalizationDocument(
  finalization: Finalization | undefined,
): Record<string, unknown> | null {
  if (finalization === undefined) return null;
  const { at, locale, parties, taxes, ...fields } = finalization;
  return {
    ...fields,
    at: at ?? null,
    locale: locale ?? null,
    parties: parties === undefined ? null : { ...parties, buyer: parties.buyer ?? null },
    taxes: taxes ?? null,
  };
}

/** Undefined for an invoice of an earlier release. */
export function fromFinalizationDocument(
  stored: FinalizationDocument | null | undefined,
): Finalization | undefined {
  if (stored === null || stored === undefined) return undefined;
  const { at, netDays, invoicePrefix, parties, taxes } = stored;
  return {
    at: at ?? undefined,
    netDays: Number(netDays),
    invoicePrefix,
    locale: stored.locale ?? undefined,
    parties:
      parties === null
        ? undefined
        : { seller: readSeller(parties.seller), buyer: parties.buyer ?? undefined },
    taxes: taxes ?? undefined,
  };
}

/** Tax of a line as it is read; the driver reads a small whole number as either type. */
export function fromTaxDocument(stored: TaxOfLine | null | undefined): TaxOfLine | undefined {
  if (stored === null || stored === undefined) return undefined;
  const { reason, name, country, state, percent } = stored;
  const { pricedAmount, pricedDiscount, amount } = stored;
  return { pricedAmount, pricedDiscount, amount, reason, name, country, state, percent };
}

function readSeller({ version, logo, ...seller }: SellerDocument): InvoiceSeller {
  return {
    ...seller,
    version: Number(version),
    logo: logo && {
      ...logo,
      width: Number(logo.width),
      height: Number(logo.height),
      size: Number(logo.size),
    },
  };
}
