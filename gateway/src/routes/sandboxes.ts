import { z } from 'zod';
import { ClockKind } from '@billing/proto/billing/identity/v1/identity';
import { toJsonClock, toJsonSandbox } from '@billing/proto/json/sandbox';
import { toJsonTime } from '@billing/proto/json/scalars';
import { optional, readBody, time } from '../input';
import { created, ok, present, type Route, secretOrNull } from '../route';

const CreateSandbox = z.object({
  name: optional(z.string().max(200)),
  clock: optional(z.enum(['REAL', 'MANUAL'])),
  startsAt: optional(time),
});

const AdvanceClock = z.object({ to: time });

// A jump over years is many renewals; the jump itself goes on after that.
const advanceDeadlineMs = 10 * 60_000;

const clocks = {
  REAL: ClockKind.CLOCK_KIND_REAL,
  MANUAL: ClockKind.CLOCK_KIND_MANUAL,
};

export const sandboxRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sandboxes',
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(CreateSandbox, request);
      const { sandbox, key } = await peers.identity.createSandbox(
        {
          name: input.name ?? '',
          clock: clocks[input.clock ?? 'REAL'],
          startsAt: input.startsAt,
        },
        request.context,
      );
      const body = { ...toJsonSandbox(present(sandbox)), key: secretOrNull(key) };
      return created('/sandboxes/clock', body, ignoredHeaders);
    },
  },
  {
    method: 'GET',
    path: '/sandboxes/clock',
    handle: async (request, peers) => {
      const { clock, now } = await peers.identity.getClock({}, request.context);
      return ok({ clock: toJsonClock(clock), now: toJsonTime(now) });
    },
  },
  {
    method: 'POST',
    path: '/sandboxes/clock/advance',
    deadlineMs: advanceDeadlineMs,
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(AdvanceClock, request);
      const { now, processed } = await peers.identity.advanceClock(input, request.context);
      return ok({ now: toJsonTime(now), processed }, ignoredHeaders);
    },
  },
];
