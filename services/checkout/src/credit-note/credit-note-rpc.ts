import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newResourceId } from '@billing/chassis/call-context';
import { checkMetadata, readPage } from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import { creditNoteProblems } from '@billing/kernel/input/credit-note';
import { refuseProblems } from '@billing/kernel/input-problems';
import { parseAmount } from '@billing/kernel/money';
import type { CheckoutServiceServer } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type CreateCreditNoteRequest,
  type CreditNote as ProtoCreditNote,
  type CreditNoteServiceServer,
  CreditNoteServiceService,
  type IssueCreditNoteRequest,
} from '@billing/proto/billing/checkout/v1/credit_note';
import { creditNoteReasons, creditNoteSettlements } from '@billing/proto/values/checkout';
import { creditNoteCallers } from '../peer/callers';
import type { InvoiceRecord } from '../invoice/invoice';
import { readId } from '../invoice/rpc';
import type { CreditRowStore } from '../refund/credit-row-store';
import { partReader } from '../refund/refund-rpc';
import { toProtoCreditNotes } from './credit-note-message';
import type { CreditNoteWorker } from './credit-note-worker';
import type { ChangeCredit, CreditedAmounts, NewCreditNote } from './issue-credit-note';

export interface CreditNoteRpcDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly rows: CreditRowStore;
  readonly creditNotes: CreditNoteWorker;
}

/** RPCs of credit notes. */
export function creditNoteRpc({ invoices, rows, creditNotes }: CreditNoteRpcDependencies) {
  const read = partReader({ invoices, rows });
  return rpcService<CreditNoteServiceServer>(
    CreditNoteServiceService,
    {
      createCreditNote: async (request, context) => {
        const id = newResourceId(context, 'creditNote');
        const note = fromProtoNewNote(id, request);
        const stored = await creditNotes.issue(request.invoiceId, note, context);
        return { creditNote: noteOf(stored, id) };
      },
      listCreditNotes: async ({ customerId, invoiceId, ...request }, context) => {
        const wanted = { customerId, invoiceId, ...readPage(request) };
        const { data, total } = await rows.list('creditNotes', wanted, context);
        return { creditNotes: await read.all(data, toProtoCreditNotes, context), total };
      },
      getCreditNote: async ({ id }, context) => ({
        creditNote: await read.one({ kind: 'creditNotes', noun: 'Credit note' }, id, {
          partsOf: toProtoCreditNotes,
          context,
        }),
      }),
    },
    { callers: creditNoteCallers },
  );
}

/** Handler of the credit notes of plan changes. */
export function changeCreditHandlers(
  creditNotes: CreditNoteWorker,
): Pick<AsyncHandlers<CheckoutServiceServer>, 'issueCreditNote'> {
  return {
    issueCreditNote: async (request, context) => {
      const credit = fromProtoChangeCredit(request);
      const invoiceId = readId(request.invoiceId, 'invoiceId');
      const stored = await creditNotes.issueForChange(invoiceId, credit, context);
      return { creditNote: noteOf(stored, credit.id) };
    },
  };
}

function noteOf(
  { state, ...stored }: Stored<InvoiceRecord>,
  id: string,
): ProtoCreditNote | undefined {
  if (state.isTombstone) return undefined;
  return toProtoCreditNotes({ ...stored, state }).find((note) => note.id === id);
}

function fromProtoNewNote(
  id: string,
  { reason: sentReason, settle, memo, metadata, ...request }: CreateCreditNoteRequest,
): NewCreditNote {
  refuseProblems({
    ...creditNoteProblems({ ...request, memo }),
    metadata: checkMetadata(metadata),
  });
  const reason = creditNoteReasons.knownName(sentReason);
  if (reason === undefined || reason === 'CHANGE') {
    throw invalidInput({ reason: ['Invalid reason'] });
  }
  return {
    ...{ id, reason, memo },
    metadata: metadata ?? {},
    amounts: amountsOf(request),
    settle: creditNoteSettlements.knownName(settle) ?? 'BALANCE',
  };
}

function amountsOf({
  lines,
  amount,
}: Pick<CreateCreditNoteRequest, 'lines' | 'amount'>): CreditedAmounts {
  if (lines.length > 0) {
    return {
      kind: 'LINES',
      lines: lines.map((line) => ({ lineItemId: line.lineItemId, amount: line.amount })),
    };
  }
  return amount === undefined ? { kind: 'ALL' } : { kind: 'AMOUNT', amount };
}

function fromProtoChangeCredit(request: IssueCreditNoteRequest): ChangeCredit {
  return {
    id: readId(request.creditNoteId, 'creditNoteId'),
    changeId: readId(request.changeId, 'changeId'),
    lines: request.inFull ? 'ALL' : readLines(request),
  };
}

function readLines({ lines }: IssueCreditNoteRequest): Exclude<ChangeCredit['lines'], 'ALL'> {
  refuseProblems(creditNoteProblems({ lines: lines.map(() => ({})) }));
  return lines.map(({ lineItemId, amount }) => ({
    lineItemId,
    amount: parseAmount(amount, 'lines'),
  }));
}
