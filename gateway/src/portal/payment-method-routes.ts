import { DomainError } from '@billing/kernel/domain-error';
import type { Peers } from '../peer/peers';
import type { ApiAnswer } from '../http/answer';
import { type PhraseKey, say } from '@billing/documents/say';
import { paymentDeadlineMs, paymentRoutes } from '../pages/payment/routes';
import { cardEntryOf, type Payable } from '../pages/payment/steps';
import { pageAnswer, redirectAnswer } from '../pages/frame/shell';
import { confirmMethodPage, type Methods, methodsPage, methodsPath } from './payment-method-page';
import type { PortalRequest, PortalRoute } from './route';
import { doneAt, type Done } from './shell';

type MethodRequest = Parameters<Peers['paymentMethod']['removePaymentMethod']>[0];

// Refusals shown in words; other errors are handled as usual.
const refusals: Readonly<Record<string, PhraseKey>> = {
  PAYMENT_METHOD_IS_DEFAULT: 'methods.isDefault',
  PAYMENT_METHOD_IN_USE: 'methods.inUse',
  TOO_MANY_PAYMENT_METHODS: 'methods.tooMany',
};

export const paymentMethodRoutes: readonly PortalRoute[] = [
  // Adding a card uses the steps of a payment, but saves the card and charges nothing.
  ...paymentRoutes<PortalRequest>({
    path: methodsPath,
    read: (request, peers) =>
      Promise.resolve({
        payable: keepable(request, peers),
        isOpen: true,
        isCardOptional: false,
        next: methodsPath,
        waitingAttempt: undefined,
        download: undefined,
        show: () => showMethods(request, peers),
        confirmCard: async (setupId) => {
          const { paymentMethods } = await listMethods(request, peers);
          return confirmMethodPage(request.visit, setupId, paymentMethods.length === 0);
        },
      }),
  }).filter(({ path }) => !/\/(challenge|return|pdf)$/.test(path)),
  {
    method: 'POST',
    path: `${methodsPath}/:id/default`,
    deadlineMs: paymentDeadlineMs,
    handle: (request, peers) =>
      fulfil(request, peers, {
        done: 'default-changed',
        change: (method) =>
          peers.paymentMethod.keepPaymentMethod({ ...method, asDefault: true }, request.context),
      }),
  },
  {
    method: 'POST',
    path: `${methodsPath}/:id/remove`,
    handle: (request, peers) =>
      fulfil(request, peers, {
        done: 'card-removed',
        change: (method) => peers.paymentMethod.removePaymentMethod(method, request.context),
      }),
  },
];

/** Runs an action of the page or shows why it was refused. */
async function fulfil(
  request: PortalRequest,
  peers: Peers,
  { done, change }: { done: Done; change: (method: MethodRequest) => Promise<unknown> },
): Promise<ApiAnswer> {
  const { visit, params } = request;
  try {
    await change({ customerId: visit.customerId, paymentMethodId: params.id ?? '' });
  } catch (error) {
    const shown = showRefusal(error, request, peers);
    if (shown === undefined) throw error;
    return await shown;
  }
  return redirectAnswer(doneAt(methodsPath, done));
}

/** Text of a refusal; undefined for other errors. */
function showRefusal(
  error: unknown,
  request: PortalRequest,
  peers: Peers,
): Promise<ApiAnswer> | undefined {
  const refusal = error instanceof DomainError ? refusals[error.reason] : undefined;
  return refusal === undefined ? undefined : showMethods(request, peers, { refusal: say(refusal) });
}

async function showMethods(
  request: PortalRequest,
  peers: Peers,
  news: Partial<Pick<Methods, 'problems' | 'kept' | 'isDefault' | 'refusal'>> = {},
): Promise<ApiAnswer> {
  const { visit, context, query } = request;
  const [{ paymentMethods: methods }, entry] = await Promise.all([
    listMethods(request, peers),
    cardEntryOf({ customerId: visit.customerId }, { peers, context }),
  ]);
  return pageAnswer(
    methodsPage({ visit, methods, entry, done: query.done, now: context.now, ...news }),
  );
}

function listMethods({ visit, context }: PortalRequest, { paymentMethod }: Peers) {
  return paymentMethod.listPaymentMethods({ customerId: visit.customerId }, context);
}

function keepable(request: PortalRequest, peers: Peers): Payable {
  const { visit, form, context } = request;
  const { customerId, siteUrl, isTest } = visit;
  // Without other cards the page has no such choice.
  const isDefault = () => form.get('default') === 'yes';
  return {
    customerId,
    path: methodsPath,
    url: `${siteUrl}${methodsPath}`,
    isTest,
    locales: [visit.locale],
    pay: async ({ methodId: paymentMethodId = '' }) => {
      const kept = { customerId, paymentMethodId, asDefault: isDefault() };
      await peers.paymentMethod.keepPaymentMethod(kept, context);
      const next = doneAt(methodsPath, 'card-added');
      return { action: undefined, next, isRefused: false };
    },
    answer: () => Promise.reject(new Error('Nothing is charged, so there is no challenge')),
    showProblems: (problems, kept) =>
      showMethods(request, peers, { problems, kept, isDefault: isDefault() }),
    showRefused: (kept) => showMethods(request, peers, { kept, isDefault: isDefault() }),
    showRefusal: (error) => showRefusal(error, request, peers),
  };
}
