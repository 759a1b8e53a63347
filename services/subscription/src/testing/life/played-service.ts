import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { Product } from '@billing/proto/billing/catalog/v1/catalog';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import type {
  PreviewCancellationResponse,
  PreviewChangeResponse,
} from '@billing/proto/billing/subscription/v1/change_service';
import type { Discount } from '@billing/proto/billing/discount/v1/discount';
import { retriedWithChange } from '../../over-limit/over-limit-bill';
import { change } from '../../change/create-change';
import { type CancellationInput, previewCancellation } from '../../change/describe-cancellation';
import { previewChange, type PreviewDependencies, promiseOf } from '../../change/describe-change';
import type { ChangeInput } from '../../change/read-wanted-change';
import { cancelForCaller } from '../../change/cancel-subscription';
import type { Changes, RecordedChange } from '../../change/change-store';
import { type CommandDependencies, subscriptionCommands } from '../../command/commands';
import { cancelChange } from '../../lifecycle/apply-change';
import { uncancel } from '../../lifecycle/cancellation';
import { applyCollectionResult } from '../../lifecycle/collection';
import { decideAfterDueSteps, dueStep, takeDueStep } from '../../lifecycle/due-steps';
import { fromProtoCustomer } from '../../peer/customer';
import type { SettlementDependencies } from '../../peer/metering';
import type { BillingCommand } from '../../subscription/command';
import type { Subscription } from '../../subscription/subscription';
import { findChange, type SubscriptionChange } from '../../subscription/subscription-change';
import type { Decision, SubscriptionTransition } from '../../subscription/transition';
import { decisionOn, type Subscriptions } from '../../storage/subscription-store';
import { aProtoCustomer } from '../customer-facts';
import type { PlayedCheckout } from './played-checkout';
import type { PlayedMetering } from './played-metering';

/** What the peers of the service know. */
interface PlayedPeers {
  readonly checkout: PlayedCheckout;
  readonly metering: PlayedMetering;
  readonly products: ReadonlyMap<string, Product>;
  readonly discounts: ReadonlyMap<string, Discount>;
  readonly isSentInvoices: boolean;
}

type PlayedDependencies = CommandDependencies & PreviewDependencies & SettlementDependencies;

type Rule = (current: Subscription, decision: Decision) => SubscriptionTransition;

const deadlineMs = 60_000;

/**
 * This service with one subscription in memory. Calls, commands and steps of time run by its own
 * code; time stands still until it is advanced.
 */
export class PlayedService {
  now: Date;
  private stored: Stored<Subscription>;
  private readonly tenant;
  private readonly outbox: BillingCommand[] = [];
  private readonly handlers;
  private readonly dependencies: PlayedDependencies;
  /** Finished changes, in the order in which they are recorded. */
  readonly recorded: SubscriptionChange[] = [];
  private isRunning = false;
  private calls = 0;
  private looks = 0;

  constructor(
    create: (decision: Decision) => SubscriptionTransition,
    { now, id, environmentId }: { readonly now: Date; readonly id: string; environmentId: string },
    private readonly peers: PlayedPeers,
  ) {
    this.now = now;
    this.tenant = { organizationId: 'o', environmentId, live: false, manualClock: true };
    const { state, commands } = create(decisionOn(id, this.tenant, now));
    const times = { createdAt: now, updatedAt: now };
    this.stored = { state, tenant: this.tenant, version: 1, ...times };
    this.outbox.push(...commands);
    this.dependencies = this.dependenciesOf();
    this.handlers = subscriptionCommands(this.dependencies);
  }

  get state(): Subscription {
    return this.stored.state;
  }

  /** Asks for a change; undefined: it is refused. */
  async change(input: ChangeInput): Promise<SubscriptionChange | undefined> {
    const call = { input, expectedVersion: undefined, promised: undefined };
    const subscriptionId = this.state.id;
    const made = await this.unlessRefused(
      change({ ...call, subscriptionId }, this.context(), this.dependencies),
    );
    await this.settle();
    return made?.change;
  }

  /** Previews a change; undefined: it is refused. */
  preview(input: ChangeInput): Promise<PreviewChangeResponse | undefined> {
    const { id: subscriptionId } = this.state;
    return this.unlessRefused(
      previewChange({ subscriptionId, input }, this.context(), this.dependencies),
    );
  }

