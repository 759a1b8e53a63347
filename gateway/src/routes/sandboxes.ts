import { z } from 'zod';
import { toJsonClock, toJsonSandbox } from '@billing/proto/json/sandbox';
import { toJsonTime } from '@billing/proto/json/scalars';
import { clockKinds } from '@billing/proto/values/identity';
import { AdvancedClock, NewSandbox, SandboxClock } from '../openapi/schemas/sandbox';
import { optional, readBody, time } from '../input';
import { created, ok, present, type Route, secretOrNull } from '../route';

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

const AdvanceClock = z
  .object({ to: time })
  .meta({ id: 'AdvanceClock', examples: [{ to: '2026-02-28T00:00:00Z' }] });

// A jump over years is many renewals; the jump itself goes on after that.
const advanceDeadlineMs = 10 * 60_000;

export const sandboxRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sandboxes',
    operation: {
      id: 'createSandbox',
      summary: 'Create a sandbox and its first key',
      description: 'With a live key only.',
      body: CreateSandbox,
      answer: { status: 201, schema: NewSandbox },
    },
    handle: async (request, peers) => {
      const input = readBody(CreateSandbox, request);
      const { sandbox, key } = await peers.identity.createSandbox(
        {
          name: input.name ?? '',
          clock: clockKinds.valueOf(input.clock ?? 'REAL'),
          startsAt: input.startsAt,
        },
        request.context,
      );
      const body = { ...toJsonSandbox(present(sandbox)), key: secretOrNull(key) };
      return created('/sandboxes/clock', body);
    },
  },
  {
    method: 'GET',
    path: '/sandboxes/clock',
    operation: {
      id: 'getClock',
      summary: 'What time is it in this environment?',
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
      summary: 'Move a manual clock',
      description:
        'All that falls due on the way is done at its own instant, in order. Answers when all is quiet.',
      body: AdvanceClock,
      answer: { status: 200, schema: AdvancedClock },
      errors: ['conflict'],
    },
    deadlineMs: advanceDeadlineMs,
    handle: async (request, peers) => {
      const input = readBody(AdvanceClock, request);
      const { now, processed } = await peers.identity.advanceClock(input, request.context);
      return ok({ now: toJsonTime(now), processed });
    },
  },
];
