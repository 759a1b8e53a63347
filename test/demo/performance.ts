import type { Billing, components } from '@billing/client';
import type { Person } from './people';
import type { Turn } from './plan';
import type { Shopfront } from './shopfront';
import { cards, type Purchase, type PurchaseName, type Step, type Usage } from './step';
import { oneTimeKey } from './catalogue';
import { found, type Stock } from './stock';

/** Metadata key by which a subscription names its customer's purchase. */
const purchaseField = 'purchase';
const eventsMax = 1000;

type Order = components['schemas']['CreateCheckoutSession'] &
  components['schemas']['CreateSubscription'];

/**
 * Executes steps. Each may be repeated: it finds the resource it created, or is recognized by its
 * key.
 */
export class Performance {
  private readonly customerIds = new Map<string, string>();

  constructor(
    private readonly api: Billing,
    private readonly shopfront: Shopfront,
    private readonly stock: Stock,
    private readonly seed: string,
  ) {}

  async perform(day: number, { person, steps }: Turn): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const idempotencyKey = `demo/${this.seed}/${person.ref}/${String(day)}/${String(index)}`;
      await this.take(step, person, idempotencyKey);
    }
  }

  async report(usage: readonly Usage[]): Promise<void> {
    for (let from = 0; from < usage.length; from += eventsMax) {
      const events = usage.slice(from, from + eventsMax).map(({ meter, timestamp, ...event }) => ({
        ...event,
        timestamp: timestamp.toISOString(),
        meterId: found(this.stock.meterIds, meter),
      }));
      const { rejected } = await this.api.events.ingest({ events });
      if (rejected.length > 0) throw new Error(`Usage rejected: ${JSON.stringify(rejected[0])}`);
    }
  }

  private async take(step: Step, person: Person, idempotencyKey: string): Promise<void> {
    switch (step.kind) {
      case 'REGISTER':
        return this.register(person, step.collectionMethod, idempotencyKey);
      case 'SUBSCRIBE':
        return this.subscribe(person, step, idempotencyKey);
      case 'CHECK_OUT':
        return this.checkOut(person, step, idempotencyKey);
      case 'FOLLOW_LINK':
        return this.followLink(person, step);
      case 'CANCEL': {
        const { atPeriodEnd } = step;
        const id = await this.subscriptionId(person, step.purchase);
        await this.api.subscriptions.cancel(id, { atPeriodEnd }, { idempotencyKey });
        return;
      }
      case 'UNCANCEL': {
        const id = await this.subscriptionId(person, step.purchase);
        await this.api.subscriptions.uncancel(id, {}, { idempotencyKey });
        return;
      }
      case 'CHANGE_CARD': {
        const customerId = await this.customerId(person);
        const { url } = await this.api.portalSessions.create({ customerId });
        return this.shopfront.saveCard(url, step.card);
      }
      case 'PAY_INVOICES':
        for (const { hostedUrl } of await this.openInvoices(person)) {
          if (hostedUrl !== null) await this.shopfront.pay(hostedUrl, [step.card]);
        }
        return;
      case 'RETRY_INVOICES':
        for (const { id } of await this.openInvoices(person)) {
          await this.api.invoices.pay(id, {}, { idempotencyKey: `${idempotencyKey}/${id}` });
        }
        return;
      case 'GRANT_CREDITS': {
        const { kind: _kind, meter, expiresAt, ...grant } = step;
        const meterId = found(this.stock.meterIds, meter);
        const customerId = await this.customerId(person);
        const body = { ...grant, expiresAt: expiresAt.toISOString(), meterId };
        await this.api.customers.createCreditGrant(customerId, body, { idempotencyKey });
      }
    }
  }

  private async register(
    person: Person,
    collectionMethod: 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE',
    idempotencyKey: string,
  ): Promise<void> {
    const { ref: externalId, name, company, email, currency, address } = person;
    const metadata = { company };
    const input = { externalId, name, email, currency, address, collectionMethod, metadata };
    const { id } = await this.api.customers.create(input, { idempotencyKey });
    this.customerIds.set(person.ref, id);
  }

  private async subscribe(
    person: Person,
    { purchase, card, startAt }: Extract<Step, { kind: 'SUBSCRIBE' }>,
    idempotencyKey: string,
  ): Promise<void> {
    const authorization = card && `txn_${cards[card]}_${person.ref}`;
    const body = {
      ...(await this.orderOf(person, purchase)),
      authorizedTransactionId: authorization ?? null,
      startAt: startAt?.toISOString() ?? null,
    };
    await this.api.subscriptions.create(body, { idempotencyKey });
  }

  private async checkOut(
    person: Person,
    step: Extract<Step, { kind: 'CHECK_OUT' }>,
    idempotencyKey: string,
  ): Promise<void> {
    const order =
      step.purchase === undefined
        ? {
            customerId: await this.customerId(person),
            productId: found(this.stock.productIds, oneTimeKey),
          }
        : await this.orderOf(person, step.purchase);
    const { sessionId, checkoutUrl } = await this.api.checkout.create(order, { idempotencyKey });
    await this.shopfront.pay(checkoutUrl, step.cards);
    if (!step.isPaid) return;
    const { status } = await this.api.checkout.retrieve(sessionId);
    if (status !== 'COMPLETE') throw new Error(`Checkout ${sessionId} is ${status} after payment`);
  }

  /** An existing customer has ordered already: the page would create a second customer. */
  private async followLink(
    person: Person,
    { purchase, card }: Extract<Step, { kind: 'FOLLOW_LINK' }>,
  ): Promise<void> {
    if ((await this.findCustomer(person)) !== undefined) return;
    const productId = found(this.stock.productIds, purchase.offer);
    const { email } = person;
    const session = await this.shopfront.order(this.stock.linkUrl, { email, productId });
    await this.shopfront.pay(session, [card]);
  }

  private async orderOf(
    person: Person,
    { name, offer, quantity, discount }: Purchase,
  ): Promise<Order> {
    return {
      customerId: await this.customerId(person),
      productId: found(this.stock.productIds, offer),
      quantity,
      discountId: discount === undefined ? null : found(this.stock.discountIds, discount),
      metadata: { [purchaseField]: name },
    };
  }

  private async openInvoices(person: Person): Promise<{ id: string; hostedUrl: string | null }[]> {
    const customerId = await this.customerId(person);
    return (await this.api.invoices.list({ customerId, status: 'OPEN' })).data;
  }

  private async subscriptionId(person: Person, name: PurchaseName): Promise<string> {
    const customerId = await this.customerId(person);
    const { data } = await this.api.subscriptions.list({ customerId });
    // A purchase by the link has no metadata, and is the first.
    const subscription = data.find(({ metadata }) => (metadata[purchaseField] ?? 'first') === name);
    if (subscription === undefined) throw new Error(`${person.ref} has no ${name} purchase`);
    return subscription.id;
  }

  private async customerId(person: Person): Promise<string> {
    const id = this.customerIds.get(person.ref) ?? (await this.findCustomer(person));
    if (id === undefined) throw new Error(`There is no customer ${person.ref}`);
    this.customerIds.set(person.ref, id);
    return id;
  }

  private async findCustomer({ email }: Person): Promise<string | undefined> {
    const { data } = await this.api.customers.list({ email });
    return data[0]?.id;
  }
}
