import type { LinePicture, Picture } from './picture/picture';
import { examineAll, findingsOf } from './report';
import { aSubscription, line, march, secondInvoice, usageEvent, whole } from './testing';

describe('usage that arrived after two bills of its period', () => {
  const april = '2026-04-30T00:00:00.000Z';
  const late = { ...usageEvent, id: 'event-2', eventId: 'sent-2', quantity: '7' };
  const usageEvents = [usageEvent, { ...late, receivedAt: '2026-04-02T00:00:00.000Z' }];
  const laterInvoice = (createdAt: string, lineItem: LinePicture) => ({
    ...secondInvoice,
    id: createdAt,
    createdAt,
    periodStart: createdAt,
    lineItems: [lineItem],
  });
  const ofNothing = { ...line, meterId: null, details: null };
  const findings = (changes: Partial<Picture>) =>
    examineAll({ ...whole, usageEvents, now: new Date(april), ...changes }).find(
      ({ id }) => id === 'I4',
    )?.findings;
  const upTo = [...whole.invoices, laterInvoice(march, ofNothing)];

  test('may wait for the next one', () => {
    expect(findings({ invoices: upTo })).toEqual([]);
  });

  test('is missing on the next one', () => {
    expect(findings({ invoices: [...upTo, laterInvoice(april, ofNothing)] })).toHaveLength(1);
    const billed = laterInvoice(april, { ...line, quantity: '7' });
    expect(findings({ invoices: [...upTo, billed] })).toEqual([]);
  });

  test('is missing 36 days after the end, where no invoice contains it', () => {
    const end = { ...laterInvoice(march, ofNothing), billingReason: 'SUBSCRIPTION_CANCEL' };
    const ended = aSubscription({ status: 'CANCELED', phase: 'ENDED', endedAt: march });
    const changes = { subscriptions: [ended], invoices: [...whole.invoices, end] };
    expect(findings({ ...changes, now: new Date('2026-05-05T00:00:00Z') })).toEqual([]);
    expect(findings({ ...changes, now: new Date('2026-05-06T00:00:00Z') })).toHaveLength(1);
  });
});

test.each<[what: string, changes: Partial<Picture>]>([
  ['came after its bill', { usageEvents: [{ ...usageEvent, quantity: '9', receivedAt: march }] }],
  ['belongs to a deleted meter', { meters: [], usageEvents: [{ ...usageEvent, quantity: '9' }] }],
  ['belongs to no subscription', { usageEvents: [{ ...usageEvent, customerId: 'x' }], meters: [] }],
])('usage that %s need not be billed yet', (_what, changes) => {
  expect(findingsOf(examineAll({ ...whole, usageStates: [], ...changes }))).toEqual([]);
});

test('an event id that is used again with another timestamp is another event', () => {
  const again = { ...usageEvent, timestamp: '2026-02-11T00:00:00.000Z', quantity: '0' };
  const findings = (usageEvents: Picture['usageEvents']) =>
    examineAll({ ...whole, usageEvents }).find(({ id }) => id === 'I4')?.findings;
  expect(findings([usageEvent, again])).toEqual([]);
  expect(findings([usageEvent, again, again])).toHaveLength(1);
});
