import { cardText } from '@billing/gateway/card-text';
import type { ActivityEvent } from '@billing/gateway/operator/customer-activity';
import { moneyText, wordsText } from '../../parts/text/text';
import { actorText, auditSentence, failureText, type Phrase } from '../../resources/audit-sentence';
import { reasonText } from '../../resources/invoice/invoice';

/** Topics by which an operator may filter an activity. */
export const topics = [
  ['MONEY', 'Invoices and payments'],
  ['SUBSCRIPTIONS', 'Subscriptions'],
  ['WEBHOOKS', 'Webhooks'],
  ['CHANGES', 'Changes by people and keys'],
] as const;
type Topic = (typeof topics)[number][0];

/** One line of the activity. */
export interface ActivityLine {
  readonly topic: Topic;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly sentence: readonly Phrase[];
}

const steps = {
  CREATED: ['Subscribed to ', ''],
  TRIAL_ENDED: ['The trial of ', ' ended'],
  CANCELLATION_REQUESTED: ['Cancellation of ', ' was scheduled'],
  ENDED: ['', ' ended'],
} as const;

/** An event as a line: its topic, its tone and its sentence. */
export function activityLine(event: ActivityEvent): ActivityLine {
  switch (event.kind) {
    case 'CUSTOMER_CREATED':
      return { topic: 'CHANGES', tone: 'plain', sentence: ['Customer created'] };
    case 'INVOICE':
      return { topic: 'MONEY', tone: 'plain', sentence: invoiceSentence(event) };
    case 'PAYMENT':
      return { topic: 'MONEY', ...payment(event) };
    case 'SUBSCRIPTION': {
      const [before, after] = steps[event.step];
      const href = `/subscriptions/${event.subscriptionId}`;
      const sentence = [before, { text: event.productName, href }, after];
      return { topic: 'SUBSCRIPTIONS', tone: 'plain', sentence };
    }
    case 'PLAN_CHANGE':
      return { topic: 'SUBSCRIPTIONS', tone: 'plain', sentence: planChangeSentence(event) };
    case 'BALANCE': {
      const sentence = balanceSentence(event.entry, event.numbers);
      return { topic: 'MONEY', tone: 'plain', sentence };
    }
    case 'CREDIT_NOTE':
      return { topic: 'MONEY', tone: 'plain', sentence: creditNoteSentence(event) };
    case 'REFUND':
      return { topic: 'MONEY', ...refund(event) };
    case 'DISPUTE':
      return { topic: 'MONEY', ...dispute(event) };
    case 'WEBHOOK':
      return { topic: 'WEBHOOKS', ...webhook(event) };
    case 'CHANGE': {
      const { entry } = event;
      const failure = failureText(entry);
      const end = failure === undefined ? '' : ` · ${failure}`;
      const sentence = [`${actorText(entry.actor)} `, ...auditSentence(entry), end];
      return { topic: 'CHANGES', tone: failure === undefined ? 'plain' : 'bad', sentence };
    }
  }
}

/** The sentence with the name of the customer whose page shows it, instead of a link to it. */
export function withCustomerName(
  sentence: readonly Phrase[],
  { id, name }: { readonly id: string; readonly name: string },
): readonly Phrase[] {
  const href = `/customers/${id}`;
  return sentence.map((phrase) =>
    typeof phrase !== 'string' && phrase.href === href ? name : phrase,
  );
}

type EventOf<Kind> = Extract<ActivityEvent, { readonly kind: Kind }>;

function invoiceSentence(event: EventOf<'INVOICE'>): readonly Phrase[] {
  const { invoiceId, number, amount, currency, status } = event;
  const link = { text: number, href: `/invoices/${invoiceId}` };
  return ['Invoice ', link, ` for ${moneyText(amount, currency)} (${wordsText(status)})`];
}

function payment(event: EventOf<'PAYMENT'>): Omit<ActivityLine, 'topic'> {
  const { invoiceId, number, amount, currency, status, failureCode, card } = event;
  const money = moneyText(amount, currency);
  const source = card === null ? '' : ` with ${cardText(card.brand, card.last4)}`;
  const link = { text: number ?? 'an invoice', href: `/invoices/${invoiceId}` };
  switch (status) {
    case 'SUCCEEDED':
      return { tone: 'good', sentence: [`Paid ${money} for `, link, source] };
    case 'FAILED':
      return {
        tone: 'bad',
        sentence: [
          `Payment of ${money} for `,
          link,
          `${source} failed: ${reasonText(failureCode)}`,
        ],
      };
    default:
      return { tone: 'plain', sentence: [`Payment of ${money} for `, link, ' is in progress'] };
  }
}

