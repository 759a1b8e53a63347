import { z } from 'zod';
import { environmentTimeProblems, sandboxProblems } from '@billing/kernel/input/sandbox';
import { optionalProblems } from '@billing/kernel/input-problems';
import {
  UsedSandboxJson,
  toJsonClock,
  toJsonSandbox,
  toJsonUsedSandbox,
} from '@billing/proto/json/sandbox';
import { toJsonTime } from '@billing/proto/json/scalars';
import { clockKinds } from '@billing/proto/values/identity';
import { AdvancedClock, NewSandbox, SandboxClock } from '../schemas/sandbox';
import { listOf } from '../schemas/list';
import { irreversibleAction, optional, listShape, readBody, readQuery, time } from '../input/input';
import { firstOnly, page, listQuery } from '../input/list';
import { creatorOf } from './api-keys';
import { frozen } from '../input/patch';
import { created, etag, ok, present, secretOrNull } from '../../http/answer';
import { param } from '../input/request';
import type { Handle, Route } from './route';

const CreateSandbox = z
  .object({
    name: optional(z.string().max(200)),
    clock: optional(z.enum(['REAL', 'MANUAL'])),
    startsAt: optional(time),
  })
  .meta({
    id: 'CreateSandbox',
    examples: [{ name: 'Two years', clock: 'MANUAL', startsAt: '2026-01-31T00:00:00Z' }],
  });

const ListSandboxes = z.object(listShape);

const UpdateSandbox = z
  .object({
    name: z.string().max(200).nullish(),
    clock: frozen,
    startsAt: frozen,
    now: frozen,
    id: frozen,
    key: frozen,
    createdAt: frozen,
    lastUsedAt: frozen,
  })
  .meta({ id: 'UpdateSandbox', examples: [{ name: 'Two years' }] });

const AdvanceClock = irreversibleAction({ to: time }).meta({
  id: 'AdvanceClock',
  examples: [{ to: '2026-02-28T00:00:00Z' }],
});

// An advance over years runs many renewals. It continues after the deadline of the request.
const advanceDeadlineMs = 10 * 60_000;

const readSandbox: Handle = async (request, peers) => {
  const wanted = { ...firstOnly, id: param(request, 'id') };
  const { sandboxes } = await peers.identity.listSandboxes(wanted, request.context);
  return ok(sandboxes.map(toJsonUsedSandbox)[0]);
};

export const sandboxRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sandboxes',
    operation: {
      id: 'createSandbox',
      summary: 'Create a sandbox and its first API key',
      description: 'Requires a live key.',
      body: CreateSandbox,
      answer: { status: 201, schema: NewSandbox, isVersioned: true },
      errors: ['sandbox_limit_reached'],
    },
    handle: async (request, peers) => {
      // An absent clock is REAL; the problem of an invalid one is reported already.
      const input = readBody(CreateSandbox, request, (fields, { wrong }) =>
        sandboxProblems({ ...(!wrong.has('clock') && { clock: 'REAL' as const }), ...fields }),
      );
      const { sandbox, key } = await peers.identity.createSandbox(
        {
          name: input.name ?? '',
          clock: clockKinds.valueOf(input.clock ?? 'REAL'),
          startsAt: input.startsAt,
          createdBy: creatorOf(request),
        },
        request.context,
      );
      const body = { ...toJsonSandbox(present(sandbox)), key: secretOrNull(key) };
      // A sandbox has no GET of its own; the new key reads the sandbox's clock here.
      return created('/sandboxes/clock', body, etag(present(sandbox).version));
    },
  },
  {
    method: 'GET',
    path: '/sandboxes/clock',
    operation: {
      id: 'getClock',
      summary: "Get the environment's clock",
      answer: { status: 200, schema: SandboxClock },
    },
    handle: async (request, peers) => {
      const { clock, now } = await peers.identity.getClock({}, request.context);
      return ok({ clock: toJsonClock(clock), now: toJsonTime(now) });
    },
  },
  {
    method: 'POST',
    path: '/sandboxes/clock/advance',
    operation: {
      id: 'advanceClock',
      summary: 'Advance a manual clock',
      description:
        'Runs all work that is due up to the new time, in order and each item at its own time. Returns once all of it is done.',
      body: AdvanceClock,
      answer: { status: 200, schema: AdvancedClock },
      errors: ['conflict'],
    },
    deadlineMs: advanceDeadlineMs,
    waits: 'CLOCK',
    handle: async (request, peers) => {
      const input = readBody(AdvanceClock, request, ({ to }) => ({
        to: optionalProblems(to, environmentTimeProblems),
      }));
      const answer = await peers.identity.advanceClock(input, request.context);
      const { now, processed, stopped } = answer;
      return ok({ now: toJsonTime(now), processed, ...(stopped && { stopped }) });
    },
  },
  {
    method: 'DELETE',
    path: '/sandboxes/clock/advance',
    operation: {
      id: 'stopClockAdvance',
      summary: 'Stop an advance of a manual clock',
      description:
        'The advance ends after the instant that it is processing, and its callers receive `stopped`. Without an advance in progress, nothing changes.',
      answer: { status: 200, schema: SandboxClock },
    },
    handle: async (request, peers) => {
      const { clock, now } = await peers.identity.stopClockAdvance({}, request.context);
      return ok({ clock: toJsonClock(clock), now: toJsonTime(now) });
    },
  },
  {
    method: 'GET',
    path: '/sandboxes',
    operation: {
      id: 'listSandboxes',
      summary: 'List sandboxes, newest first',
      description: 'Requires a live key.',
      query: ListSandboxes,
      answer: { status: 200, schema: listOf(UsedSandboxJson, 'SandboxList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListSandboxes, request);
      const { sandboxes, total } = await peers.identity.listSandboxes(
        listQuery(query),
        request.context,
      );
      return page(sandboxes, { ...query, total }, toJsonUsedSandbox);
    },
  },
  {
    method: 'PATCH',
    path: '/sandboxes/:id',
    operation: {
      id: 'updateSandbox',
      summary: 'Rename a sandbox',
      description: 'Requires a live key.',
      body: UpdateSandbox,
      answer: { status: 200, schema: UsedSandboxJson, isVersioned: true },
      errors: ['sandbox_not_found', 'stale_version'],
    },
    handle: async (request, peers) => {
      const { name } = readBody(UpdateSandbox, request, ({ name: sent }) =>
        sandboxProblems({ name: sent ?? undefined }),
      );
      const { expectedVersion } = request;
      const { sandbox } = await peers.identity.updateSandbox(
        { id: param(request, 'id'), name: name === null ? '' : name, expectedVersion },
        request.context,
      );
      const shown = present(sandbox);
      return ok(toJsonUsedSandbox(shown), etag(present(shown.environment).version));
    },
    readFormer: readSandbox,
  },
  {
    method: 'DELETE',
    path: '/sandboxes/:id',
    operation: {
      id: 'deleteSandbox',
      summary: 'Delete a sandbox and all its data',
      description:
        'Requires a live key. The keys, pages and webhooks of the sandbox stop working within 5 seconds. Its data is deleted within an hour.',
      answer: { status: 204 },
      errors: ['sandbox_not_found'],
    },
    endsKeys: true,
    handle: async (request, peers) => {
      await peers.identity.deleteSandbox({ id: param(request, 'id') }, request.context);
      return { status: 204 };
    },
    readFormer: readSandbox,
  },
];
