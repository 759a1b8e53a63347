import type { FormValues } from '../../parts/form/form-values';
import { amountToType, typedAmount, typedCount } from '../../parts/text/amount';
import { rateToType, typedRate } from '../../parts/text/rate';
import type { Invoice } from '../../resources/invoice/invoice';
import { categoryToType } from '../../resources/tax/tax-category-text';

/** A line of a one-off invoice as it is typed; money is in major units. */
export interface LineRow {
  readonly description: string;
  readonly quantity: string;
  /** Price of a unit, or of the line if it has no price of a unit. May be below 0. */
  readonly unitAmount: string;
  /** Empty for the default. */
  readonly taxCategory: string;
  /** Id of the line of the draft; empty for a new line. */
  readonly source: string;
}

type DraftLine = Pick<
  Invoice['lineItems'][number],
  'id' | 'unitAmount' | 'periodStart' | 'periodEnd' | 'metadata'
>;

type Draft = Pick<
  Invoice,
  'lineItems' | 'currency' | 'collectionMethod' | 'memo' | 'purchaseOrder'
>;

type Values = Pick<FormValues, 'text' | 'optional' | 'has'>;

export const emptyLine: LineRow = {
  description: '',
  quantity: '1',
  unitAmount: '',
  taxCategory: '',
  source: '',
};

/** Name of the field of a line; the server reports problems under the same name. */
export function lineField(index: number, field: keyof LineRow): string {
  return `lines.${String(index)}.${field}`;
}

/**
 * Lines of a form. A price below 0 is sent as an amount, since rates are not below 0. What the form
 * does not show of a line of the draft stays.
 */
export function typedLines(
  values: Values,
  { currency, lineItems = [] }: { currency: string; lineItems?: readonly DraftLine[] },
): object[] {
  const rows: object[] = [];
  for (let index = 0; values.has(lineField(index, 'description')); index += 1) {
    const text = (field: keyof LineRow) => values.text(lineField(index, field)).trim();
    const source = lineItems.find(({ id }) => id === text('source'));
    const description = text('description');
    const taxCategory = text('taxCategory');
    rows.push({
      description,
      ...priceOf(text, { currency, source }),
      ...(taxCategory !== '' && { taxCategory }),
      ...keptOf(source),
    });
  }
  return rows;
}

/** True for a line of the draft that has an amount and no price of a unit. */
export function isAmountLine({ unitAmount }: Pick<DraftLine, 'unitAmount'>): boolean {
  return unitAmount === null;
}

function keptOf(source: DraftLine | undefined): object {
  if (source === undefined) return {};
  const { periodStart, periodEnd, metadata } = source;
  return { periodStart, periodEnd, metadata };
}

function priceOf(
  text: (field: keyof LineRow) => string,
  { currency, source }: { currency: string; source: DraftLine | undefined },
): object {
  const quantity = text('quantity') === '' ? '1' : text('quantity');
  const price = text('unitAmount').replace('−', '-');
  const isAmount = source !== undefined && isAmountLine(source);
  const isNegative = price.startsWith('-');
  if (!isAmount && !(isNegative && quantity === '1')) {
    return { quantity, unitAmount: isNegative ? price : typedRate(price, currency) };
  }
  const amount = typedAmount(isNegative ? price.slice(1) : price, currency);
  if (typeof amount !== 'number') return { quantity, unitAmount: price };
  return { quantity, amount: isNegative ? -amount : amount };
}

/** Lines of a draft as rows of the form. */
export function lineRows({
  lineItems,
  currency,
}: Pick<Invoice, 'lineItems' | 'currency'>): LineRow[] {
  return lineItems.map(({ id: source, unitAmount, pricedAmount, ...line }) => {
    const { description, quantity } = line;
    const row = { source, description, quantity, taxCategory: categoryToType(line.taxCategory) };
    if (unitAmount !== null) return { ...row, unitAmount: rateToType(unitAmount, currency) };
    const typed = amountToType(Math.abs(pricedAmount), currency);
    return { ...row, unitAmount: pricedAmount < 0 ? `-${typed}` : typed };
  });
}

/**
 * Body of `PATCH /v1/invoices/…` for a draft: only what differs from the draft that the form was
 * opened with, so that concurrent changes survive. The API does not return the net days of a draft,
 * so an empty field keeps them.
 */
export function changedDraft(values: Values, draft: Draft): object {
  const lines = typedLines(values, draft);
  const untouched = typedLines(valuesOfRows(lineRows(draft)), draft);
  const { netDays, ...terms } = typedTerms(values);
  const changes = Object.entries(terms).filter(
    ([name, value]) => value !== draft[name as keyof typeof terms],
  );
  return {
    ...(JSON.stringify(lines) !== JSON.stringify(untouched) && { lines }),
    ...Object.fromEntries(changes),
    ...(netDays !== null && { netDays }),
  };
}

/** Values of a form that shows the rows. */
function valuesOfRows(rows: readonly LineRow[]): Values {
  const entries = rows.flatMap((row, index) =>
    Object.entries(row).map(([field, value]: [string, string]) => [
      lineField(index, field as keyof LineRow),
      value,
    ]),
  );
  const texts = new Map(entries as [string, string][]);
  const text = (name: string) => texts.get(name) ?? '';
  return { text, optional: (name) => texts.get(name), has: (name) => texts.has(name) };
}

/** Terms of a one-off invoice, of its form. */
export function typedTerms(values: Values) {
  return {
    collectionMethod: values.text('collectionMethod'),
    netDays: typedCount(values.optional('netDays')) ?? null,
    memo: values.optional('memo') ?? null,
    purchaseOrder: values.optional('purchaseOrder') ?? null,
  };
}