  /** Asks for a change as it was previewed; the refusal if there is one. */
  async use(input: ChangeInput, token: string): Promise<SubscriptionChange | DomainError> {
    const { dependencies } = this;
    const context = this.context();
    const asked = { subscriptionId: this.state.id, input };
    const made = await orRefusal(
      promiseOf(token, asked, context, dependencies).then((promised) =>
        change({ ...asked, promised, expectedVersion: undefined }, context, dependencies),
      ),
    );
    await this.settle();
    return made instanceof DomainError ? made : made.change;
  }

  /** Previews an end; undefined: it is refused. */
  previewEnd(input: CancellationInput): Promise<PreviewCancellationResponse | undefined> {
    const { id: subscriptionId } = this.state;
    return this.unlessRefused(
      previewCancellation({ subscriptionId, input }, this.context(), this.dependencies),
    );
  }

  /** Ends the subscription as it was previewed; the refusal if there is one. */
  async useEnd(input: CancellationInput, previewToken: string): Promise<DomainError | undefined> {
    const request = { subscriptionId: this.state.id, input, previewToken };
    const ended = await orRefusal(
      cancelForCaller(
        { ...request, expectedVersion: undefined },
        this.context(),
        this.dependencies,
      ),
    );
    await this.settle();
    return ended instanceof DomainError ? ended : undefined;
  }

  /** Ends the subscription; false: that is refused. */
  async cancel(input: CancellationInput): Promise<boolean> {
    const call = { input, previewToken: undefined, expectedVersion: undefined };
    const subscriptionId = this.state.id;
    const ended = await this.unlessRefused(
      cancelForCaller({ ...call, subscriptionId }, this.context(), this.dependencies),
    );
    await this.settle();
    return ended !== undefined;
  }

  async uncancel(): Promise<void> {
    await this.unlessRefused(Promise.resolve().then(() => this.decide(uncancel)));
    await this.settle();
  }

  /** Takes the change that waits back. */
  async withdraw(): Promise<void> {
    this.decide((current, decision) =>
      decideAfterDueSteps(current, decision, (caughtUp) =>
        cancelChange(caughtUp, caughtUp.changes.waiting?.id ?? '', decision.now),
      ),
    );
    await this.settle();
  }

  /** Advances time; steps due at the instant itself are taken if asked for. */
  async advanceTo(at: Date, { isInclusive }: { readonly isInclusive: boolean }): Promise<void> {
    for (;;) {
      const step = dueStep(this.state);
      if (step === undefined || step.at > at || (step.at >= at && !isInclusive)) break;
      if (step.at > this.now) this.now = step.at;
      this.decide(takeDueStep);
      await this.settle();
    }
    if (at > this.now) this.now = at;
  }

