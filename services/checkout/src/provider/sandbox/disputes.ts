import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { ProviderDispute } from '../port/refund';

/** A dispute that a payer of the sandbox will open and that a bank will close. */
export interface SandboxDispute extends Omit<
  ProviderDispute,
  'providerDisputeId' | 'status' | 'evidenceDueBy'
> {
  readonly id: string;
  readonly invoiceId: string;
  readonly closes: 'WON' | 'LOST';
  /** Environment time. */
  readonly opensAt: Date;
  readonly closesAt: Date;
  /** Number of announcements: of its opening, then of its end. */
  readonly announced: number;
}

type StoredDispute = Omit<SandboxDispute, 'id' | 'announced'> & {
  readonly _id: string;
  // The driver reads a small whole number as either type.
  readonly announced: number | bigint;
};

const dayMs = 24 * 60 * 60 * 1000;
const opensAfterMs = dayMs;
const closesAfterMs = 30 * dayMs;

export const sandboxDisputeDefinition: AggregateDefinition<SandboxDispute> = {
  collection: 'sandboxDisputes',
  aggregate: 'sandboxDispute',
  resource: 'Dispute',
  dueAt: ({ announced, opensAt, closesAt }) => {
    const at = [opensAt, closesAt][announced];
    return at === undefined ? undefined : { at, workClass: 'COLLECTION' };
  },
  dueClass: 'COLLECTION',
  toDocument: ({ id: _id, ...fields }) => fields,
  fromDocument: (document) => {
    const { _id: id, ...stored } = document as unknown as StoredDispute;
    const { invoiceId, providerPaymentId, amount, reason, closes, opensAt, closesAt } = stored;
    return {
      ...{ id, invoiceId, providerPaymentId, amount, reason, closes, opensAt, closesAt },
      announced: Number(stored.announced),
    };
  },
};

/** Counts an announcement that is due. */
function announce(dispute: SandboxDispute, now: Date): Transition<SandboxDispute> {
  const dueAt = sandboxDisputeDefinition.dueAt?.(dispute)?.at;
  if (dueAt === undefined || dueAt > now) return unchanged(dispute);
  return only({ ...dispute, announced: dispute.announced + 1 });
}

/** Disputes of one environment of the sandbox. */
export class SandboxDisputes {
  constructor(
    private readonly documents: AggregateCollection<SandboxDispute>,
    private readonly tenant: Tenant,
  ) {}

  /** Records once that the charge with the id will be disputed. */
  async expect(
    dispute: Pick<SandboxDispute, 'id' | 'invoiceId' | 'providerPaymentId' | 'amount'> &
      Pick<SandboxDispute, 'reason' | 'closes'>,
    chargedAt: Date,
  ): Promise<void> {
    const opensAt = new Date(chargedAt.getTime() + opensAfterMs);
    const closesAt = new Date(opensAt.getTime() + closesAfterMs);
    const state = { ...dispute, opensAt, closesAt, announced: 0 };
    await this.documents.within({ tenant: this.tenant, now: chargedAt }).insert(only(state));
  }

  /** Undefined for a dispute that is unknown, or not open yet. */
  async find(id: string, now: Date): Promise<ProviderDispute | undefined> {
    const stored = await this.documents.within({ tenant: this.tenant, now }).find(id);
    if (stored === undefined || stored.state.opensAt > now) return undefined;
    const { providerPaymentId, amount, reason, closes, closesAt } = stored.state;
    return {
      ...{ providerPaymentId, amount, reason },
      providerDisputeId: id,
      status: closesAt > now ? 'OPEN' : closes,
      evidenceDueBy: closesAt,
    };
  }
}

/**
 * Announces a dispute, as a provider sends an event: `check` asks for its state. The announcement
 * is counted afterwards, so a crash repeats it.
 */
export async function announceDispute(
  id: string,
  {
    disputes,
    check,
    context,
  }: {
    readonly disputes: AggregateCollection<SandboxDispute>;
    readonly check: (invoiceId: string, id: string) => Promise<void>;
    readonly context: Pick<CallContext, 'tenant' | 'now'>;
  },
): Promise<void> {
  const { state } = await disputes.within(context).get(id);
  await check(state.invoiceId, id);
  await disputes.within(context).mutate(id, announce);
}
