import type { CallContext } from '@billing/chassis/call-context';
import { rpcService } from '@billing/chassis/rpc';
import { type RunningService, Service } from '@billing/chassis/service';
import { testServiceConfiguration } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type SessionServiceServer,
  SessionServiceService,
} from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';

/** A redemption check, as the service of the holder received it. */
export interface RedemptionCheck {
  readonly holderId: string;
  readonly discountId: string;
  readonly context: CallContext;
}

const unused = () => Promise.reject(new Error('Not used by these tests'));

/** Configuration of discount, with the owners at an address. */
export function configurationFor(address: string) {
  return testServiceConfiguration('discount', {
    CATALOG_ADDRESS: address,
    CHECKOUT_ADDRESS: address,
    SUBSCRIPTION_ADDRESS: address,
  });
}

/** Stand-ins for checkout and subscription with their redemption check. */
export class Owners {
  readonly questions: RedemptionCheck[] = [];
  /** By `<noun> <id>` of the holder; without one, its service does not respond. */
  readonly states = new Map<string, RedemptionState>();
  readonly lostSessions = new Set<string>();

  async start(configuration: ReturnType<typeof testServiceConfiguration>): Promise<RunningService> {
    const service = await Service.open('owners', configuration);
    return service.serve([
      rpcService<SessionServiceServer>(SessionServiceService, {
        createSession: unused,
        previewSession: unused,
        getSession: unused,
        paySession: unused,
        listSessions: unused,
        answerSessionChallenge: unused,
        changeSessionBuyer: unused,
        applyDiscountCode: unused,
        removeDiscountCode: unused,
        checkSessionRedemption: async ({ sessionId, discountId, round }, context) => {
          const ofCode = round === undefined ? '' : `, code ${String(round)}`;
          const answer = await this.answer(`session ${sessionId}${ofCode}`, discountId, context);
          return { ...answer, isLost: this.lostSessions.has(sessionId) };
        },
      }),
      rpcService<SubscriptionServiceServer>(SubscriptionServiceService, {
        createSubscription: unused,
        getSubscription: unused,
        listSubscriptions: unused,
        updateSubscription: unused,
        cancelSubscription: unused,
        uncancelSubscription: unused,
        applyCollectionResult: unused,
        createFromCheckout: unused,
        listUsagePeriods: unused,
        billEndedSubscriptions: unused,
        checkChange: async ({ changeId }, context) => {
          const { state } = await this.answer(`change ${changeId}`, '', context);
          const { REDEMPTION_STATE_UNSPECIFIED: unknown } = RedemptionState;
          return state === unknown ? { exists: false } : { exists: true, redemption: state };
        },
        checkSubscriptionRedemption: ({ subscriptionId, discountId }, context) =>
          this.answer(`subscription ${subscriptionId}`, discountId, context),
      }),
    ]);
  }

  private async answer(holderId: string, discountId: string, context: CallContext) {
    this.questions.push({ holderId, discountId, context });
    const state = this.states.get(holderId);
    if (state === undefined) throw new DomainError('unavailable', 'AWAY', 'Service unavailable');
    return Promise.resolve({ state });
  }
}
