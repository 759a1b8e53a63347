import type { ApiClient } from './api-client';
import { product } from './patterns';
import type { TestSystem } from './shared-system';
import { Visitor } from './visitor';

/** The product of the portal's tests: 29.00 USD a month. */
export const usd = { ...product, currency: 'usd' };

/** Cards of the sandbox. */
export const numbers = {
  good: '4242424242424242',
  other: '5555555555554444',
  declined: '4000000000000002',
  /** Pays once by its authorization, and is declined from then on. */
  failsWhenSaved: '4000000000000341',
  securedOnce: '4000002500003155',
} as const;

// Paths whose work may continue after the response: the first charge, a refund.
const settled = ['/subscriptions', '/credit-notes'];

let authorizations = 0;

/** An authorized card; each authorization starts one subscription. */
export function authorization(cardNumber: string = numbers.good): string {
  authorizations += 1;
  return `txn_${cardNumber}_${String(authorizations)}`;
}

/** Customers of a separate sandbox with a manual clock, and their resources. */
export class PortalScene {
  constructor(
    readonly api: ApiClient,
    /** False where the requests that wait for work must not be logged. */
    private readonly settles = true,
  ) {}

  static async begin(system: TestSystem): Promise<PortalScene> {
    return new PortalScene(await system.live.manualSandbox('2026-01-31T00:00:00.000Z'));
  }

  /** Creates a resource, and waits for what its creation causes. */
  async create(path: string, body: object): Promise<any> {
    const created = await this.api.expect(201, this.api.post(path, body));
    if (!this.settles || !settled.includes(path)) return created;
    await this.untilIdle();
    return this.read(`${path}/${String(created.id)}`);
  }

  read(path: string): Promise<any> {
    return this.api.expect(200, this.api.get(path));
  }

  async customer(more: object = {}): Promise<string> {
    return (await this.create('/customers', { email: 'ada@example.com', name: 'Ada', ...more })).id;
  }

  /** Subscribes a customer to a product of its own, by default with a good card. */
  async subscribe(
    customerId: string,
    {
      cardNumber = numbers.good,
      plan = {},
      input = {},
    }: { cardNumber?: string | null; plan?: object; input?: object } = {},
  ): Promise<any> {
    const { id: productId } = await this.create('/products', { ...usd, ...plan });
    const authorizedTransactionId = cardNumber === null ? null : authorization(cardNumber);
    return this.create('/subscriptions', {
      customerId,
      productId,
      authorizedTransactionId,
      ...input,
    });
  }

  /** Adds a price for usage of a new meter to a product. */
  async price(productId: string, meter: object, price: object): Promise<string> {
    const { id: meterId } = await this.create('/meters', meter);
    const path = `/products/${productId}/meter-prices`;
    const prices = [{ meterId, ...price }];
    await this.api.expect(200, this.api.request('PATCH', path, { body: { prices } }));
    return meterId;
  }

  /** Creates a portal session for a customer. */
  enter(customerId: string, returnUrl?: string) {
    const input = { customerId, ...(returnUrl !== undefined && { returnUrl }) };
    return Visitor.enter(this.api, input);
  }

  /** Waits until no work is in flight. */
  async untilIdle(): Promise<void> {
    await this.api.untilIdle();
  }
}
