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
    case 'BALANCE':
      return { topic: 'MONEY', tone: 'plain', sentence: balanceSentence(event.entry) };
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
  const { invoiceId, number, amount, currency, status, failureCode } = event;
  const money = moneyText(amount, currency);
  const link = { text: number ?? 'an invoice', href: `/invoices/${invoiceId}` };
  switch (status) {
    case 'SUCCEEDED':
      return { tone: 'good', sentence: [`Paid ${money} for `, link] };
    case 'FAILED':
      return {
        tone: 'bad',
        sentence: [`Payment of ${money} for `, link, ` failed: ${reasonText(failureCode)}`],
      };
    default:
      return { tone: 'plain', sentence: [`Payment of ${money} for `, link, ' is in progress'] };
  }
}

type BalanceEntry = EventOf<'BALANCE'>['entry'];

/** “$5.00 added to the balance: Goodwill”, with a link to the entry's invoice. */
export function balanceSentence(entry: BalanceEntry): readonly Phrase[] {
  const { amount, currency, description, invoiceId, kind } = entry;
  const money = moneyText(Math.abs(amount), currency);
  const what = amount < 0 ? `${money} taken from the balance` : `${money} added to the balance`;
  const why = description ?? (kind === 'ADJUSTMENT' ? '' : wordsText(kind));
  const reason = why === '' ? [] : [`: ${why}`];
  if (invoiceId === null) return [what, ...reason];
  return [what, ...reason, ' · ', { text: 'Invoice', href: `/invoices/${invoiceId}` }];
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
