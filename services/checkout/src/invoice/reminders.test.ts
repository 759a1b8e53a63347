import { aClaim, aDraft, anOpened, asInvoice } from '../testing/invoice';
import { collectWhenDue, endCollection, openAndCollect, voidForCaller } from './collection';
import type { Invoice } from './invoice';

const claimedAt = new Date('2026-01-05T12:00:00.000Z');

describe('a sent invoice that stays unpaid', () => {
  const sent = anOpened({ collectionMethod: 'SEND_INVOICE' });
  const dueDate = sent.dueDate!;
  const daysAfter = (days: number, start = dueDate) =>
    new Date(start.getTime() + days * 24 * 60 * 60 * 1000);

  /** Takes the due steps by a time, each at its own time unless the scanner is late. */
  function wokenUntil(
    until: Date,
    { lateAt, from = sent }: { readonly lateAt?: Date; readonly from?: Invoice } = {},
  ): string[] {
    let invoice = from;
    const events: string[] = [];
    for (let at = invoice.collectAt; at && at <= until; at = invoice.collectAt) {
      const now = lateAt === undefined || at > lateAt ? at : lateAt;
      const woken = collectWhenDue(invoice, aClaim({ now, claimedAt }));
      invoice = asInvoice(woken.state);
      const days = (now.getTime() - dueDate.getTime()) / 86_400_000;
      const names = woken.events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`);
      events.push(`${String(days)} ${names.join()}`);
    }
    expect(invoice.status).toBe('OPEN');
    return events;
  }

  test('is overdue at its due date, and reminds 3, 7 and 14 days later', () => {
    expect(wokenUntil(daysAfter(100))).toEqual([
      '0 invoice.overdue {}',
      '3 invoice.reminded {"reminder":1}',
      '7 invoice.reminded {"reminder":2}',
      '14 invoice.reminded {"reminder":3}',
    ]);
  });

  test.each([
    ['an open one', sent],
    ['one that was not open yet', aDraft({ collectionMethod: 'SEND_INVOICE' })],
  ])('is overdue and reminds after its subscription has ended: %s', (_case, invoice) => {
    const ended = endCollection(invoice, {
      ...{ writeOff: false, retryDays: [3, 7, 14], number: 'INV-000001', now: claimedAt },
    });
    expect(wokenUntil(daysAfter(100), { from: asInvoice(ended.state) })).toHaveLength(4);
  });

  test('of an ended subscription that wrote it off is never overdue', () => {
    const end = { writeOff: true, retryDays: [3], number: undefined, now: claimedAt };
    expect(asInvoice(endCollection(sent, end).state).collectAt).toBeUndefined();
  });

  test('reminds a day apart after an outage of weeks', () => {
    expect(wokenUntil(daysAfter(100), { lateAt: daysAfter(20) })).toEqual([
      '20 invoice.overdue {}',
      '21 invoice.reminded {"reminder":1}',
      '22 invoice.reminded {"reminder":2}',
      '23 invoice.reminded {"reminder":3}',
    ]);
  });

  test('tells its subscription of the due date alone', () => {
    const overdue = collectWhenDue(sent, aClaim({ now: dueDate, claimedAt }));
    const reminded = collectWhenDue(overdue.state, aClaim({ now: daysAfter(3), claimedAt }));
    expect(overdue.commands).toHaveLength(1);
    expect(reminded.commands).toEqual([]);
  });

  test('reminds before a late void, and no more after it', () => {
    const overdue = collectWhenDue(sent, aClaim({ now: dueDate, claimedAt })).state;
    const types = (now: Date) => voidForCaller(overdue, now).events.map(({ type }) => type);
    expect(types(daysAfter(3))).toEqual([]);
    expect(types(daysAfter(4))).toEqual(['invoice.reminded']);
    const voided = voidForCaller(overdue, daysAfter(4)).state;
    expect(asInvoice(voided).collectAt).toBeUndefined();
  });

  test('without days of the schedule reminds never', () => {
    const claim = { ...aClaim({ now: claimedAt, claimedAt }), retryDays: [], number: 'INV-000001' };
    const opened = openAndCollect(aDraft({ collectionMethod: 'SEND_INVOICE' }), claim).state;
    const at = asInvoice(opened).collectAt!;
    const overdue = collectWhenDue(opened, aClaim({ now: at, claimedAt })).state;
    expect(asInvoice(overdue).collectAt).toBeUndefined();
  });
});
