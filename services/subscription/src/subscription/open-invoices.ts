import type { OpenInvoice, Subscription } from './subscription';

// Bounds the document.
const writtenOffMax = 100;

/** An invoice that is ordered but not created yet. */
export function openInvoice(
  subscription: Subscription,
  { invoiceId, periodIndex }: Pick<OpenInvoice, 'invoiceId' | 'periodIndex'>,
): Subscription {
  const invoice = { invoiceId, periodIndex, lastResult: 0, isPastDue: false, isSettling: true };
  return { ...subscription, openInvoices: [...subscription.openInvoices, invoice] };
}

/** Adds the invoice of a change that is applied before it is paid; of a new cycle, the first. */
export function openChangeInvoice(
  subscription: Subscription,
  { invoiceId, periodIndex }: Pick<OpenInvoice, 'invoiceId' | 'periodIndex'>,
  {
    beginsCycle,
    lastResult = 0,
    isSettling = true,
  }: { readonly beginsCycle: boolean } & Partial<Pick<OpenInvoice, 'lastResult' | 'isSettling'>>,
): Subscription {
  const invoice: OpenInvoice = {
    invoiceId,
    periodIndex,
    lastResult,
    isPastDue: false,
    isSettling,
    isOfChange: !beginsCycle,
  };
  return { ...subscription, openInvoices: [...subscription.openInvoices, invoice] };
}

export function findOpenInvoice(
  { openInvoices }: Subscription,
  invoiceId: string,
): OpenInvoice | undefined {
  return openInvoices.find((invoice) => invoice.invoiceId === invoiceId);
}

/** The invoices that are owed: a written-off one is not, but may still be paid. */
export function owedInvoices({ openInvoices }: Subscription): readonly OpenInvoice[] {
  return openInvoices.filter(({ isWrittenOff = false }) => !isWrittenOff);
}

/**
 * Records that a caller has written an invoice off. The first of all stays until it is paid: access
 * depends on it. Beyond 100 written-off invoices, payments of dropped ones are not announced.
 */
export function writeInvoiceOff(
  subscription: Subscription,
  invoice: OpenInvoice,
  { lastResult }: Pick<OpenInvoice, 'lastResult'>,
): Subscription {
  const changed = { ...invoice, isWrittenOff: true };
  const state = updateOpenInvoice(subscription, changed, { lastResult, isPastDue: false });
  const writtenOff = state.openInvoices.filter(({ isWrittenOff = false }) => isWrittenOff);
  if (writtenOff.length <= writtenOffMax) return state;
  const [, dropped] = writtenOff;
  return { ...state, openInvoices: state.openInvoices.filter((one) => one !== dropped) };
}

/** Removes an invoice that is paid, void or abandoned. */
export function finishInvoice(subscription: Subscription, finished: OpenInvoice): Subscription {
  const openInvoices = subscription.openInvoices.filter(
    ({ invoiceId }) => invoiceId !== finished.invoiceId,
  );
  return withLatestInvoice({ ...subscription, openInvoices }, finished);
}

/** Updates an invoice that stays unpaid after a result. */
export function updateOpenInvoice(
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
 * Records that an invoice was created. An invoice that is not being collected has settled: nothing
 * about it follows automatically soon. Its result may have arrived before this news; then nothing
 * is left to record.
 */
export function recordInvoice(
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

/** Records the final invoice, if one was created: its results do not change the subscription. */
export function recordEndInvoice(
  subscription: Subscription,
  invoiceId: string | undefined,
): Subscription {
  const { latestInvoice, periodIndex } = subscription;
  if (invoiceId === undefined || latestInvoice?.id === invoiceId) return subscription;
  return { ...subscription, latestInvoice: { id: invoiceId, periodIndex } };
}

/** Facts about an invoice right after its creation. */
export interface OpenInvoiceNews {
  readonly invoiceId: string;
  readonly periodIndex: number;
  /** A charge is in flight, or its outcome is about to be reported. */
  readonly isCollecting: boolean;
}

function replaceInvoice(subscription: Subscription, changed: OpenInvoice): Subscription {
  const openInvoices = subscription.openInvoices.map((invoice) =>
    invoice.invoiceId === changed.invoiceId ? changed : invoice,
  );
  return { ...subscription, openInvoices };
}

// News of an older period's invoice may arrive last; the newest stays the latest.
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
