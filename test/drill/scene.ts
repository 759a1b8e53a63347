import type { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { newId } from '@billing/chassis/ids';
import type { ApiClient } from '../support/api-client';
import { Payer } from '../support/payer';
import type { WebhookReceiver } from '../support/webhook-receiver';

/** Authorizations of the sandbox's provider, each of another payment. */
const sandboxCard = (number = '4242424242424242') => `txn_${number}_${newId()}`;

const dayMs = 86_400_000;
const amount = 2900;
const flat = { type: 'FLAT', currency: 'USD', amount };

/** A year in a sandbox with a manual clock, and a live environment at the test double of Stripe. */
export class Scene {
  private constructor(
    readonly live: ApiClient,
    readonly sandbox: ApiClient,
    private readonly stripe: TestStripe,
    readonly ids: {
      readonly monthly: string;
      readonly metered: string;
      readonly meter: string;
      readonly discount: string;
      readonly user: string;
      readonly daily: string;
      readonly endpoint: string;
    },
  ) {}

  static async play(
    live: ApiClient,
    stripe: TestStripe,
    receiver: WebhookReceiver,
  ): Promise<Scene> {
    const scene = await Scene.begin(live, stripe, receiver);
    await scene.playYear();
    return scene;
  }

  /** The first day of that year. */
  static async begin(
    live: ApiClient,
    stripe: TestStripe,
    receiver: WebhookReceiver,
  ): Promise<Scene> {
    const sandbox = await live.manualSandbox('2025-01-31T00:00:00Z');
    const create = (path: string, body: object) => created(sandbox, path, body);
    const endpoint = await create('/webhook-endpoints', { url: receiver.url, events: ['*'] });
    const interval = { billingInterval: 'MONTHLY' };
    const monthly = await create('/products', { name: 'Monthly', ...flat, ...interval });
    const metered = await create('/products', { name: 'Metered', ...flat, ...interval });
    const meter = await create('/meters', { name: 'Calls', aggregation: 'SUM' });
    const prices = [{ meterId: meter.id, type: 'PER_UNIT', unitAmount: '2' }];
    const path = `/products/${String(metered.id)}/meter-prices`;
    await sandbox.expect(200, sandbox.request('PATCH', path, { body: { prices } }));
    const terms = { type: 'PERCENTAGE', value: 10, duration: 'FOREVER', maxRedemptions: 2 };
    const discount = await create('/discounts', { name: 'Two', code: 'TWO', ...terms });
    const user = await create('/customers', { email: 'user@example.com' });
    const daily = await created(live, '/products', {
      ...{ name: 'Daily', ...flat, billingInterval: 'DAILY' },
    });
    const ids = {
      ...{ monthly: monthly.id, metered: metered.id, meter: meter.id, discount: discount.id },
      ...{ user: user.id, daily: daily.id, endpoint: endpoint.id },
    };
    return new Scene(live, sandbox, stripe, ids);
  }

  private async playYear(): Promise<void> {
    const { sandbox, ids } = this;
    const bought = { customerId: ids.user, productId: ids.metered };
    await sandbox.subscribe({ ...bought, authorizedTransactionId: sandboxCard() });
    await created(sandbox, `/customers/${ids.user}/meter-credits`, {
      meterId: ids.meter,
      amount: 9,
    });
    await this.subscribe({ discountId: ids.discount });
    await sandbox.advanceTo('2025-02-15T00:00:00Z');
    await this.use('2025-02-14', 30);
    await sandbox.advanceTo('2026-01-30T00:00:00Z');
    await created(sandbox, '/balance-entries', {
      ...{ customerId: ids.user, amount: 500, description: 'Goodwill' },
    });
    await this.buy();
  }

  /** A customer and a subscription of the sandbox. */
  async subscribe(terms: object = {}, card?: string): Promise<any> {
    const { sandbox, ids } = this;
    const { id: customerId } = await created(sandbox, '/customers', { email: 'one@example.com' });
    const authorizedTransactionId = sandboxCard(card);
    const body = { customerId, productId: ids.monthly, authorizedTransactionId, ...terms };
    return sandbox.subscribe(body);
  }

  /** Usage of the sandbox; the same day is the same event. */
  async use(day: string, quantity: number): Promise<void> {
    const { sandbox, ids } = this;
    const facts = { customerId: ids.user, meterId: ids.meter, quantity };
    const event = { ...facts, timestamp: `${day}T00:00:00Z`, eventId: day };
    expect(await created(sandbox, '/events/ingest', { events: [event] })).toMatchObject({
      rejected: [],
    });
  }

  /** A customer of the live environment who is charged each day, from now on. */
  async buy(): Promise<any> {
    return this.live.subscribe(await this.termsOfBuyer());
  }

  /** Such a customer, who is charged for the second time at an instant of the next day. */
  async buyBefore(renewsAt: Date): Promise<any> {
    const startAt = new Date(renewsAt.getTime() - dayMs).toISOString();
    return this.live.subscribe({ ...(await this.termsOfBuyer()), startAt });
  }

  private async termsOfBuyer() {
    const { id: customerId } = await created(this.live, '/customers', { email: 'ada@example.com' });
    const authorizedTransactionId = this.stripe.account.addAuthorization({ amount });
    return { customerId, productId: this.ids.daily, authorizedTransactionId };
  }

  /** From now on the card of a buyer declines. */
  declineFrom({ authorizedTransactionId }: { authorizedTransactionId: string }): void {
    const { intents, cards } = this.stripe.account;
    const method = intents.get(authorizedTransactionId)?.payment_method ?? '';
    cards.set(method, { ...cards.get(method)!, decline: { decline_code: 'insufficient_funds' } });
  }

  /** An open checkout session of the live environment. */
  async openSession(): Promise<{ sessionId: string; checkoutUrl: string }> {
    const { live, ids } = this;
    const { id: customerId } = await created(live, '/customers', { email: 'eve@example.com' });
    return created(live, '/checkout', { customerId, productId: ids.daily });
  }

  /** Gives a card on the provider's page, and pays the session. */
  async pay({ checkoutUrl }: { checkoutUrl: string }): Promise<void> {
    const payer = new Payer(this.live.gatewayUrl);
    const leading = await payer.submit(await payer.open(checkoutUrl));
    const link = leading.root.querySelector('a.button')?.getAttribute('href') ?? '';
    const setupId = link.split('/').at(-1) ?? '';
    this.stripe.account.completeSession(setupId);
    const back = await payer.open(`${checkoutUrl}/card?setup_id=${setupId}`);
    expect((await payer.submit(back)).text).toContain('Your payment has been received');
  }
}

export function created(api: ApiClient, path: string, body: object): Promise<any> {
  return api.expect(201, api.post(path, body));
}
