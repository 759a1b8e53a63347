import { cancelChange, requestChange } from '../lifecycle/apply-change';
import { cancel } from '../lifecycle/cancellation';
import { takeDueStep } from '../lifecycle/due-steps';
import { subscriptionDefinition } from '../subscription-document';
import { currentPeriod, type Subscription } from '../subscription/subscription';
import { aChangeRequest } from '../testing/change-request';
import { heldRedemption } from '../subscription/change-side';
import { aDiscount, aPrice, aSubscription, at, day } from '../testing/fixtures';

const now = day('06-10');
const running = aSubscription({}, { ...at(day('06-01')), price: aPrice({ type: 'PER_UNIT' }) });

type Document = Record<string, unknown> & {
  readonly changes: { readonly waiting: object | null };
};

const documentOf = (state: Subscription) =>
  subscriptionDefinition.toDocument(state) as unknown as Document;
const read = (document: Record<string, unknown>) =>
  subscriptionDefinition.fromDocument({ ...document, _id: running.id }) as Subscription;
const renewed = (state: Subscription): Subscription =>
  takeDueStep(state, at(currentPeriod(state).end)).state;

function waitingFor(notBefore: Date, changeId = 'change'): Subscription {
  const request = aChangeRequest({ changeId, at: 'PERIOD_END', notBefore });
  return requestChange(running, request, { now }).state;
}

/** What 0.1.0 stores after a transition: it knows neither the scheduled change nor its fields. */
function writtenByEarlier(
  document: Document,
  transition: (state: Subscription) => Subscription,
): Document {
  const { scheduledChange: _1, changeFields: _2, ...known } = document;
  const { scheduledChange: _3, changeFields: _4, ...written } = documentOf(transition(read(known)));
  return { ...document, ...written, changes: written.changes };
}

describe('the document of a change at an instant', () => {
  const scheduled = waitingFor(day('08-15'));

  test('after the running period has no waiting change that 0.1.0 would apply', () => {
    const document = documentOf(scheduled);
    expect(document.changes.waiting).toBeNull();
    expect(document).toMatchObject({ scheduledChange: { id: 'change', notBefore: day('08-15') } });
    expect(read(document)).toEqual(scheduled);
  });

  test('at the end of the running period has a waiting change as 0.1.0 knows it', () => {
    const last = renewed(renewed(scheduled));
    const document = documentOf(last);
    expect(document).toMatchObject({
      changes: { waiting: { id: 'change', at: 'PERIOD_END' } },
      changeFields: [{ changeId: 'change', notBefore: day('08-15') }],
      scheduledChange: null,
    });
    expect(document.changes.waiting).not.toHaveProperty('notBefore');
    expect(read(document)).toEqual(last);
  });

  test('loses the change that was taken back', () => {
    const { state } = cancelChange(scheduled, 'change', now);
    const document = { ...documentOf(scheduled), ...documentOf(state) };
    expect(document).toMatchObject({ scheduledChange: null });
    expect(read(document).changes).toMatchObject({
      waiting: null,
      finished: [{ id: 'change', status: 'CANCELED' }],
    });
  });

  test('keeps the change through renewals of 0.1.0, which leaves the items as they are', () => {
    const first = writtenByEarlier(documentOf(scheduled), renewed);
    const second = writtenByEarlier(first, renewed);
    const state = read(second);
    expect(state).toMatchObject({ periodIndex: 2, items: [{ quantity: 1 }] });
    expect(state.changes.waiting).toMatchObject({ id: 'change', effectiveAt: day('09-01') });
    expect(renewed(state)).toMatchObject({ periodIndex: 3, items: [{ quantity: 3 }] });
  });

  test('of 0.1.0 with another waiting change replaces it', () => {
    const wanted = { product: null, quantity: 7, discount: null };
    const other = aChangeRequest({ changeId: 'other', at: 'PERIOD_END', wanted });
    const document = writtenByEarlier(
      documentOf(scheduled),
      (state) => requestChange(state, other, { now: day('06-12') }).state,
    );
    const { changes } = read(document);
    expect(changes).toMatchObject({
      waiting: { id: 'other' },
      finished: [
        { id: 'change', status: 'CANCELED', replacedBy: 'other', updatedAt: day('06-12') },
      ],
    });
    // The next write stores it so.
    const next = { ...document, ...documentOf(read(document)) };
    expect(next).toMatchObject({ scheduledChange: null });
    expect(read(next).changes).toEqual(changes);
  });

  test('of a subscription that 0.1.0 has moved to another product has no pending change', () => {
    const product = { productId: 'other', productName: 'Other', price: aPrice({ id: 'other' }) };
    const wanted = { product, quantity: null, discount: null };
    const move = aChangeRequest({ changeId: 'other', wanted, requirePayment: false });
    const document = writtenByEarlier(
      documentOf(scheduled),
      (state) => requestChange(state, move, { now: day('06-12') }).state,
    );
    expect(read(document).changes).toMatchObject({
      waiting: null,
      finished: [
        { id: 'other', status: 'APPLIED' },
        { id: 'change', status: 'CANCELED', replacedBy: null },
      ],
    });
  });

  test('of a subscription that 0.1.0 has ended has no pending change', () => {
    const document = writtenByEarlier(
      documentOf(scheduled),
      (state) => cancel(state, { atPeriodEnd: false, ...at(day('06-12')) }).state,
    );
    expect(read(document).changes).toMatchObject({
      waiting: null,
      finished: [{ id: 'change', status: 'CANCELED', updatedAt: day('06-12') }],
    });
  });

  describe('with a discount', () => {
    const next = { ...aDiscount({ id: 'new' }), firstPeriodStart: null, holderId: 'holder' };
    const wanted = { product: null, quantity: null, discount: { next } };
    const held = { discountId: 'new', holderId: 'holder' };
    const notBefore = day('08-15');
    const request = aChangeRequest({ at: 'PERIOD_END', notBefore, wanted, reservedRound: 1 });
    const waiting = requestChange(running, request, { now }).state;
    const types = (commands: readonly { readonly type: string }[]) =>
      commands.map(({ type }) => type);

    test('in the form of 0.1.0 frees its redemption when it is taken back', () => {
      const last = read(documentOf(renewed(renewed(waiting))));
      expect(documentOf(last)).toMatchObject({ changes: { waiting: { id: 'change' } } });
      const { state, commands } = cancelChange(last, 'change', day('08-10'));
      expect(types(commands)).toEqual(['recordChanges']);
      const [change] = read(documentOf(state)).changes.finished;
      expect(change).toMatchObject({ status: 'CANCELED', reservedRound: 1 });
      expect(change && heldRedemption(change.wanted)).toEqual(held);
    });

    test('that 0.1.0 has ended frees its redemption at the latest with the next period', () => {
      const product = { productId: 'other', productName: 'Other', price: aPrice({ id: 'other' }) };
      const moved = { product, quantity: null, discount: null };
      const move = aChangeRequest({ changeId: 'other', wanted: moved, requirePayment: false });
      const document = writtenByEarlier(
        documentOf(waiting),
        (state) => requestChange(state, move, { now: day('06-12') }).state,
      );
      const found = read(document);
      // 0.1.0 has recorded its own change alone.
      const finished = found.changes.finished.filter(({ id }) => id === 'change');
      const state = { ...found, changes: { ...found.changes, finished } };
      const { commands } = takeDueStep(state, at(currentPeriod(state).end));
      expect(types(commands)).toContain('recordChanges');
      expect(finished).toMatchObject([{ status: 'CANCELED' }]);
      expect(finished.map((change) => heldRedemption(change.wanted))).toEqual([held]);
    });
  });
});
