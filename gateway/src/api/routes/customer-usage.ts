import { z } from 'zod';
import { creditGrantProblems } from '@billing/kernel/input/credit-grant';
import { CreditGrantJson, toJsonCreditGrant } from '@billing/proto/json/credit-grant';
import { UsageStateJson, toJsonUsageState } from '@billing/proto/json/usage/usage-state';
import { creditSources } from '@billing/proto/values/metering';
import { decimal } from '../input/decimal-input';
import { metadata, optional, listShape, readBody, readQuery, time } from '../input/input';
import { listQuery, page } from '../input/list';
import { listOf } from '../schemas/list';
import { created, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const CreateCreditGrant = z
  .object({
    meterId: z.string(),
    amount: decimal.meta({ description: 'Number of units, above 0.' }),
    effectiveAt: optional(time),
    expiresAt: optional(time),
    priority: optional(z.int().min(0).max(255)),
    source: optional(z.enum(['PROMOTIONAL', 'PAID'])),
    name: optional(z.string().max(200)),
    // The path names the customer.
    customerId: z
      .unknown()
      .optional()
      .meta({ override: { description: 'Ignored; the path names the customer.' } }),
    metadata: optional(metadata),
  })
  .meta({
    id: 'CreateCreditGrant',
    examples: [{ meterId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f', amount: '1000' }],
  });

const ListCreditGrants = z.object(listShape);

export const customerUsageRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/customers/:id/meter-credits',
    operation: {
      id: 'createCreditGrant',
      summary: 'Grant prepaid units of a meter to a customer',
      description:
        'A customer has at most 1,000 grants of a meter with units left, and 20,000 that are not closed: used up or expired for more than 36 days.',
      body: CreateCreditGrant,
      answer: { status: 201, schema: CreditGrantJson },
      errors: ['customer_not_found', 'meter_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateCreditGrant, request, (fields, { wrong }) =>
        creditGrantProblems({
          amount: '',
          ...(!wrong.has('effectiveAt') && { effectiveAt: request.context.now }),
          ...fields,
        }),
      );
      const customerId = param(request, 'id');
      const { source, effectiveAt, expiresAt, metadata: notes, ...rest } = input;
      const { creditGrant } = await peers.metering.createCreditGrant(
        {
          ...rest,
          customerId,
          effectiveAt,
          expiresAt,
          metadata: notes,
          source: creditSources.valueOf(source),
        },
        request.context,
      );
      const grant = present(creditGrant);
      return created(`/customers/${grant.customerId}/meter-credits`, toJsonCreditGrant(grant));
    },
  },
  {
    method: 'GET',
    path: '/customers/:id/meter-credits',
    operation: {
      id: 'listCreditGrants',
      summary: "List a customer's credit grants, newest first",
      query: ListCreditGrants,
      answer: { status: 200, schema: listOf(CreditGrantJson, 'CreditGrantList') },
      errors: ['customer_not_found'],
    },
    handle: async (request, peers) => {
      const query = readQuery(ListCreditGrants, request);
      const { creditGrants, total } = await peers.metering.listCreditGrants(
        { ...listQuery(query), customerId: param(request, 'id') },
        request.context,
      );
      return page(creditGrants, { ...query, total }, toJsonCreditGrant);
    },
  },
  {
    method: 'GET',
    path: '/customers/:id/state',
    operation: {
      id: 'getUsageState',
      summary: "Get a customer's usage and balance per meter",
      description: 'Includes all usage events accepted before the request.',
      answer: { status: 200, schema: z.array(UsageStateJson).meta({ id: 'UsageStateList' }) },
      errors: ['customer_not_found'],
    },
    handle: async (request, peers) => {
      const { states } = await peers.metering.getUsageState(
        { customerId: param(request, 'id') },
        request.context,
      );
      return ok(states.map(toJsonUsageState));
    },
  },
];