type BalanceEntry = EventOf<'BALANCE'>['entry'];

/**
 * “$5.00 added to the balance: Goodwill”, with links to the entry's credit note and invoice under
 * their numbers, where these are known.
 */
export function balanceSentence(
  entry: BalanceEntry,
  numbers: EventOf<'BALANCE'>['numbers'] = { invoice: null, creditNote: null },
): readonly Phrase[] {
  const { amount, currency, description, kind } = entry;
  const money = moneyText(Math.abs(amount), currency);
  const what = amount < 0 ? `${money} taken from the balance` : `${money} added to the balance`;
  const why = description ?? (kind === 'ADJUSTMENT' ? '' : wordsText(kind));
  const reason = why === '' ? [] : [`: ${why}`];
  return [what, ...reason, ...documents(entry, numbers)];
}

// “ · CN-000001 · INV-000001”.
function documents(
  { invoiceId, creditNoteId }: Pick<BalanceEntry, 'invoiceId' | 'creditNoteId'>,
  numbers: EventOf<'BALANCE'>['numbers'],
): readonly Phrase[] {
  const links: Phrase[] = [];
  if (creditNoteId !== null) {
    const text = numbers.creditNote ?? 'Credit note';
    links.push(' · ', { text, href: `/credit-notes/${creditNoteId}` });
  }
  if (invoiceId !== null) {
    const text = numbers.invoice ?? 'Invoice';
    links.push(' · ', { text, href: `/invoices/${invoiceId}` });
  }
  return links;
}

const changeTexts = {
  UPDATE: ['The plan of ', ' changed'],
  PAUSE: ['', ' was paused'],
  RESUME: ['', ' resumed'],
} as const;

function planChangeSentence(event: EventOf<'PLAN_CHANGE'>): readonly Phrase[] {
  const [before, after] = changeTexts[event.change];
  const href = `/subscriptions/${event.subscriptionId}`;
  return [before, { text: event.productName, href }, after];
}

function creditNoteSentence(event: EventOf<'CREDIT_NOTE'>): readonly Phrase[] {
  const { creditNoteId, number, amount, currency, invoiceId, invoiceNumber } = event;
  return [
    'Credit note ',
    { text: number, href: `/credit-notes/${creditNoteId}` },
    ` for ${moneyText(amount, currency)} of `,
    { text: invoiceNumber ?? 'an invoice', href: `/invoices/${invoiceId}` },
  ];
}

function refund({ refund: made, numbers }: EventOf<'REFUND'>): Omit<ActivityLine, 'topic'> {
  const { amount, currency, invoiceId, status, failureCode } = made;
  const money = moneyText(amount, currency);
  const of = { text: numbers.invoice ?? 'an invoice', href: `/invoices/${invoiceId}` };
  switch (status) {
    case 'SUCCEEDED':
      return { tone: 'plain', sentence: [`Refunded ${money} of `, of] };
    case 'PENDING':
      return { tone: 'plain', sentence: [`Refund of ${money} of `, of, ' is in progress'] };
    case 'FAILED':
    case 'REPLACED': {
      const why = ` failed: ${reasonText(failureCode)}`;
      const tone = status === 'FAILED' ? 'bad' : 'plain';
      return { tone, sentence: [`Refund of ${money} of `, of, why] };
    }
  }
}

function dispute(event: EventOf<'DISPUTE'>): Omit<ActivityLine, 'topic'> {
  const { step, dispute: made, numbers } = event;
  const { amount, currency, invoiceId, reason, status } = made;
  const money = moneyText(amount, currency);
  const of = { text: numbers.invoice ?? 'an invoice', href: `/invoices/${invoiceId}` };
  if (step === 'OPENED') {
    return { tone: 'bad', sentence: [`${money} of `, of, ` disputed: ${reasonText(reason)}`] };
  }
  const tone = status === 'LOST' ? 'bad' : 'good';
  return { tone, sentence: [`Dispute of ${money} of `, of, ` closed: ${wordsText(status)}`] };
}

/** “Webhook subscription.renewed: delivered”, with a link to each endpoint. */
function webhook(event: EventOf<'WEBHOOK'>): Omit<ActivityLine, 'topic'> {
  const { type, deliveries } = event;
  const outcomes = deliveries.flatMap(({ endpointId, status }, index) => [
    index === 0 ? ': ' : ', ',
    { text: wordsText(status), href: `/developers/webhooks/${endpointId}` },
  ]);
  const isBad = deliveries.some(({ status }) => status === 'FAILED');
  return { tone: isBad ? 'bad' : 'plain', sentence: [`Webhook ${type}`, ...outcomes] };
}
