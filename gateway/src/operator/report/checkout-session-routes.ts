import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type { ListedSession, Session } from '@billing/proto/billing/checkout/v1/session';
import { soldItemsOf } from '@billing/proto/json/checkout-session';
import { toJsonAmount, toJsonOptionalTime, toJsonTime } from '@billing/proto/json/scalars';
import { sessionEndReasons, sessionStatuses } from '@billing/proto/values/checkout';
import { optional, listShape, readQuery } from '../../api/input/input';
import { listQuery, page } from '../../api/input/list';
import { present } from '../../http/answer';
import type { Peers } from '../../peer/peers';
import type { EnvironmentRoute } from '../route/route';

const ListCheckoutSessions = z.object({
  ...listShape,
  status: optional(z.enum(['OPEN', 'COMPLETE', 'EXPIRED'])),
  productId: optional(z.string()),
  checkoutLinkId: optional(z.string()),
});

/** Checkout sessions; the public API has no list of them. */
export const checkoutSessionRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/checkout-sessions',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { status, ...wanted } = readQuery(ListCheckoutSessions, { query });
      const { sessions, total } = await peers.session.listSessions(
        {
          ...listQuery(wanted),
          offeredOnly: true,
          status: status && sessionStatuses.valueOf(status),
        },
        context,
      );
      const labels = await labelsOf(sessions, context, peers);
      return page(sessions, { ...wanted, total }, (session) =>
        toJsonListedSession(session, labels),
      );
    },
  },
];

/** Labels of the links that began the sessions, by id. */
async function labelsOf(
  sessions: readonly ListedSession[],
  context: CallContext,
  peers: Peers,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(sessions.flatMap(({ session }) => session?.checkoutLinkId ?? []))];
  if (ids.length === 0) return new Map();
  const range = { page: 1, perPage: ids.length, active: undefined, ids: { ids } };
  const { checkoutLinks } = await peers.checkoutLink.listCheckoutLinks(range, context);
  return new Map(checkoutLinks.map(({ id, label }) => [id, label]));
}

function itemsOf(session: Session) {
  return soldItemsOf(session).map(({ productId, product, quantity }) => ({
    product: { id: productId, name: present(product).name },
    quantity,
  }));
}

/** Checkout session in a list, with the names of what it is about. */
export function toJsonListedSession(
  { session: sent, total, endReason }: ListedSession,
  labels: ReadonlyMap<string, string> = new Map(),
) {
  const session = present(sent);
  const customer = present(session.customer);
  const product = present(session.product);
  const { lastPaymentError: error } = session;
  return {
    id: session.id,
    status: sessionStatuses.nameOf(session.status),
    customer: { id: session.customerId, name: customer.name ?? null, email: customer.email },
    product: { id: session.productId, name: product.name },
    quantity: session.quantity,
    /** The main item, which the fields above describe, first. */
    items: itemsOf(session),
    currency: present(product.price).currency,
    total: total === undefined ? null : toJsonAmount(total),
    checkoutLinkId: session.checkoutLinkId ?? null,
    checkoutLinkLabel: labels.get(session.checkoutLinkId ?? '') ?? null,
    invoiceId: session.invoiceId ?? null,
    subscriptionId: session.subscriptionId ?? null,
    checkoutUrl: session.checkoutUrl,
    lastPaymentError:
      error === undefined ? null : { code: error.code, at: toJsonOptionalTime(error.at) },
    /** Reason why an expired session cannot be paid; null if unknown. */
    endReason: sessionEndReasons.knownName(endReason) ?? null,
    createdAt: toJsonTime(session.createdAt),
    expiresAt: toJsonTime(session.expiresAt),
    completedAt: toJsonOptionalTime(session.completedAt),
  };
}