  /** Runs all commands, and applies all results of invoices. */
  async settle(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      while (this.outbox.length + this.peers.checkout.results.length > 0) {
        const command = this.outbox.shift();
        if (command !== undefined) await this.run(command);
        else this.applyResult();
      }
    } finally {
      this.isRunning = false;
    }
  }

  private async run({ type, payload }: BillingCommand): Promise<void> {
    const delivery = { context: this.context(), aggregateId: this.state.id, sequence: 1 };
    await this.handlers[type](payload as never, delivery);
  }

  private applyResult(): void {
    const result = this.peers.checkout.results.shift();
    if (result === undefined) return;
    // A change that was paid late may have begun many periods.
    while ((dueStep(this.state)?.at ?? this.now) < this.now) this.decide(takeDueStep);
    this.decide((current, decision) => applyCollectionResult(current, result, decision));
  }

  private decide(rule: Rule): Stored<Subscription> {
    const { state: before } = this.stored;
    const decided = rule(before, decisionOn(before.id, this.tenant, this.now));
    const { state, commands } = retriedWithChange(before, decided);
    this.write(state);
    this.outbox.push(...commands);
    return this.stored;
  }

  private write(state: Subscription): void {
    if (state === this.stored.state) return;
    const version = this.stored.version + 1;
    this.stored = { ...this.stored, state, version, updatedAt: this.now };
  }

  private context(): CallContext {
    this.calls += 1;
    return {
      ...{ tenant: this.tenant, now: this.now, scopes: ['*'], requestId: 'request' },
      resourceSeed: derivedId(this.tenant.environmentId, this.calls),
      isFirstRun: true,
      deadline: new Date(this.now.getTime() + deadlineMs),
      signal: new AbortController().signal,
    };
  }

  /** The result of a call; undefined: the rules refuse it. */
  private async unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
    const result = await orRefusal(call);
    if (!(result instanceof DomainError)) return result;
    if (result.kind === 'unavailable' && !this.mayWait(result)) throw result;
    return undefined;
  }

  // A service that is alone is never busy, but it waits for a change that is being paid, and for
  // an invoice that is to be opened.
  private mayWait({ reason }: DomainError): boolean {
    if (reason === 'RESERVATION_IN_PROGRESS') return true;
    return reason === 'PERIOD_NOT_INVOICED' && this.peers.checkout.hasDrafts;
  }

  /** Real time; a wait ends with its next look. */
  private realNow(): Date {
    this.looks += 1;
    return new Date(this.now.getTime() + this.looks * deadlineMs);
  }

  private subscriptions(): Subscriptions {
    const read = () => Promise.resolve(this.stored);
    const played: Partial<Record<keyof Subscriptions, unknown>> = {
      ...{ get: read, getRecent: read },
      list: () => Promise.resolve({ data: [this.stored], total: 1 }),
      change: (_id: string, _context: unknown, rule: Rule) =>
        Promise.resolve().then(() => this.decide(rule)),
      record: (_id: string, _context: unknown, record: (current: Subscription) => Subscription) => {
        this.write(record(this.state));
        return Promise.resolve();
      },
      waitFor: async () => {
        await this.settle();
        return this.stored;
      },
    };
    return played as unknown as Subscriptions;
  }

  private changes(): Changes {
    const find = ({ changes }: Subscription, id: string) =>
      Promise.resolve(findChange(changes, id) ?? this.recorded.find((one) => one.id === id));
    const played: Partial<Record<keyof Changes, unknown>> = {
      find,
      get: find,
      record: (one: RecordedChange) => {
        if (this.recorded.every(({ id }) => id !== one.id)) this.recorded.push(one);
        return Promise.resolve();
      },
      recordBilledOn: () => Promise.resolve(),
    };
    return played as unknown as Changes;
  }

  private dependenciesOf(): PlayedDependencies {
    const { checkout, metering, products, discounts, isSentInvoices } = this.peers;
    const {
      COLLECTION_METHOD_CHARGE_AUTOMATICALLY: charged,
      COLLECTION_METHOD_SEND_INVOICE: sent,
    } = CollectionMethod;
    const customer = fromProtoCustomer(
      aProtoCustomer({ currencyFixed: true, collectionMethod: isSentInvoices ? sent : charged }),
    );
    const done = () => Promise.resolve({});
    const discountOf = ({ discountId }: { readonly discountId: string }) =>
      Promise.resolve({ discount: discounts.get(discountId) });
    const noLog = () => undefined;
    const peers = {
      ...{ checkout: checkout.calls, quotes: checkout.quotes },
      products: { find: (id: string) => Promise.resolve(products.get(id)) },
      customers: { find: () => Promise.resolve(customer) },
      metering: metering.calls,
      meterPrices: {
        find: ({ productId }: { readonly productId: string }) => {
          const product = products.get(productId);
          const { meterPriceSet: set = 0, meterPrices: prices = [], taxCategory } = product ?? {};
          return Promise.resolve({ set, prices, taxCategory });
        },
      },
      discount: {
        ...{ quoteRedemption: discountOf, reserveRedemption: discountOf },
        ...{ confirmRedemption: done, releaseRedemption: done },
      },
    };
    return {
      ...{ subscriptions: this.subscriptions(), changes: this.changes(), peers },
      ...{ invoices: { create: checkout.calls.createInvoice }, customers: peers.customers },
      keys: { secret: () => Promise.resolve('k'.repeat(32)) },
      ...{ rows: {}, logger: { warn: noLog, error: noLog, info: noLog }, adoptRemade: done },
      ...{
        onRenewalInvoiced: noLog,
        onDroppedCredits: noLog,
        clock: { now: () => this.realNow() },
      },
    } as unknown as PlayedDependencies;
  }
}

/** The result of a call, or the error that refuses it. */
async function orRefusal<T>(call: Promise<T>): Promise<T | DomainError> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error;
  }
}
