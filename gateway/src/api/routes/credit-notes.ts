import { z } from 'zod';
import { creditNoteProblems } from '@billing/kernel/input/credit-note';
import { CreditNoteJson, toJsonCreditNote } from '@billing/proto/json/credit-note/credit-note';
import { creditNoteReasons, creditNoteSettlements } from '@billing/proto/values/checkout';
import {
  amount,
  irreversibleAction,
  metadata,
  optional,
  listShape,
  readBody,
  readQuery,
} from '../input/input';
import { creditNoteDownload } from '../../pdf/downloads';
import { documentLocale, documentQuery } from '../input/document-locale';
import { page, listQuery } from '../input/list';
import { listOf } from '../schemas/list';
import { created, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const creditedLine = z.strictObject({
  lineItemId: z.string(),
  amount: optional(amount.min(1)).meta({
    description: 'With tax. Defaults to all that is left of the line.',
  }),
});

const CreateCreditNote = irreversibleAction({
  invoiceId: z.string(),
  lines: optional(z.array(creditedLine).min(1).max(100)),
  amount: optional(amount.min(1)).meta({
    description:
      'With tax, spread over the lines. Without `lines` and `amount`, all that is left is credited.',
  }),
  reason: z.enum(['DUPLICATE', 'SERVICE', 'CANCELLATION', 'GOODWILL', 'OTHER']),
  settle: optional(z.enum(['BALANCE', 'REFUND', 'EXTERNAL'])).meta({
    description:
      'Where the part goes that does not lower what is owed: to the balance of the customer, back to the payments, or nowhere because you have returned it. Defaults to BALANCE.',
  }),
  memo: optional(z.string().max(500)),
  metadata: optional(metadata),
}).meta({
  id: 'CreateCreditNote',
  examples: [
    {
      invoiceId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
      amount: 1000,
      reason: 'GOODWILL',
      settle: 'REFUND',
    },
  ],
});

const ListCreditNotes = z.object({
  ...listShape,
  customerId: z.string().optional(),
  invoiceId: z.string().optional(),
});

export const creditNoteRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/credit-notes',
    operation: {
      id: 'createCreditNote',
      summary: 'Issue a credit note',
      description:
        'Lowers what is outstanding of the invoice. The rest goes where `settle` says. Refunds that fail can be settled in another way.',
      body: CreateCreditNote,
      answer: { status: 201, schema: CreditNoteJson },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateCreditNote, request, problemsOfNote);
      const { creditNote } = await peers.creditNote.createCreditNote(
        {
          ...input,
          lines: (input.lines ?? []).map(toBigInt),
          amount: toBigInt(input).amount,
          reason: creditNoteReasons.valueOf(input.reason),
          settle: creditNoteSettlements.valueOf(input.settle),
        },
        request.context,
      );
      const issued = present(creditNote);
      return created(`/credit-notes/${issued.id}`, toJsonCreditNote(issued));
    },
  },
  {
    method: 'GET',
    path: '/credit-notes',
    operation: {
      id: 'listCreditNotes',
      summary: 'List credit notes, newest first',
      query: ListCreditNotes,
      answer: { status: 200, schema: listOf(CreditNoteJson, 'CreditNoteList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListCreditNotes, request);
      const { creditNotes, total } = await peers.creditNote.listCreditNotes(
        listQuery(query),
        request.context,
      );
      return page(creditNotes, { ...query, total }, toJsonCreditNote);
    },
  },
  {
    method: 'GET',
    path: '/credit-notes/:id',
    operation: {
      id: 'getCreditNote',
      summary: 'Get a credit note',
      answer: { status: 200, schema: CreditNoteJson },
      errors: ['credit_note_not_found'],
    },
    handle: async (request, peers) => {
      const { creditNote } = await peers.creditNote.getCreditNote(
        { id: param(request, 'id') },
        request.context,
      );
      return ok(toJsonCreditNote(present(creditNote)));
    },
  },
  {
    method: 'GET',
    path: '/credit-notes/:id/pdf',
    operation: {
      id: 'getCreditNotePdf',
      summary: 'Download a credit note as PDF',
      query: documentQuery,
      answer: { status: 200, mediaTypes: ['application/pdf'] },
      errors: ['credit_note_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { context } = request;
      const locale = documentLocale(request);
      const { creditNote } = await peers.creditNote.getCreditNote(
        { id: param(request, 'id') },
        context,
      );
      return await creditNoteDownload(present(creditNote), { context, peers, locale });
    },
  },
];

// The rules of the service, for the fields that were sent in the right shape.
function problemsOfNote({
  lines,
  amount: sent,
  memo,
}: {
  readonly lines?: readonly { readonly amount?: number | undefined }[] | undefined;
  readonly amount?: number | undefined;
  readonly memo?: string | undefined;
}) {
  const amounts = lines?.map(toBigInt);
  return creditNoteProblems({ lines: amounts, ...toBigInt({ amount: sent }), memo });
}

function toBigInt<T extends { readonly amount?: number | undefined }>({
  amount: sent,
  ...rest
}: T) {
  return { ...rest, amount: sent === undefined ? undefined : BigInt(sent) };
}
