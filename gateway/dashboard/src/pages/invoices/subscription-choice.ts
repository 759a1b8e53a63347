import type { Choice } from '../../parts/text/choice';
import { labelText } from '../../parts/text/text';
import { customerName } from '../../resources/customer';
import { displayedStatus, type Subscription } from '../../resources/subscription';

type Named = Pick<Subscription, 'id' | 'productId' | 'customer' | 'status' | 'phase'>;

/** Choice of a subscription: its product, customer and status. */
export function subscriptionChoice(
  subscription: Named,
  productNames: ReadonlyMap<string, string>,
): Choice {
  const { id, customer } = subscription;
  const status = labelText(displayedStatus(subscription));
  return {
    id,
    label: productNames.get(subscription.productId) ?? id,
    detail: customer === null ? status : `${customerName(customer)} · ${status}`,
  };
}

/** The chosen one; its id until the names are known. */
export function chosenSubscription(
  id: string,
  subscription: Named | null | undefined,
  productNames: ReadonlyMap<string, string>,
): Choice | undefined {
  if (id === '') return undefined;
  const product = subscription && productNames.get(subscription.productId);
  if (!subscription || product === undefined || product === null) return { id, label: id };
  const { customer } = subscription;
  return { id, label: customer === null ? product : `${product} · ${customerName(customer)}` };
}
