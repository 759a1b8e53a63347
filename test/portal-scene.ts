import type { ApiClient } from './api-client';
import { product } from './patterns';
import type { TestSystem } from './test-system';
import { Visitor } from './visitor';

/** A product as the portal's tests sell it: 29.00 USD a month. */
export const usd = { ...product, currency: 'usd' };

/** Cards of the sandbox. */
export const numbers = {
  good: '4242424242424242',
  other: '5555555555554444',
  declined: '4000000000000002',
  securedOnce: '4000002500003155',
} as const;

let authorizations = 0;

/** A card that was authorised; each starts one subscription. */
export function authorization(cardNumber: string = numbers.good): string {
  authorizations += 1;
  return `txn_${cardNumber}_${String(authorizations)}`;
}

/** Customers of a sandbox of their own, whose clock stands still, and what they have. */
export class PortalScene {
  private constructor(readonly api: ApiClient) {}

  static async begin(system: TestSystem): Promise<PortalScene> {
    return new PortalScene(await system.live.manualSandbox('2026-01-31T00:00:00.000Z'));
  }

  make(path: string, body: object): Promise<any> {
    return this.api.expect(201, this.api.post(path, body));
  }

  read(path: string): Promise<any> {
    return this.api.expect(200, this.api.get(path));
  }

  async customer(more: object = {}): Promise<string> {
    return (await this.make('/customers', { email: 'ada@example.com', name: 'Ada', ...more })).id;
  }

  /** Subscribes a customer to a product of its own, with a good card unless told otherwise. */
  async subscribe(
    customerId: string,
    {
      cardNumber = numbers.good,
      plan = {},
      input = {},
    }: { cardNumber?: string | null; plan?: object; input?: object } = {},
  ): Promise<any> {
    const { id: productId } = await this.make('/products', { ...usd, ...plan });
    const authorizedTransactionId = cardNumber === null ? null : authorization(cardNumber);
    return this.make('/subscriptions', {
      customerId,
      productId,
      authorizedTransactionId,
      ...input,
    });
  }

  /** Sells usage of a new meter with a product. */
  async price(productId: string, meter: object, price: object): Promise<string> {
    const { id: meterId } = await this.make('/meters', meter);
    const path = `/products/${productId}/meter-prices`;
    const prices = [{ meterId, ...price }];
    await this.api.expect(200, this.api.request('PATCH', path, { body: { prices } }));
    return meterId;
  }

  /** Lets a customer into the portal. */
  enter(customerId: string, returnUrl?: string) {
    const wish = { customerId, ...(returnUrl !== undefined && { returnUrl }) };
    return Visitor.enter(this.api, wish);
  }

  /** Waits until all that is under way is done. */
  async quiet(): Promise<void> {
    await this.api.advanceTo((await this.read('/sandboxes/clock')).now as string);
  }
}
