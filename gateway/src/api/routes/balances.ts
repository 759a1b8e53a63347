import { z } from 'zod';
import { balanceEntryProblems } from '@billing/kernel/input/balance-entry';
import { AMOUNT_MAX } from '@billing/kernel/money';
import {
  BalanceEntryJson,
  BalanceJson,
  toJsonBalance,
  toJsonBalanceEntry,
} from '@billing/proto/json/balance';
import { balanceEntryKinds } from '@billing/proto/values/checkout';
import {
  irreversibleAction,
  metadata,
  optional,
  listShape,
  readBody,
  readQuery,
} from '../input/input';
import { page, listQuery } from '../input/list';
import { listOf } from '../schemas/list';
import { created, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const amountMax = Number(AMOUNT_MAX);

const CreateBalanceEntry = irreversibleAction({
  customerId: z.string(),
  currency: optional(z.string()).meta({
    description: 'ISO 4217. Defaults to the currency of the customer.',
  }),
  amount: z.int().min(-amountMax).max(amountMax).meta({
    description: "In the currency's smallest unit, not 0. Above 0: more is owed to the customer.",
  }),
  description: z.string().max(500),
  metadata: optional(metadata),
}).meta({
  id: 'CreateBalanceEntry',
  examples: [
    {
      customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
      amount: 2500,
      description: 'Goodwill after the outage',
    },
  ],
});

const ListBalances = z.object({
  ...listShape,
  customerId: z.string().optional(),
  currency: z.string().optional(),
});

const ListBalanceEntries = z.object({
  ...listShape,
  customerId: z.string().optional(),
  currency: z.string().optional(),
  invoiceId: z.string().optional(),
  kind: BalanceEntryJson.shape.kind.optional(),
});

export const balanceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/balances',
    operation: {
      id: 'listBalances',
      summary: 'List customer balances, latest change first',
      query: ListBalances,
      answer: { status: 200, schema: listOf(BalanceJson, 'BalanceList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListBalances, request);
      const { balances, total } = await peers.balance.listBalances(
        listQuery(query),
        request.context,
      );
      return page(balances, { ...query, total }, toJsonBalance);
    },
  },
  {
    method: 'POST',
    path: '/balance-entries',
    operation: {
      id: 'createBalanceEntry',
      summary: "Adjust a customer's balance",
      description:
        'The next invoice that opens outside checkout and without an `authorizedTransactionId` takes the balance before anything is charged. Entries cannot be changed.',
      body: CreateBalanceEntry,
      answer: { status: 201, schema: BalanceEntryJson },
      errors: ['customer_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateBalanceEntry, request, ({ amount, ...fields }) =>
        balanceEntryProblems({ description: '?', ...fields, amount: BigInt(amount ?? 1) }),
      );
      const { entry } = await peers.balance.createBalanceEntry(
        { ...input, amount: BigInt(input.amount) },
        request.context,
      );
      const posted = present(entry);
      return created(`/balance-entries/${posted.id}`, toJsonBalanceEntry(posted));
    },
  },
  {
    method: 'GET',
    path: '/balance-entries',
    operation: {
      id: 'listBalanceEntries',
      summary: 'List entries of customer balances, newest first',
      query: ListBalanceEntries,
      answer: { status: 200, schema: listOf(BalanceEntryJson, 'BalanceEntryList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListBalanceEntries, request);
      const { entries, total } = await peers.balance.listBalanceEntries(
        { ...listQuery(query), kind: query.kind && balanceEntryKinds.valueOf(query.kind) },
        request.context,
      );
      return page(entries, { ...query, total }, toJsonBalanceEntry);
    },
  },
  {
    method: 'GET',
    path: '/balance-entries/:id',
    operation: {
      id: 'getBalanceEntry',
      summary: 'Get a balance entry',
      answer: { status: 200, schema: BalanceEntryJson },
      errors: ['balance_entry_not_found'],
    },
    handle: async (request, peers) => {
      const { entry } = await peers.balance.getBalanceEntry(
        { id: param(request, 'id') },
        request.context,
      );
      return ok(toJsonBalanceEntry(present(entry)));
    },
  },
];
