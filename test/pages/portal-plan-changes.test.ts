import { numbers, PortalScene, usd } from '../support/portal-scene';
import { joinTestSystem } from '../support/shared-system';
import { readForm, type VisitorPage } from '../support/visitor';

const startMs = 600_000;

let scene: PortalScene;

beforeAll(async () => {
  scene = await PortalScene.begin(await joinTestSystem());
}, startMs);

describe('changing a plan', () => {
  /** A customer with ten seats on Basic, who may change to Pro or to another number of seats. */
  async function begin(cardNumber: string = numbers.good) {
    const customerId = await scene.customer();
    const seats = (name: string, amount: number) => ({ ...usd, name, type: 'PER_UNIT', amount });
    const subscription = await scene.subscribe(customerId, {
      cardNumber,
      plan: seats('Basic', 1900),
      input: { quantity: 10 },
    });
    const { id: pro } = await scene.create('/products', seats('Pro', 2900));
    await allow({ products: [pro], quantity: true });
    const { visitor } = await scene.enter(customerId);
    return { visitor, pro, basic: subscription.productId, id: String(subscription.id) };
  }

  const allow = (body: object) =>
    scene.api.expect(200, scene.api.request('PATCH', '/portal/settings', { body }));
  const planPath = (id: string) => `/portal/subscriptions/${id}/plan`;
  const labels = (page: VisitorPage) =>
    page.root.querySelectorAll('label.choice strong').map(({ text }) => text);

  test('charges exactly what the review has shown, once', async () => {
    const { visitor, pro, id } = await begin();
    const overview = await visitor.open('/portal');
    const link = overview.root.querySelector('a[href$="/plan"]')?.attributes.href;
    expect(link).toBe(planPath(id));
    const plans = await visitor.open(planPath(id));
    expect(labels(plans)).toEqual(['Basic (your plan)', 'Pro']);
    const review = await visitor.submit(plans, { _productId: pro, quantity: '12' });
    for (const text of [
      'Now Basic, 10 × $19.00 every month',
      'Then Pro, 12 × $29.00 every month',
      'Starts Today',
      'Due today $158.00 Charged to Visa ending in 4242',
      'Next invoice $348.00 on',
    ]) {
      expect(review.text).toContain(text);
    }
    expect(review.bytes.length).toBeLessThanOrEqual(20_000);
    const { fields, action } = readForm(review);
    const done = await visitor.submit(review, {}, 'Pay $158.00 and change plan');
    expect(done.text).toContain('Your plan was changed.');
    expect((await visitor.post(action, fields)).text).toContain('Your plan was changed.');
    expect(await scene.read(`/subscriptions/${id}`)).toMatchObject({
      productId: pro,
      quantity: 12,
    });
    const { data } = await scene.read(`/invoices?subscriptionId=${id}`);
    const charged = data.map(({ billingReason, amountPaid }: any) => [billingReason, amountPaid]);
    expect(charged.sort()).toEqual([
      ['SUBSCRIPTION_CHANGE', 15_800],
      ['SUBSCRIPTION_CREATE', 19_000],
    ]);
  });

  test('to a lower price waits for the end of the period, and can be undone', async () => {
    const { visitor, basic, id } = await begin();
    const plans = await visitor.open(planPath(id));
    const review = await visitor.submit(plans, { _productId: basic, quantity: '3' });
    expect(review.text).toContain('Due today $0.00');
    expect(review.text).toContain('Until then you keep your current plan');
    const done = await visitor.submit(review, {}, 'Confirm change');
    expect(done.text).toContain('Your plan will change when the current period ends.');
    expect(done.text).toMatch(/Changes to Basic, 3 × \$19\.00 every month, on \w+ \d+, \d+\./);
    expect(done.text).toContain('Next charge $57.00 on');
    const pending = { status: 'PENDING', at: 'PERIOD_END' };
    expect(await scene.read(`/subscriptions/${id}`)).toMatchObject({ pendingChange: pending });
    const kept = await visitor.submit(done, {}, 'Keep current plan');
    expect(kept.text).toContain('You keep your current plan.');
    expect(kept.text).not.toContain('Changes to');
    const after = { pendingChange: null, quantity: 10 };
    expect(await scene.read(`/subscriptions/${id}`)).toMatchObject(after);
  });

  test('shows the new price if it has changed since the review, and charges nothing', async () => {
    const { visitor, basic, id } = await begin();
    const plans = await visitor.open(planPath(id));
    const review = await visitor.submit(plans, { _productId: basic, quantity: '12' });
    expect(review.text).toContain('Due today $38.00');
    await scene.create(`/subscriptions/${id}/changes`, { quantity: 11 });
    const stale = await visitor.submit(review, {}, 'Pay $38.00 and change plan');
    expect(stale.status).toBe(409);
    expect(stale.text).toContain('The price has changed since you looked. Please review again.');
    expect(stale.text).toContain('Due today $19.00');
    expect(await scene.read(`/subscriptions/${id}`)).toMatchObject({ quantity: 11 });
    const { action, fields } = readForm(review);
    const forged = await visitor.post(action, { ...fields, token: 'forged' });
    expect([forged.status, forged.text]).toEqual([409, stale.text]);
    const done = await visitor.submit(stale, {}, 'Pay $19.00 and change plan');
    expect(done.text).toContain('Your plan was changed.');
  });

  test('that is declined leaves the plan as it was', async () => {
    const { visitor, pro, id } = await begin(numbers.failsWhenSaved);
    const plans = await visitor.open(planPath(id));
    const review = await visitor.submit(plans, { _productId: pro, quantity: '10' });
    const declined = await visitor.submit(review, {}, 'Pay $100.00 and change plan');
    expect(declined.text).toContain('The payment failed');
    expect(declined.text).toContain('Your card was declined. Your plan has not changed.');
    const after = { quantity: 10, status: 'ACTIVE', pendingChange: null };
    expect(await scene.read(`/subscriptions/${id}`)).toMatchObject(after);
    const again = await visitor.submit(declined, {}, 'Pay $100.00 and change plan');
    expect(again.text).toContain('Your card was declined.');
  });

  test('is refused for what the merchant does not offer', async () => {
    const { visitor, pro, id } = await begin();
    const { id: other } = await scene.create('/products', { ...usd, name: 'Secret' });
    const plans = await visitor.open(planPath(id));
    const unknown = await visitor.submit(plans, { _productId: other });
    expect([unknown.status, unknown.text]).toEqual([
      400,
      expect.stringContaining('Please choose a plan'),
    ]);
    const wrong = await visitor.submit(plans, { _productId: pro, quantity: '0' });
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining('Must be a whole number from 1 to 1,000,000'),
    ]);
    const same = await visitor.submit(plans, {});
    expect([same.status, same.text]).toEqual([
      409,
      expect.stringContaining('This is your plan already.'),
    ]);
    const review = await visitor.submit(plans, { _productId: pro, quantity: '10' });
    await allow({ products: [], quantity: false });
    const late = await visitor.submit(review, {}, 'Pay $100.00 and change plan');
    expect(new URL(late.url).pathname).toBe('/portal');
    expect(late.text).not.toContain('Change plan');
    expect(new URL((await visitor.open(planPath(id))).url).pathname).toBe('/portal');
    expect(await scene.read(`/subscriptions/${id}`)).toMatchObject({ quantity: 10 });
  });

  test('of another customer is not found', async () => {
    const { id } = await begin();
    const { visitor } = await scene.enter(await scene.customer());
    expect((await visitor.open(planPath(id))).status).toBe(404);
  });
});
