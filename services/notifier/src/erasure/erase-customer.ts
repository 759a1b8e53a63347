import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Erasing } from '@billing/chassis/erasure-rpc';
import { listSubjects } from '@billing/chassis/event-blanking';
import type { Peer } from '@billing/chassis/peer';
import type { PoisonMessages } from '@billing/chassis/poison-messages';
import type { ErasureServiceServer } from '@billing/proto/billing/erasure/v1/erasure';
import { type Email, eraseEmail } from '../mail/email';
import type { SuppressionStore } from '../mail/suppression-store';
import { messageIdsAt, type MessageStore } from '../message/message-store';

export interface ErasureDependencies {
  readonly emails: AggregateCollection<Email>;
  readonly suppressions: Pick<SuppressionStore, 'removeAddress' | 'removeCustomer'>;
  readonly messages: Pick<MessageStore, 'blank' | 'findFloors'>;
  readonly poison: Pick<PoisonMessages, 'removeOf'>;
  /** Owners of resources of customers. */
  readonly owners: readonly Peer<ErasureServiceServer>[];
  readonly clock: Clock;
  /** Codes of all restores. */
  readonly restoreCodes: () => readonly string[];
}

// More than a customer has after those that were removed.
const customerEventsMax = 100;

/** Erases deleted customers from mails, and later from webhooks, the feed and poison messages. */
export function erasingRecipients(dependencies: ErasureDependencies): Erasing {
  const { emails, suppressions, clock } = dependencies;
  return {
    eraseData: async ({ customerId, customer }, context) => {
      const { environmentId } = context.tenant;
      const records = emails.within(context);
      for (const { state } of await records.listAll({ customerId })) {
        // First: a repeat after a crash would not know the address. Suppressions of earlier
        // releases do not name their customer.
        if (state.to !== '') await suppressions.removeAddress(environmentId, state.to);
        await records.mutate(state.id, (email) => eraseEmail(email, clock.now()));
      }
      if (customer !== undefined) {
        await suppressions.removeAddress(environmentId, customer.email);
      }
      // Also those of addresses that no mail has any more, or that a late answer brought back.
      await suppressions.removeCustomer(environmentId, customerId);
    },

    eraseReplayable: (customerId, context) => blankMessages(customerId, context, dependencies),

    announcers: [{ collection: emails, filterOf: (customerId) => ({ customerId }) }],
  };
}

// Most messages are removed by now; the last one of each subject stays.
async function blankMessages(
  customerId: string,
  context: CallContext,
  { emails, messages, poison, owners, restoreCodes }: ErasureDependencies,
): Promise<void> {
  const { environmentId } = context.tenant;
  const floors = await messages.findFloors([{ environmentId, subscriptionId: customerId }]);
  const ofCustomer = {
    id: customerId,
    sequence: BigInt((floors.get(customerId) ?? 0) + customerEventsMax),
  };
  const [ofEmails, ...lists] = await Promise.all([
    listSubjects({ documents: emails.documents, filter: { environmentId, customerId } }),
    ...owners.map((owner) => owner.listAnnouncedSubjects({ customerId }, context)),
  ]);
  for (const { id: subscriptionId, sequence } of [
    ofCustomer,
    ...ofEmails,
    ...lists.flatMap(({ subjects }) => subjects),
  ]) {
    const ids = Array.from({ length: Number(sequence) }, (_, index) =>
      messageIdsAt({ environmentId, subscriptionId, sequence: index + 1 }, restoreCodes()),
    );
    await messages.blank(environmentId, ids.flat());
    await poison.removeOf(environmentId, subscriptionId);
  }
}
