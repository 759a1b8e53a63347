import { derivedId } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';
import { checkCardForm, digitsOf, expiryOf } from '../port/card-form';
import { declined } from '../port/decline';
import type {
  CardEntry,
  CardExpiry,
  ChargeOutcome,
  ChargeReference,
  ChargeRequest,
  FinalOutcome,
  PaymentProvider,
  ProviderMethod,
  ProviderSource,
  TypedCard,
} from '../port/payment-provider';
import {
  type ProviderDispute,
  type ProviderRefund,
  refundDeclined,
  type RefundOutcome,
  type RefundReference,
  type RefundRequest,
} from '../port/refund';
import {
  answerAfterChallenge,
  answerOf,
  type CardAnswer,
  cardOfAuthorization,
  cardOfNumber,
  isAskedLater,
  refundAnswerOf,
  sandboxCard,
  type SandboxCardName,
} from './cards';
import type { SandboxDisputes } from './disputes';
import type { SandboxOutcome, SandboxRefund, SandboxStore } from './store';

/** Simulates the provider in sandboxes: no money moves, and cards behave by their number. */
export class SandboxProvider implements PaymentProvider {
  readonly name = 'sandbox';
  readonly cardEntry: CardEntry = { kind: 'FORM', save: (entry) => this.saveCard(entry) };

  constructor(
    private readonly store: SandboxStore,
    private readonly environmentId: string,
    private readonly disputes: SandboxDisputes,
  ) {}

  async charge(request: ChargeRequest): Promise<ChargeOutcome> {
    const { key, amount, currency, customerId, source } = request;
    const { methodId, card } = await this.cardBehind(source, customerId);
    const providerPaymentId = derivedId(this.environmentId, 'sandboxCharge', key);
    const isCapture = source.kind === 'AUTHORIZATION';
    const isPayerPresent = request.returnUrl !== undefined;
    const entry = { key, providerPaymentId, methodId, isCapture, isPayerPresent, amount, currency };
    const isUsed =
      source.kind === 'AUTHORIZATION' &&
      !(await this.store.claimAuthorization(source.authorizedTransactionId, request));
    // Before the charge, which may be the last thing that this process does.
    if (card !== undefined && !isUsed) await this.expectDispute(card, providerPaymentId, request);
    return toChargeOutcome(
      await this.store.charge(entry, (charge) => (isUsed ? usedBefore : answerOf(card, charge))),
    );
  }

  async findCharge({ key }: ChargeReference): Promise<ChargeOutcome | undefined> {
    const outcome = await this.store.findCharge(key);
    return outcome === undefined ? undefined : toChargeOutcome(outcome);
  }

  async continueCharge({
    key,
    approved,
  }: ChargeReference & { readonly approved: boolean | undefined }): Promise<ChargeOutcome> {
    if (approved !== undefined) return toChargeOutcome(await this.endChallenge(key, approved));
    const outcome = await this.store.findCharge(key);
    if (outcome === undefined) throw new Error(`The sandbox has no charge ${key}`);
    return toChargeOutcome(outcome);
  }

  async cancelCharge({ key }: ChargeReference): Promise<FinalOutcome> {
    const outcome = toChargeOutcome(await this.endChallenge(key, false));
    if (outcome.status === 'REQUIRES_ACTION')
      throw new Error(`Charge ${key} still waits for its payer`);
    return outcome;
  }

  async resolveAuthorization(authorization: {
    authorizedTransactionId: string;
    customerId: string;
  }): Promise<ProviderMethod | undefined> {
    const { authorizedTransactionId, customerId } = authorization;
    const name = cardOfAuthorization(authorizedTransactionId);
    if (name === undefined) return undefined;
    const holder = await this.store.holderOf(authorizedTransactionId, customerId);
    return holder === customerId ? this.save(this.methodIdOf(authorization), name) : undefined;
  }

  // Cards of earlier releases were saved without it, and nothing else keeps it.
  expiryOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  // Refunds follow the name of the test card, which says nothing about a person.
  detach(): Promise<void> {
    return Promise.resolve();
  }

  async refund({ key, charge, amount, now }: RefundRequest): Promise<RefundOutcome> {
    const { key: chargeKey } = charge;
    const charged = await this.store.findCharge(chargeKey);
    if (charged?.answer.kind !== 'SUCCEEDS') throw new Error(`No charge with key ${chargeKey}`);
    const { methodId } = charged;
    const refund = await this.store.refund(key, { chargeKey, methodId, amount, createdAt: now });
    return this.refundOutcome(refund, now);
  }

