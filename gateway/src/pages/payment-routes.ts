import type { CallContext } from '@billing/chassis/call-context';
import { notFound } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { invoiceDownload } from '../pdf/invoice-download';
import type { Peers } from '../peers';
import type { ApiAnswer } from '../route';
import { readAttempt, readText } from './page-input';
import {
  answerChallenge,
  beginCardEntry,
  type Payable,
  payByCard,
  payBySetup,
} from './payment-steps';
import { type Page, pageAnswer, redirectAnswer } from './shell';

/** A page on which something is paid, as it stands. */
export interface PaymentPage {
  readonly payable: Payable;
  /** Whether anything is left to pay or confirm. */
  readonly isOpen: boolean;
  /** Whether it goes without a card. */
  readonly isCardOptional: boolean;
  /** Where a payer goes who has nothing to do here. */
  readonly next: string;
  /** The attempt that waits for its payer; undefined: none does. */
  readonly waitingAttempt: number | undefined;
  /** The invoice that may be downloaded; undefined: none yet. */
  readonly download: Invoice | undefined;
  readonly show: () => Promise<ApiAnswer>;
  /** Asks whether a card that was given on the provider's page is to be used. */
  readonly confirmCard: (setupId: string) => Promise<Page>;
}

/** What a step is told of its request. */
export interface StepRequest {
  /** The page's own path: where its forms and ways back lead. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** What was typed; nothing where nothing was sent. */
  readonly form: ReadonlyMap<string, string>;
  readonly context: CallContext;
  /** The client's address or network: refused payments count by it. */
  readonly network: string;
}

/** One step of a payment. */
export interface StepRoute<R> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly deadlineMs?: number;
  readonly handle: (request: R, peers: Peers) => Promise<ApiAnswer>;
}

/** What pages on which something is paid differ in. */
export interface PaymentPages<R> {
  /** With its parameter. */
  readonly path: string;
  readonly read: (request: R, peers: Peers) => Promise<PaymentPage>;
}

type Handler = (page: PaymentPage, request: StepRequest, peers: Peers) => Promise<ApiAnswer>;

/** A provider may take some seconds, and so may the subscription that follows. */
export const paymentDeadlineMs = 25_000;

/** The routes of a page on which something is paid: the steps are the same, whatever it is. */
export function paymentRoutes<R extends StepRequest>({
  path,
  read,
}: PaymentPages<R>): StepRoute<R>[] {
  const handle =
    (handler: Handler): StepRoute<R>['handle'] =>
    async (request, peers) =>
      handler(await read(request, peers), request, peers);
  const get = (step: string, handler: Handler): StepRoute<R> => ({
    method: 'GET',
    path: `${path}${step}`,
    handle: handle(handler),
  });
  const paying = (route: StepRoute<R>) => ({ ...route, deadlineMs: paymentDeadlineMs });
  const post = (step: string, handler: Handler): StepRoute<R> =>
    paying({ ...get(step, handler), method: 'POST' });
  return [
    get('', ({ show }) => show()),
    post('', payTyped),
    post('/challenge', ({ payable }, { form }) => answerChallenge(payable, readAttempt(form))),
    post('/card/begin', beginCard),
    get('/card', askForCard),
    post('/card', payConfirmed),
    paying(get('/return', comeBack)),
    get('/pdf', async ({ download }, { context }, peers) => {
      if (download === undefined) throw notFound('Page');
      return invoiceDownload(download, { peers, context });
    }),
  ];
}

const payTyped: Handler = async (page, { form, context }, peers) => {
  if (!page.isOpen) return redirectAnswer(page.next);
  return payByCard(page.payable, form, { peers, context, isOptional: page.isCardOptional });
};

const beginCard: Handler = async ({ isOpen, next, payable }, { context }, peers) =>
  isOpen ? beginCardEntry(payable, { peers, context }) : redirectAnswer(next);

// A GET never pays: the payer confirms by one more form.
const askForCard: Handler = async ({ isOpen, confirmCard }, { path, query }) => {
  const setupId = readText(query.setup_id);
  if (!isOpen || setupId === undefined) return redirectAnswer(path);
  return pageAnswer(await confirmCard(setupId));
};

const payConfirmed: Handler = async ({ isOpen, next, payable }, { form, context }, peers) => {
  const setupId = readText(form.get('setup_id'));
  if (!isOpen || setupId === undefined) return redirectAnswer(next);
  return payBySetup(payable, setupId, { peers, context });
};

const comeBack: Handler = async ({ waitingAttempt: attempt, next, payable }) =>
  attempt === undefined
    ? redirectAnswer(next)
    : answerChallenge(payable, { attempt, approved: undefined });
