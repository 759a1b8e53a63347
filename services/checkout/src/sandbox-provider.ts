import { derivedId } from '@billing/chassis/ids';
import type {
  ChargeOutcome,
  ChargeRequest,
  PaymentProvider,
  ProviderMethod,
  ProviderSource,
} from './payment-provider';
import {
  cardOfAuthorization,
  declineCode,
  sandboxCard,
  type SandboxCardName,
} from './sandbox-cards';
import type { SandboxOutcome, SandboxStore } from './sandbox-store';

/** Plays the provider in sandboxes: no money moves, cards behave by their number. */
export class SandboxProvider implements PaymentProvider {
  readonly name = 'sandbox';

  constructor(
    private readonly store: SandboxStore,
    private readonly environmentId: string,
  ) {}

  async charge({
    key,
    amount,
    currency,
    customerId,
    source,
  }: ChargeRequest): Promise<ChargeOutcome> {
    const { methodId, card } = await this.cardBehind(source, customerId);
    const isCapture = source.kind === 'AUTHORIZATION';
    const providerPaymentId = derivedId(this.environmentId, 'sandboxCharge', key);
    const outcome = await this.store.charge(
      { key, providerPaymentId, methodId, isCapture, amount, currency },
      (earlierSavedCharges) => declineCode(card, { isCapture, earlierSavedCharges }),
    );
    return toChargeOutcome(outcome);
  }

  async findCharge(key: string): Promise<ChargeOutcome | undefined> {
    const outcome = await this.store.findCharge(key);
    return outcome === undefined ? undefined : toChargeOutcome(outcome);
  }

  async resolveAuthorization(authorization: {
    authorizedTransactionId: string;
    customerId: string;
  }): Promise<ProviderMethod | undefined> {
    const name = cardOfAuthorization(authorization.authorizedTransactionId);
    if (name === undefined) return undefined;
    const providerMethodId = this.methodIdOf(authorization);
    await this.store.saveMethod(providerMethodId, name);
    const { brand, last4 } = sandboxCard(name);
    return { providerMethodId, brand, last4 };
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
    return {
      methodId: this.methodIdOf({ authorizedTransactionId, customerId }),
      card: cardOfAuthorization(authorizedTransactionId),
    };
  }

  // Each authorisation saves a card of its own, as each entry of a card at a provider does: a card that fails twice does so per save.
  private methodIdOf(authorization: {
    authorizedTransactionId: string;
    customerId: string;
  }): string {
    const { authorizedTransactionId, customerId } = authorization;
    return derivedId(this.environmentId, 'sandboxMethod', customerId, authorizedTransactionId);
  }
}

function toChargeOutcome({ providerPaymentId, failureCode }: SandboxOutcome): ChargeOutcome {
  if (failureCode === undefined) return { status: 'SUCCEEDED', providerPaymentId };
  return { status: 'FAILED', failureCode, providerPaymentId };
}
