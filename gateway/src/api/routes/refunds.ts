import { z } from 'zod';
import { refundSettlementProblems } from '@billing/kernel/input/credit-note';
import {
  DisputeJson,
  RefundJson,
  toJsonDispute,
  toJsonRefund,
} from '@billing/proto/json/credit-note/refund';
import { disputeStatuses, refundSettlements, refundStatuses } from '@billing/proto/values/checkout';
import { irreversibleAction, optional, listShape, readBody, readQuery } from '../input/input';
import { page, listQuery } from '../input/list';
import { listOf } from '../schemas/list';
import { ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const SettleRefund = irreversibleAction({
  to: z.enum(['PROVIDER', 'BALANCE', 'EXTERNAL']).meta({
    description:
      'PROVIDER tries the refund again. BALANCE adds the amount to the balance of the customer. EXTERNAL records that you have returned it.',
  }),
  reference: optional(z.string().max(200)),
}).meta({ id: 'SettleRefund', examples: [{ to: 'EXTERNAL', reference: 'Transfer of 2 May' }] });

const ListRefunds = z.object({
  ...listShape,
  customerId: z.string().optional(),
  invoiceId: z.string().optional(),
  paymentId: z.string().optional(),
  status: RefundJson.shape.status.optional(),
});

const ListDisputes = z.object({
  ...listShape,
  customerId: z.string().optional(),
  invoiceId: z.string().optional(),
  status: DisputeJson.shape.status.optional(),
});

export const refundRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/refunds',
    operation: {
      id: 'listRefunds',
      summary: 'List refunds, newest first',
      query: ListRefunds,
      answer: { status: 200, schema: listOf(RefundJson, 'RefundList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListRefunds, request);
      const { refunds, total } = await peers.refund.listRefunds(
        { ...listQuery(query), status: query.status && refundStatuses.valueOf(query.status) },
        request.context,
      );
      return page(refunds, { ...query, total }, toJsonRefund);
    },
  },
  {
    method: 'GET',
    path: '/refunds/:id',
    operation: {
      id: 'getRefund',
      summary: 'Get a refund',
      answer: { status: 200, schema: RefundJson },
      errors: ['refund_not_found'],
    },
    handle: async (request, peers) => {
      const { refund } = await peers.refund.getRefund(
        { id: param(request, 'id') },
        request.context,
      );
      return ok(toJsonRefund(present(refund)));
    },
  },
  {
    method: 'POST',
    path: '/refunds/:id/settle',
    operation: {
      id: 'settleRefund',
      summary: 'Settle a failed refund',
      description: 'Settling to the balance or outside is final.',
      body: SettleRefund,
      answer: { status: 200, schema: RefundJson },
      errors: ['refund_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const input = readBody(SettleRefund, request, refundSettlementProblems);
      const { refund } = await peers.refund.settleRefund(
        { ...input, id: param(request, 'id'), to: refundSettlements.valueOf(input.to) },
        request.context,
      );
      return ok(toJsonRefund(present(refund)));
    },
  },
  {
    method: 'GET',
    path: '/disputes',
    operation: {
      id: 'listDisputes',
      summary: 'List disputes, newest first',
      query: ListDisputes,
      answer: { status: 200, schema: listOf(DisputeJson, 'DisputeList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListDisputes, request);
      const { disputes, total } = await peers.refund.listDisputes(
        { ...listQuery(query), status: query.status && disputeStatuses.valueOf(query.status) },
        request.context,
      );
      return page(disputes, { ...query, total }, toJsonDispute);
    },
  },
  {
    method: 'GET',
    path: '/disputes/:id',
    operation: {
      id: 'getDispute',
      summary: 'Get a dispute',
      answer: { status: 200, schema: DisputeJson },
      errors: ['dispute_not_found'],
    },
    handle: async (request, peers) => {
      const { dispute } = await peers.refund.getDispute(
        { id: param(request, 'id') },
        request.context,
      );
      return ok(toJsonDispute(present(dispute)));
    },
  },
];