  async findRefund({ key, now }: RefundReference): Promise<RefundOutcome | undefined> {
    const refund = await this.store.findRefund(key);
    return refund === undefined ? undefined : this.refundOutcome(refund, now);
  }

  // Nothing is refunded in the sandbox but by our own keys.
  listRefunds(): Promise<ProviderRefund[]> {
    return Promise.resolve([]);
  }

  findDispute({
    providerDisputeId,
    now,
  }: {
    readonly providerDisputeId: string;
    readonly now: Date;
  }): Promise<ProviderDispute | undefined> {
    return this.disputes.find(providerDisputeId, now);
  }

  // Only numbers of the list are processed; any other number is discarded.
  private async saveCard({
    key,
    customerId,
    card,
    now,
  }: {
    readonly key: string;
    readonly customerId: string;
    readonly card: TypedCard;
    readonly now: Date;
  }): Promise<ProviderMethod> {
    const name = cardOfNumber(digitsOf(card));
    if (name === undefined) throw invalidInput({ number: ['Only test cards are accepted here'] });
    checkCardForm(card, now);
    const id = derivedId(this.environmentId, 'sandboxCard', customerId, key);
    return this.save(id, name, expiryOf(card));
  }

  // The card behind an authorization was entered elsewhere, so its expiry is unknown.
  private async save(
    providerMethodId: string,
    name: SandboxCardName,
    expiry?: CardExpiry,
  ): Promise<ProviderMethod> {
    const card = sandboxCard(await this.store.saveMethod(providerMethodId, name));
    const { brand, last4, country = 'US' } = card;
    return { providerMethodId, brand, last4, expiry, country };
  }

  // All charges of such a card succeed.
  private async expectDispute(
    card: SandboxCardName,
    providerPaymentId: string,
    { key, invoiceId, amount, startedAt }: ChargeRequest,
  ): Promise<void> {
    const { disputes } = sandboxCard(card);
    if (disputes === undefined || amount === 0n) return;
    const id = derivedId(this.environmentId, 'sandboxDispute', key);
    const dispute = { id, invoiceId, providerPaymentId, amount, ...disputes };
    await this.disputes.expect(dispute, startedAt);
  }

  private refundOutcome({ key, card, createdAt }: SandboxRefund, now: Date): RefundOutcome {
    const providerRefundId = derivedId(this.environmentId, 'sandboxRefund', key);
    const status = card === undefined ? 'SUCCEEDED' : refundAnswerOf(card, { createdAt, now });
    return status === 'FAILED'
      ? { status, failureCode: refundDeclined, providerRefundId }
      : { status, providerRefundId };
  }

  private endChallenge(key: string, isApproved: boolean): Promise<SandboxOutcome> {
    const decide = async (methodId: string) =>
      answerAfterChallenge(await this.store.cardOf(methodId), { isApproved });
    return this.store.answerChallenge(key, { isApproved, decide });
  }

  private async cardBehind(
    source: ProviderSource,
    customerId: string,
  ): Promise<{ methodId: string; card: SandboxCardName | undefined }> {
    if (source.kind === 'METHOD') {
      const methodId = source.providerMethodId;
      return { methodId, card: await this.store.cardOf(methodId) };
    }
    const { authorizedTransactionId } = source;
    const methodId = this.methodIdOf({ authorizedTransactionId, customerId });
    const card = cardOfAuthorization(authorizedTransactionId);
    // Later events look the card up. The card of any other authorization is saved when its method
    // is resolved.
    if (card !== undefined && isAskedLater(card)) {
      await this.store.saveMethod(methodId, card);
    }
    return { methodId, card };
  }

  // Each authorization saves its own card, as each card entry at a provider does: a card that fails
  // twice does so once per save.
  private methodIdOf(authorization: {
    authorizedTransactionId: string;
    customerId: string;
  }): string {
    const { authorizedTransactionId, customerId } = authorization;
    return derivedId(this.environmentId, 'sandboxMethod', customerId, authorizedTransactionId);
  }
}

const usedBefore: CardAnswer = { kind: 'FAILS', code: 'authorization_used' };

function toChargeOutcome({ providerPaymentId, answer }: SandboxOutcome): ChargeOutcome {
  switch (answer.kind) {
    case 'SUCCEEDS':
      return { status: 'SUCCEEDED', providerPaymentId };
    case 'FAILS':
      return declined(answer.code, providerPaymentId);
    case 'CHALLENGES':
      return { status: 'REQUIRES_ACTION', providerPaymentId, redirectUrl: undefined };
  }
}
