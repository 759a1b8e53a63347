import { notFound } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { creditNoteDownload, invoiceDownload } from '../../pdf/downloads';
import type { Peers } from '../../peer/peers';
import { type ApiAnswer, present } from '../../http/answer';
import type { StepRequest, StepRoute } from '../frame/route';
import { readAttempt } from './challenge-page';
import { chosenLocale } from '../frame/chosen-locale';
import { readText } from '../frame/form-fields';
import { answerChallenge, beginCardEntry, type Payable, payByCard, payBySetup } from './steps';
import { type Page, pageAnswer, redirectAnswer } from '../frame/shell';

/** Current state of a payment page. */
interface PaymentPage {
  readonly payable: Payable;
  /** True if a payment or confirmation is outstanding. */
  readonly isOpen: boolean;
  /** True if no card is required. */
  readonly isCardOptional: boolean;
  /** Redirect for a payer with nothing left to do. */
  readonly next: string;
  /** Attempt that waits for the payer, if any. */
  readonly waitingAttempt: number | undefined;
  /** Downloadable invoice, if any. */
  readonly download: Invoice | undefined;
  readonly show: () => Promise<ApiAnswer>;
  /** Page of a credit note of the invoice. Absent: the page lists none. */
  readonly showNote?: (noteId: string) => Promise<ApiAnswer>;
  /** Page that asks for confirmation of a card entered on the provider's page. */
  readonly confirmCard: (setupId: string) => Promise<Page>;
}

/** Differences between payment pages. */
export interface PaymentPages<R> {
  /** Path with its parameter. */
  readonly path: string;
  readonly read: (request: R, peers: Peers) => Promise<PaymentPage>;
}

type Handler = (page: PaymentPage, request: StepRequest, peers: Peers) => Promise<ApiAnswer>;

/** Leaves time for the provider and for the subscription that follows. */
export const paymentDeadlineMs = 25_000;

/** Routes of a payment page, the same for sessions and invoices. */
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
    get('/pdf', async ({ download }, { context, query }, peers) => {
      if (download === undefined) throw notFound('Page');
      return invoiceDownload(download, { peers, context, locale: chosenLocale(query) });
    }),
    get('/credit-notes/:noteId', async ({ showNote }, { params }) => {
      if (showNote === undefined) throw notFound('Page');
      return showNote(params.noteId ?? '');
    }),
    get('/credit-notes/:noteId/pdf', downloadNote),
  ];
}

const downloadNote: Handler = async ({ download }, { params, context, query }, peers) => {
  const id = params.noteId ?? '';
  if (download?.creditNoteIds.includes(id) !== true) throw notFound('Page');
  const { creditNote } = await peers.creditNote.getCreditNote({ id }, context);
  const source = { peers, context, locale: chosenLocale(query) };
  return creditNoteDownload(present(creditNote), source);
};

const payTyped: Handler = async (page, { form, context }, peers) => {
  if (!page.isOpen) return redirectAnswer(page.next);
  return payByCard(page.payable, form, { peers, context, isOptional: page.isCardOptional });
};

const beginCard: Handler = async ({ isOpen, next, payable }, { context }, peers) =>
  isOpen ? beginCardEntry(payable, { peers, context }) : redirectAnswer(next);

// A GET never pays; the payer confirms with a form.
const askForCard: Handler = async ({ isOpen, confirmCard }, { path, query }) => {
  const setupId = readText(query.setup_id);
  if (!isOpen || setupId === undefined) return redirectAnswer(path);
  return pageAnswer(await confirmCard(setupId));
};

const payConfirmed: Handler = async ({ isOpen, next, payable }, { form, context }, peers) => {
  const setupId = readText(form.get('setup_id'));
  if (!isOpen || setupId === undefined) return redirectAnswer(next);
  return payBySetup(payable, { setupId, form }, { peers, context });
};

const comeBack: Handler = async ({ waitingAttempt: attempt, next, payable }) =>
  attempt === undefined
    ? redirectAnswer(next)
    : answerChallenge(payable, { attempt, approved: undefined });
