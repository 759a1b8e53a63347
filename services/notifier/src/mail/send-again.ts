import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { only } from '@billing/kernel/transition';
import { type EmailCreation, suppressBounced } from './create-email';
import { type Email, notResendable } from './email';
import { copyOf } from './new-email';

/** Creates a mail with the texts of another one, to the present address of the customer. */
export async function sendAgain(
  original: Email,
  context: CallContext,
  dependencies: EmailCreation,
): Promise<Stored<Email>> {
  const { emails, suppressions, peers, fromAddress, clock } = dependencies;
  const { environmentId, live } = context.tenant;
  const request = { id: original.customerId };
  const found = await unlessNotFound(peers.customer.getCustomer(request, context));
  const to = found?.customer?.email;
  if (to === undefined || to === '' || original.content === null) throw notResendable();
  const id = newResourceId(context, 'email');
  const isSuppressed = await suppressions.isSuppressed(environmentId, to, id);
  const place = { isLive: live, fromAddress, isSuppressed, now: clock.now() };
  const email = copyOf(original, { id, to, place });
  await suppressBounced(suppressions, environmentId, email);
  return (await emails.within(context).insert(only(email))).stored;
}
