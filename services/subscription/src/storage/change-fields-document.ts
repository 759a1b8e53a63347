import { type ChangeDocument, toDocumentChange } from './change-document';
import { itemsAfter } from '../subscription/change-side';
import { mainItem, type SubscriptionItems } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import { toDocumentWanted, type WantedDocument } from './wanted-document';

/**
 * Fields of a change that release 0.1.0 does not know. It rewrites `changes` without them and
 * leaves other fields of the subscription as they are, so they are stored outside of `changes`.
 */
export interface ChangeFieldsDocument {
  readonly changeId: string;
  readonly wanted?: Pick<WantedDocument, 'otherItems' | 'exchange'>;
  readonly migrationId?: string;
  readonly notBefore?: Date;
  readonly collect?: ChangeDocument['collect'];
  readonly putOff?: ChangeDocument['putOff'];
  readonly takenChangeIds?: ChangeDocument['takenChangeIds'];
  readonly sets?: ChangeDocument['sets'];
  readonly usageInvoiceId?: string;
}

/**
 * Converts a change of a subscription with these items to the part that 0.1.0 knows. It names the
 * new price of the main item, which that release can carry out.
 */
export function toDocumentKnown(
  change: SubscriptionChange,
  items: SubscriptionItems,
): ChangeDocument {
  const { migrationId: _1, notBefore: _2, ...document } = toDocumentChange(change);
  const { otherItems: _otherItems, exchange: _exchange, ...wanted } = document.wanted;
  const { product } = toDocumentWanted({ ...change.wanted, ...exchangedMain(change, items) });
  return { ...document, wanted: { ...wanted, product } };
}

function exchangedMain(
  { wanted: { product, exchange } }: Pick<SubscriptionChange, 'wanted'>,
  items: SubscriptionItems,
): Pick<SubscriptionChange['wanted'], 'product'> {
  if (exchange === undefined) return { product };
  const [after] = itemsAfter({ items }, { product: null, quantity: null, exchange });
  return { product: after.price.id === mainItem({ items }).price.id ? null : exchange.product };
}

/** Converts a change to the fields that 0.1.0 does not know; none if all have their defaults. */
export function toDocumentFields(change: SubscriptionChange): ChangeFieldsDocument[] {
  const { id: changeId, wanted, ...fields } = toDocumentChange(change);
  const { otherItems, exchange } = wanted;
  const { migrationId, notBefore, collect, putOff, takenChangeIds = [] } = fields;
  const { sets, usageInvoiceId } = fields;
  const stored: Omit<ChangeFieldsDocument, 'changeId'> = {
    ...((otherItems !== undefined || exchange !== undefined) && {
      wanted: {
        ...(otherItems !== undefined && { otherItems }),
        ...(exchange !== undefined && { exchange }),
      },
    }),
    ...(migrationId !== undefined && { migrationId }),
    ...(notBefore !== undefined && { notBefore }),
    ...(collect === 'NEXT_INVOICE' && { collect }),
    ...(putOff !== null && { putOff }),
    ...(takenChangeIds.length > 0 && { takenChangeIds }),
    ...(sets !== undefined && { sets }),
    ...(usageInvoiceId !== undefined && { usageInvoiceId }),
  };
  return Object.keys(stored).length === 0 ? [] : [{ changeId, ...stored }];
}

/** The change with its fields from outside of `changes`; before them it had all fields itself. */
export function withFields(
  change: ChangeDocument,
  fields: readonly ChangeFieldsDocument[],
): ChangeDocument {
  const found = fields.find(({ changeId }) => changeId === change.id);
  if (found === undefined) return change;
  const { changeId: _changeId, wanted = {}, ...rest } = found;
  // A price migration names no product: the stored one is for 0.1.0.
  const product = wanted.exchange === undefined ? change.wanted.product : null;
  return { ...change, ...rest, wanted: { ...change.wanted, ...wanted, product } };
}
