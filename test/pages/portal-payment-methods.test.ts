import { card } from '../support/payer';
import { numbers, PortalScene } from '../support/portal-scene';
import { joinTestSystem } from '../support/shared-system';

const startMs = 600_000;

let scene: PortalScene;

beforeAll(async () => {
  scene = await PortalScene.begin(await joinTestSystem());
}, startMs);

describe('payment methods', () => {
  const methods = '/portal/payment-methods';

  test('are added, made the default, and removed', async () => {
    const customerId = await scene.customer();
    await scene.subscribe(customerId);
    const { visitor } = await scene.enter(customerId);
    const one = await visitor.open(methods);
    expect(one.text).toContain('Visa ending in 4242 Default');
    const refused = await visitor.submit(one, card('1234'), 'Save card');
    expect([refused.status, refused.root.querySelector('#number-error') !== null]).toEqual([
      400,
      true,
    ]);
    const typed = { ...card(numbers.other), _default: '' };
    const two = await visitor.submit(refused, typed, 'Save card');
    expect(two.text).toContain('The card was added.');
    expect(two.text).toContain('Mastercard ending in 4444 Expires 12/2034.');
    expect(two.text).toContain('Visa ending in 4242 Default');
    const preferred = await visitor.submit(two, {}, 'Make default Mastercard ending in 4444');
    expect(preferred.text).toContain('Mastercard ending in 4444 Default');
    const removed = await visitor.submit(preferred, {}, 'Remove Visa ending in 4242');
    expect(removed.text).toContain('The card was removed.');
    expect(removed.text).not.toContain('Visa ending in 4242');
    const kept = await visitor.submit(removed, {}, 'Remove Mastercard ending in 4444');
    expect([kept.status, kept.text]).toEqual([
      400,
      expect.stringContaining('This card pays for a subscription'),
    ]);
    const inGerman = kept.root.querySelector('footer a[lang="de"]')?.attributes.href ?? '';
    expect((await visitor.open(inGerman)).text).toContain('Mastercard');
  });

  test('beyond the limit are refused with an explanation', async () => {
    const { visitor } = await scene.enter(await scene.customer());
    let page = await visitor.open(methods);
    for (let saved = 0; saved < 20; saved += 1) {
      page = await visitor.submit(page, card(), 'Save card');
      expect(page.text).toContain('The card was added.');
    }
    const refused = await visitor.submit(page, card(), 'Save card');
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('You have reached the maximum number of saved cards.'),
    ]);
  });

  test('that were removed pay nothing, even from a stale page', async () => {
    const customerId = await scene.customer();
    const { latestInvoiceId } = await scene.subscribe(customerId, { cardNumber: null });
    const { visitor } = await scene.enter(customerId);
    const unused = { ...card(), _default: '' };
    await visitor.submit(await visitor.open(methods), card(numbers.declined), 'Save card');
    const two = await visitor.submit(await visitor.open(methods), unused, 'Save card');
    const invoice = `/portal/invoices/${String(latestInvoiceId)}`;
    await scene.untilIdle();
    const before = await visitor.open(invoice);
    const choice = before.root.querySelector('input[name="method"]:not([checked])');
    await visitor.submit(two, {}, 'Remove Visa ending in 4242');
    const method = choice?.attributes.value ?? '';
    const after = await visitor.submit(before, { _method: method }, 'Pay $29.00');
    expect(method).not.toBe('');
    expect(after.text).not.toContain('Visa ending in 4242');
    const { status, payments } = await scene.read(`/invoices/${String(latestInvoiceId)}`);
    expect(status).toBe('OPEN');
    expect(payments.map((payment: any) => payment.status)).not.toContain('SUCCEEDED');
  });

  test('are all removed where nothing is charged', async () => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId);
    await scene.api.expect(200, scene.api.post(`/subscriptions/${String(id)}/cancel`));
    const { visitor } = await scene.enter(customerId);
    const page = await visitor.open(methods);
    const removed = await visitor.submit(page, {}, 'Remove Visa ending in 4242');
    expect(removed.text).toContain('No card is saved.');
  });

  test('of a new card trigger the collection of overdue invoices immediately', async () => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId, { cardNumber: numbers.declined });
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({ status: 'PAST_DUE' });
    const { visitor } = await scene.enter(customerId);
    await visitor.submit(await visitor.open(methods), card(), 'Save card');
    await scene.untilIdle();
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({ status: 'ACTIVE' });
  });
});
