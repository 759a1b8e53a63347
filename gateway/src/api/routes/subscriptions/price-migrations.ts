import { z } from 'zod';
import {
  PriceMigrationJson,
  PriceMigrationSubscriptionJson,
  toJsonMigratedSubscription,
  toJsonPriceMigration,
} from '@billing/proto/json/change/price-migration';
import { migrationResults } from '@billing/proto/values/subscription';
import { created, etag, ok, present } from '../../../http/answer';
import { changeInstantProblems } from '@billing/kernel/input/subscription';
import { optionalProblems } from '@billing/kernel/input-problems';
import { withTimeDependentProblems } from '../../input/field-rules';
import {
  irreversibleAction,
  listShape,
  metadata,
  optional,
  readBody,
  readQuery,
  time,
} from '../../input/input';
import { listQuery, page } from '../../input/list';
import { param } from '../../input/request';
import { listOf } from '../../schemas/list';
import type { Route } from '../route';

const CreatePriceMigration = irreversibleAction({
  fromPriceId: z.string().meta({ description: 'Recurring price version to move from.' }),
  toPriceId: z.string().meta({
    description: 'Current recurring price of an active product, in the same currency.',
  }),
  at: optional(
    z.union([z.enum(['PERIOD_END']), time], { error: 'Must be PERIOD_END or a datetime' }),
  ).meta({
    description:
      'Defaults to `PERIOD_END`: each subscription moves at the start of its next period. An instant ahead, at most five years: each one moves at its first period start at or after it.',
  }),
  dryRun: optional(z.boolean()).meta({
    description: 'True: computes the result and changes no subscription. Defaults to `false`.',
  }),
  metadata: optional(metadata),
}).meta({
  id: 'CreatePriceMigration',
  examples: [
    {
      fromPriceId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90',
      toPriceId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f91',
      dryRun: true,
    },
  ],
});

const CancelPriceMigration = irreversibleAction({}).meta({
  id: 'CancelPriceMigration',
  examples: [{}],
});

const ListMigrations = z.object(listShape);
const ListMigratedSubscriptions = z.object({
  ...listShape,
  result: PriceMigrationSubscriptionJson.shape.result.optional(),
});

export const priceMigrationRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/price-migrations',
    operation: {
      id: 'createPriceMigration',
      summary: 'Move all subscriptions from one price to another',
      description:
        'Starts a job that gives each subscription with `fromPriceId` a change to `toPriceId` at its next period start, or at the first one at or after an instant. Quantities stay, and nothing is charged within a period. Scheduled and paused subscriptions change immediately. Subscriptions with a pending change or a planned cancellation are skipped. A later change by a caller wins. A move to another product with metered prices bills the usage before by the prices before.',
      body: CreatePriceMigration,
      answer: { status: 201, schema: PriceMigrationJson, isVersioned: true },
      errors: ['price_migration_running'],
    },
    handle: async (request, peers) => {
      const {
        fromPriceId,
        toPriceId,
        at,
        dryRun,
        metadata: given,
      } = readBody(CreatePriceMigration, request, (fields, body) => {
        const instant = fields.at instanceof Date ? fields.at : undefined;
        const now = request.context.now;
        const at = optionalProblems(instant, (time) => changeInstantProblems(time, now));
        return withTimeDependentProblems({}, { at }, body);
      });
      const { priceMigration } = await peers.priceMigration.createPriceMigration(
        {
          ...{ fromPriceId, toPriceId, dryRun, metadata: given },
          notBefore: at instanceof Date ? at : undefined,
        },
        request.context,
      );
      const job = present(priceMigration);
      return created(`/price-migrations/${job.id}`, toJsonPriceMigration(job), etag(job.version));
    },
  },
  {
    method: 'GET',
    path: '/price-migrations',
    operation: {
      id: 'listPriceMigrations',
      summary: 'List price migrations, newest first',
      query: ListMigrations,
      answer: { status: 200, schema: listOf(PriceMigrationJson, 'PriceMigrationList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListMigrations, request);
      const { priceMigrations, total } = await peers.priceMigration.listPriceMigrations(
        listQuery(query),
        request.context,
      );
      return page(priceMigrations, { ...query, total }, toJsonPriceMigration);
    },
  },
  {
    method: 'GET',
    path: '/price-migrations/:id',
    operation: {
      id: 'getPriceMigration',
      summary: 'Get a price migration and its progress',
      answer: { status: 200, schema: PriceMigrationJson, isVersioned: true },
      errors: ['price_migration_not_found'],
    },
    handle: async (request, peers) => {
      const { priceMigration } = await peers.priceMigration.getPriceMigration(
        { id: param(request, 'id') },
        request.context,
      );
      const job = present(priceMigration);
      return ok(toJsonPriceMigration(job), etag(job.version));
    },
  },
  {
    method: 'GET',
    path: '/price-migrations/:id/subscriptions',
    operation: {
      id: 'listPriceMigrationSubscriptions',
      summary: 'List the subscriptions of a price migration, newest first',
      description: 'One row for each processed subscription. A dry run has the same rows.',
      query: ListMigratedSubscriptions,
      answer: {
        status: 200,
        schema: listOf(PriceMigrationSubscriptionJson, 'PriceMigrationSubscriptionList'),
      },
      errors: ['price_migration_not_found'],
    },
    handle: async (request, peers) => {
      const query = readQuery(ListMigratedSubscriptions, request);
      const { subscriptions, total } = await peers.priceMigration.listMigratedSubscriptions(
        {
          id: param(request, 'id'),
          ...listQuery(query),
          result: query.result && migrationResults.valueOf(query.result),
        },
        request.context,
      );
      return page(subscriptions, { ...query, total }, toJsonMigratedSubscription);
    },
  },
  {
    method: 'POST',
    path: '/price-migrations/:id/cancel',
    operation: {
      id: 'cancelPriceMigration',
      summary: 'Cancel a price migration and its pending changes',
      description:
        'Stops the job and cancels its changes that have not taken effect. Returns once they are canceled, or after 8 seconds. Changes in force stay.',
      body: CancelPriceMigration,
      answer: { status: 200, schema: PriceMigrationJson, isVersioned: true },
      errors: ['price_migration_not_found'],
    },
    handle: async (request, peers) => {
      readBody(CancelPriceMigration, request);
      const { expectedVersion } = request;
      const { priceMigration } = await peers.priceMigration.cancelPriceMigration(
        { id: param(request, 'id'), expectedVersion },
        request.context,
      );
      const job = present(priceMigration);
      return ok(toJsonPriceMigration(job), etag(job.version));
    },
  },
];
