import type { OpenInvoice, Subscription } from './subscription';

/** An invoice that is ordered but not made yet. */
export function openInvoice(
  subscription: Subscription,
  { invoiceId, periodIndex }: Pick<OpenInvoice, 'invoiceId' | 'periodIndex'>,
): Subscription {
  const invoice = { invoiceId, periodIndex, lastResult: 0, isPastDue: false, isSettling: true };
  return { ...subscription, openInvoices: [...subscription.openInvoices, invoice] };
}

export function findOpenInvoice(
  { openInvoices }: Subscription,
  invoiceId: string,
): OpenInvoice | undefined {
  return openInvoices.find((invoice) => invoice.invoiceId === invoiceId);
}

/** The invoice is paid, void or given up. */
export function finishInvoice(subscription: Subscription, finished: OpenInvoice): Subscription {
  const openInvoices = subscription.openInvoices.filter(
    ({ invoiceId }) => invoiceId !== finished.invoiceId,
  );
  return withLatestInvoice({ ...subscription, openInvoices }, finished);
}

/** The invoice stays unpaid after a result. */
export function keepInvoice(
  subscription: Subscription,
  kept: OpenInvoice,
  { lastResult, isPastDue }: Pick<OpenInvoice, 'lastResult' | 'isPastDue'>,
): Subscription {
  const changed = { ...kept, lastResult, isPastDue, isSettling: false };
  return withLatestInvoice(replaceInvoice(subscription, changed), kept);
}

export function hasPastDueInvoice({ openInvoices }: Subscription): boolean {
  return openInvoices.some(({ isPastDue }) => isPastDue);
}

/**
 * Notes that an invoice was made. One whose collection is not under way has settled: nothing about it follows by itself soon. Its result
 * may have come before this news; then nothing is left to note.
 */
export function noteInvoice(
  subscription: Subscription,
  { invoiceId, periodIndex, isCollecting }: OpenInvoiceNews,
): Subscription {
  const open = findOpenInvoice(subscription, invoiceId);
  const settled =
    open?.isSettling === true && !isCollecting
      ? replaceInvoice(subscription, { ...open, isSettling: false })
      : subscription;
  return withLatestInvoice(settled, { invoiceId, periodIndex });
}

/** Notes an invoice of what was left to bill at the end, if one was made: nothing comes of it for the subscription. */
export function noteEndInvoice(
  subscription: Subscription,
  invoiceId: string | undefined,
): Subscription {
  const { latestInvoice, periodIndex } = subscription;
  if (invoiceId === undefined || latestInvoice?.id === invoiceId) return subscription;
  return { ...subscription, latestInvoice: { id: invoiceId, periodIndex } };
}

/** What is known of an invoice right after it was made. */
export interface OpenInvoiceNews {
  readonly invoiceId: string;
  readonly periodIndex: number;
  /** A charge is under way, or what came of one is about to be told. */
  readonly isCollecting: boolean;
}

function replaceInvoice(subscription: Subscription, changed: OpenInvoice): Subscription {
  const openInvoices = subscription.openInvoices.map((invoice) =>
    invoice.invoiceId === changed.invoiceId ? changed : invoice,
  );
  return { ...subscription, openInvoices };
}

// News of an older period's invoice may come last; the newest stays the latest.
function withLatestInvoice(
  subscription: Subscription,
  { invoiceId, periodIndex }: Pick<OpenInvoice, 'invoiceId' | 'periodIndex'>,
): Subscription {
  const { latestInvoice } = subscription;
  if (latestInvoice !== null && (latestInvoice.periodIndex ?? -1) >= periodIndex) {
    return subscription;
  }
  return { ...subscription, latestInvoice: { id: invoiceId, periodIndex } };
}
